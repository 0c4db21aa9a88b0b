import { Zip, ZipDeflate } from "fflate";

/** A file of an archive, its text in pieces. */
export type ZipFile = { name: string; pieces: AsyncIterable<string> };

const NOTHING = new Uint8Array(0);

/**
 * The bytes of a ZIP archive, made as they are read: a piece of text is asked for once the one before is compressed and
 * taken, so that an archive of any length holds no more than a piece in memory. By fflate, which compresses what it is
 * given piece by piece (client-zip, as small, stores it as it is: fourteen times as much for an account's JSON).
 * @param onError what broke it off, once its reader can no longer be told; the stream ends with the same error
 */
export function zipStream(files: ZipFile[], onError: (error: unknown) => void): ReadableStream<Uint8Array> {
  const chunks = zipChunks(files);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        onError(error);
        controller.error(error);
      }
    },
    async cancel() {
      await chunks.return();
    },
  });
}

async function* zipChunks(files: ZipFile[]): AsyncGenerator<Uint8Array, void, void> {
  const encoder = new TextEncoder();
  const made: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error !== null) throw error;
    made.push(chunk);
  });
  for (const { name, pieces } of files) {
    const file = new ZipDeflate(name);
    zip.add(file);
    for await (const piece of pieces) {
      file.push(encoder.encode(piece));
      yield* made.splice(0);
    }
    file.push(NOTHING, true);
    yield* made.splice(0);
  }
  zip.end();
  yield* made.splice(0);
}
