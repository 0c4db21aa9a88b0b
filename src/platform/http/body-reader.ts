import { deadlines } from "../db/deadlines.ts";
import { ApiError, incompleteBody, payloadTooLarge, requestTimeout, serviceUnavailable } from "../errors.ts";
import { coalesced, readChunks } from "./chunks.ts";

const MB = 1024 * 1024;
/** A connection has about this much anyway: such a small body is read in one call, which takes half the time. */
const SMALL_BODY_BYTES = 4 * 1024;

/** Rejects a body by its `Content-Length`. @throws payloadTooLarge */
export function assertDeclaredLength({ headers }: Request, maxBytes: number): void {
  if (Number(headers.get("content-length") ?? 0) > maxBytes) throw payloadTooLarge();
}

/**
 * Reads request bodies of one kind, with a time limit for each and a memory limit for all of them together. Only bytes
 * that have arrived count, or clients that declare large bodies and never send them would lock out the others.
 */
export class BodyReader {
  private held = 0;

  constructor(private readonly limits: { maxBytesInFlight: number; milliseconds: number }) {}

  /**
   * The bytes of a body, rejected as soon as it is too large, by its `Content-Length` or while it is read.
   * @throws payloadTooLarge, requestTimeout, serviceUnavailable; incompleteBody when the client disconnects
   */
  async read(request: Request, maxBytes: number): Promise<Uint8Array> {
    assertDeclaredLength(request, maxBytes);
    const declared = request.headers.get("content-length");
    try {
      return declared !== null && Number(declared) <= SMALL_BODY_BYTES
        ? await this.readAtOnce(request, Number(declared))
        : await this.readChunks(request, maxBytes);
    } catch (error) {
      throw error instanceof ApiError ? error : incompleteBody();
    }
  }

  /** With a `Content-Length` the runtime reads that many bytes and no more. */
  private async readAtOnce(request: Request, bytes: number): Promise<Uint8Array> {
    this.hold(bytes);
    const { promise, resolve, reject } = Promise.withResolvers<ArrayBuffer>();
    const { milliseconds } = this.limits;
    const deadline = deadlines.add(performance.now() + milliseconds, () => reject(requestTimeout()));
    request.arrayBuffer().then(resolve, reject);
    try {
      return new Uint8Array(await promise);
    } finally {
      deadlines.remove(deadline);
      this.held -= bytes;
    }
  }

  private async readChunks({ body }: Request, maxBytes: number): Promise<Uint8Array> {
    if (body === null) return new Uint8Array();
    const pieces: Uint8Array[] = [];
    let size = 0;
    const counted = async function* (this: BodyReader) {
      for await (const chunk of readChunks(body, this.limits.milliseconds)) {
        if (size + chunk.length > maxBytes) throw payloadTooLarge();
        this.hold(chunk.length);
        size += chunk.length;
        yield chunk;
      }
    };
    try {
      for await (const piece of coalesced(counted.call(this))) pieces.push(piece);
      return Buffer.concat(pieces);
    } finally {
      this.held -= size;
    }
  }

  private hold(bytes: number): void {
    if (this.held + bytes > this.limits.maxBytesInFlight)
      throw serviceUnavailable(new Error("Too many bodies at once"));
    this.held += bytes;
  }
}

/** The readers of an instance, one for each kind of body, so that no kind locks out another. Forms have limits of their own. */
export const createBodyReaders = () => ({
  json: new BodyReader({ maxBytesInFlight: 64 * MB, milliseconds: 10_000 }),
  raw: new BodyReader({ maxBytesInFlight: 32 * MB, milliseconds: 10_000 }),
  /** Longer than clients wait. */
  formMilliseconds: 300_000,
});
export type BodyReaders = ReturnType<typeof createBodyReaders>;
