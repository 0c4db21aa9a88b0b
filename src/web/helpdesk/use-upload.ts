import { useState } from "react";
import type { UploadProgress } from "../../client/index.ts";

/**
 * Returns the progress of an upload (0 to 1, null without one), and `track`, which wraps an upload and reports its
 * progress.
 */
export function useUpload() {
  const [progress, setProgress] = useState<number | null>(null);
  async function track<T>(send: (onProgress: (progress: UploadProgress) => void) => Promise<T>): Promise<T> {
    try {
      return await send(({ sent, total }) => setProgress(total > 0 ? sent / total : 0));
    } finally {
      setProgress(null);
    }
  }
  return { progress, track };
}

/** The API's error codes for images, and the form field at which they are shown (`fieldOf`). */
export const IMAGE_ERRORS = {
  IMAGE_TOO_LARGE: "images",
  MALFORMED_IMAGE: "images",
  UNSUPPORTED_IMAGE: "images",
  TOO_MANY_IMAGES: "images",
  UPLOAD_QUOTA_EXCEEDED: "images",
  PAYLOAD_TOO_LARGE: "images",
} as const;
