import { workerCalls } from "../worker-calls.ts";
import type { CleaningResult } from "./clean-image.ts";

/** Removes metadata from images (rules 21.3) off the event loop, one image at a time. */
export interface ImageCleaner {
  /**
   * Returns the cleaned image, or why it was rejected. `bytes` are transferred to a worker, so the caller must not
   * use them afterwards.
   */
  clean(bytes: Uint8Array<ArrayBuffer>): Promise<CleaningResult>;
}

export const createImageCleaner = (clean: ImageCleaner["clean"]): ImageCleaner => ({ clean });

/** Creates a cleaner that cleans images in a worker, off the event loop. */
export function inWorker(): (bytes: Uint8Array<ArrayBuffer>) => Promise<CleaningResult> {
  const call = workerCalls<Uint8Array, CleaningResult>(
    "Cleaning an image",
    () => new Worker(new URL("worker.ts", import.meta.url)),
  );
  return (bytes) => call(bytes, [bytes.buffer]);
}
