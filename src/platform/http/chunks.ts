import { deadlines } from "../db/deadlines.ts";
import { requestTimeout } from "../errors.ts";

/**
 * Yields the bytes of a body as they arrive, with a time limit in milliseconds.
 * @throws requestTimeout; the runtime's error when the client disconnects
 */
export async function* readChunks(
  body: ReadableStream<Uint8Array>,
  milliseconds: number,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  let isLate = false;
  const deadline = deadlines.add(performance.now() + milliseconds, () => {
    isLate = true;
    // Aborts the read that is pending.
    void reader.cancel().catch(() => {});
  });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (isLate) throw requestTimeout();
      if (done) return;
      yield value;
    }
  } finally {
    deadlines.remove(deadline);
    void reader.cancel().catch(() => {});
  }
}

const FIRST_PIECE_BYTES = 4 * 1024;
const PIECE_BYTES = 64 * 1024;

/**
 * Regroups the bytes of a body into chunks of moderate size. Readers keep each chunk: a chunk of a single byte
 * would use hundreds of bytes of memory, and a chunk that is too large would take long to process.
 */
export async function* coalesced(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let piece = new Uint8Array(FIRST_PIECE_BYTES);
  let length = 0;
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; ) {
      const part = chunk.subarray(start, start + piece.length - length);
      piece.set(part, length);
      length += part.length;
      start += part.length;
      if (length < piece.length) continue;
      yield piece;
      piece = new Uint8Array(Math.min(2 * piece.length, PIECE_BYTES));
      length = 0;
    }
  }
  if (length > 0) yield piece.subarray(0, length);
}
