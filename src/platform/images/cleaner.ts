import { malformedImage, unsupportedImage } from "../http/form-errors.ts";
import { workerCalls } from "../worker-calls.ts";
import type { CleanImage, CleaningResult } from "./clean-image.ts";

/** Cleans images away from the event loop, one after the other. */
export interface ImageCleaner {
  /**
   * The image without its metadata (rules 21.3). `bytes` are handed over: they are of no use afterwards.
   * @throws unsupportedImage, malformedImage
   */
  clean(bytes: Uint8Array<ArrayBuffer>): Promise<CleanImage>;
}

export function createImageCleaner(clean = inWorker()): ImageCleaner {
  return {
    async clean(bytes) {
      const cleaned = await clean(bytes);
      if (!("refused" in cleaned)) return cleaned;
      throw cleaned.refused === "unsupported" ? unsupportedImage() : malformedImage();
    },
  };
}

function inWorker(): (bytes: Uint8Array<ArrayBuffer>) => Promise<CleaningResult> {
  const call = workerCalls<Uint8Array, CleaningResult>(
    "Cleaning an image",
    () => new Worker(new URL("./worker.ts", import.meta.url)),
  );
  return (bytes) => call(bytes, [bytes.buffer]);
}
