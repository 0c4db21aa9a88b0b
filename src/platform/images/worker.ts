/** The worker of `cleaner.ts`: receives one image at a time and returns it cleaned. */
import type { WorkerReply, WorkerRequest } from "../worker-calls.ts";
import type { CleaningResult } from "./clean-image.ts";
import { cleanImageResult } from "./clean-image-result.ts";

declare const self: Worker;

self.onmessage = ({ data: { id, task } }: MessageEvent<WorkerRequest<Uint8Array>>) => {
  try {
    const result = cleanImageResult(task);
    const moved = "bytes" in result ? [result.bytes.buffer] : [];
    self.postMessage({ id, result } satisfies WorkerReply<CleaningResult>, moved as ArrayBuffer[]);
  } catch (error) {
    self.postMessage({ id, error: String(error) } satisfies WorkerReply<CleaningResult>);
  }
};
