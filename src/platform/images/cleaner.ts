import { malformedImage, unsupportedImage } from "../http/form-errors.ts";
import { workerCalls } from "../worker-calls.ts";
import type { CleanImage } from "./clean.ts";

/** What the worker answers: the image, or why there is none. */
export type Cleaned = CleanImage | { refused: "unsupported" | "malformed" };

/** Cleans images away from the event loop, one after the other. */
export interface ImageCleaner {
  /**
   * The image without its metadata (rules 21.3). `bytes` are handed over: they are of no use afterwards.
   * @throws unsupportedImage, malformedImage
   */
  clean(bytes: Uint8Array<ArrayBuffer>): Promise<CleanImage>;
}

export function createImageCleaner(): ImageCleaner {
  const call = workerCalls<Uint8Array, Cleaned>(
    "Cleaning an image",
    () => new Worker(new URL("./worker.ts", import.meta.url)),
  );
  return {
    async clean(bytes) {
      const cleaned = await call(bytes, [bytes.buffer]);
      if (!("refused" in cleaned)) return cleaned;
      throw cleaned.refused === "unsupported" ? unsupportedImage() : malformedImage();
    },
  };
}
