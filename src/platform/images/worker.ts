/** The worker behind `cleaner.ts`: one image in, one out. */
import type { WorkerReply, WorkerRequest } from "../worker-calls.ts";
import { cleanImage, MalformedImage, UnsupportedImage } from "./clean.ts";
import type { CleaningResult } from "./clean-image.ts";

declare const self: Worker;

self.onmessage = ({ data: { id, task } }: MessageEvent<WorkerRequest<Uint8Array>>) => {
  try {
    const result = clean(task);
    const moved = "bytes" in result ? [result.bytes.buffer] : [];
    self.postMessage({ id, result } satisfies WorkerReply<CleaningResult>, moved as ArrayBuffer[]);
  } catch (error) {
    self.postMessage({ id, error: String(error) } satisfies WorkerReply<CleaningResult>);
  }
};

function clean(bytes: Uint8Array): CleaningResult {
  try {
    return cleanImage(bytes);
  } catch (error) {
    if (error instanceof UnsupportedImage) return { refused: "unsupported" };
    if (error instanceof MalformedImage) return { refused: "malformed" };
    throw error;
  }
}
