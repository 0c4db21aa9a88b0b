import { useState } from "react";
import type { UploadProgress } from "../../client/index.ts";

/** The progress of an upload, from 0 to 1, or null without one; `track` wraps an upload and reports its progress. */
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

/** The API's error codes that concern images, for `fieldOf`. */
export const IMAGE_ERRORS = {
  IMAGE_TOO_LARGE: "images",
  MALFORMED_IMAGE: "images",
  UNSUPPORTED_IMAGE: "images",
  TOO_MANY_IMAGES: "images",
  UPLOAD_QUOTA_EXCEEDED: "images",
  PAYLOAD_TOO_LARGE: "images",
} as const;
