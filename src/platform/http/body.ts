import {
  ApiError,
  incompleteBody,
  malformedJson,
  payloadTooLarge,
  requestTimeout,
  serviceUnavailable,
  unsupportedMediaType,
} from "../errors.ts";
import { type Level, Permits, type Release } from "../limits/permits.ts";
import { throttleKey } from "./client-address.ts";

/** The maximum size of a small body. A connection uses about this much memory anyway. */
const SMALL_BODY_BYTES = 4 * 1024;

const memoryIsFull = () => serviceUnavailable(new Error("Too many bodies at once"));

/** Rejects a body by its `Content-Length`. @throws payloadTooLarge */
export function assertDeclaredLength({ headers }: Request, maxBytes: number): void {
  if (Number(headers.get("content-length") ?? 0) > maxBytes) throw payloadTooLarge();
}

/** Reads request bodies of one kind, with a time limit for each body and a memory limit for all together. */
export class BodyReader {
  private readonly memory: Permits<"address" | "small" | "large">;

  /** @param levels the bytes of small bodies, of large ones, and of all of one address */
  constructor(
    levels: { small: Level; large: Level; address?: Level },
    private readonly milliseconds: number,
  ) {
    const refusals = { small: memoryIsFull, large: memoryIsFull };
    this.memory = new Permits({ address: { max: Infinity }, ...levels }, refusals);
  }

  /**
   * Reads a body. Rejects it as soon as it is too large: by its `Content-Length`, or while it is read.
   * @param ip the client's IP address, whose share of the memory is limited
   * @throws payloadTooLarge, requestTimeout, serviceUnavailable; tooManyRequests if the IP address has used its
   * share; incompleteBody if the client disconnects
   */
  async read(request: Request, maxBytes: number, ip: string): Promise<Uint8Array> {
    assertDeclaredLength(request, maxBytes);
    const header = request.headers.get("content-length");
    const isSmall = header !== null && Number(header) <= SMALL_BODY_BYTES;
    try {
      return await (isSmall ? this.readAtOnce(request) : this.readChunks(request, maxBytes, throttleKey(ip)));
    } catch (error) {
      throw error instanceof ApiError ? error : incompleteBody();
    }
  }

  /**
   * Reads a small body with a `Content-Length` in one piece: the runtime reads exactly that many bytes, in half the
   * time of a stream. Such a body does not count towards the memory limit, because every open connection uses about
   * as much memory anyway.
   */
  private async readAtOnce(request: Request): Promise<Uint8Array> {
    const { promise, resolve, reject } = Promise.withResolvers<ArrayBuffer>();
    const timer = setTimeout(() => reject(requestTimeout()), this.milliseconds);
    request.arrayBuffer().then(resolve, reject);
    try {
      return new Uint8Array(await promise);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Reads a body in chunks. Only bytes that have arrived count. Otherwise clients that declare large bodies and never
   * send them would lock out the others. A body of undeclared length counts as small until more bytes have arrived.
   */
  private async readChunks(
    { body, headers }: Request,
    maxBytes: number,
    address: string,
  ): Promise<Uint8Array> {
    if (body === null) return new Uint8Array();
    const pieces: Uint8Array[] = [];
    let release: Release = () => {};
    const isLarge = headers.has("content-length");
    let size = 0;
    const counted = async function* (this: BodyReader) {
      for await (const chunk of readChunks(body, this.milliseconds)) {
        size += chunk.length;
        if (size > maxBytes) throw payloadTooLarge();
        const level = isLarge || size > SMALL_BODY_BYTES ? "large" : "small";
        release();
        release = this.memory.take({ address, [level]: "" }, size);
        yield chunk;
      }
    };
    try {
      for await (const piece of coalesced(counted.call(this))) pieces.push(piece);
      return Buffer.concat(pieces);
    } finally {
      release();
    }
  }
}

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
  const timer = setTimeout(() => {
    isLate = true;
    // Aborts the read that is pending.
    void reader.cancel().catch(() => {});
  }, milliseconds);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (isLate) throw requestTimeout();
      if (done) return;
      yield value;
    }
  } finally {
    clearTimeout(timer);
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

const JSON_LIMIT_BYTES = 100 * 1024;
/** Matches a content type with any parameters, but no charset other than UTF-8, the only one that JSON allows. */
const JSON_TYPE = /^\s*application\/json\s*(?:;(?!\s*charset\s*=)[^;,]*|;\s*charset\s*=\s*"?utf-?8"?\s*)*$/i;
/** Whether a request says that its body is JSON. */
export const isJsonType = (headers: Headers): boolean => JSON_TYPE.test(headers.get("content-type") ?? "");
const NOT_ENCODED = /^\s*(?:identity\s*(?:,\s*identity\s*)*)?$/i;
const UTF8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Returns the JSON body of a request, or undefined if there is none, regardless of how its length was declared.
 * @throws payloadTooLarge, unsupportedMediaType, malformedJson, in this order; errors of the body reader
 */
export async function readJson(
  request: Request,
  reader: BodyReader,
  ip: string,
  maxBytes = JSON_LIMIT_BYTES,
): Promise<unknown> {
  // A missing or empty body is recognized before it is accessed, because the access creates a stream, even for an
  // empty body.
  if (request.headers.get("content-length") === "0" || request.body === null) return undefined;
  const bytes = await reader.read(request, maxBytes, ip);
  if (bytes.length === 0) return undefined;
  if (!isJsonType(request.headers)) throw unsupportedMediaType();
  if (!NOT_ENCODED.test(request.headers.get("content-encoding") ?? "")) throw unsupportedMediaType();
  try {
    return JSON.parse(UTF8.decode(bytes));
  } catch {
    // The body has invalid syntax or is not valid UTF-8.
    throw malformedJson();
  }
}
