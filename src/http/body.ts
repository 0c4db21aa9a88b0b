import { ApiError, incompleteBody, malformedJson, payloadTooLarge, unsupportedMediaType } from "./errors.ts";

const JSON_LIMIT_BYTES = 100 * 1024;
/** Any parameters, but of the charsets UTF-8 alone, which is the one that JSON has. */
const JSON_TYPE = /^\s*application\/json\s*(?:;(?!\s*charset\s*=)[^;,]*|;\s*charset\s*=\s*"?utf-?8"?\s*)*$/i;
const NOT_ENCODED = /^\s*(?:identity\s*(?:,\s*identity\s*)*)?$/i;
const UTF8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The JSON body of a request, or undefined where it has none, however its length was declared.
 * @throws payloadTooLarge, unsupportedMediaType, malformedJson, in this order
 */
export async function readJson(request: Request): Promise<unknown> {
  // In this order: asking for the body makes a stream of it, be it empty.
  if (request.headers.get("content-length") === "0" || request.body === null) return undefined;
  const bytes = await readBytes(request, JSON_LIMIT_BYTES);
  if (bytes.length === 0) return undefined;
  if (!JSON_TYPE.test(request.headers.get("content-type") ?? "")) throw unsupportedMediaType();
  if (!NOT_ENCODED.test(request.headers.get("content-encoding") ?? "")) throw unsupportedMediaType();
  try {
    return JSON.parse(UTF8.decode(bytes));
  } catch {
    // Bad syntax, or bytes that are no UTF-8.
    throw malformedJson();
  }
}

/**
 * The bytes of a body, refused as soon as there are too many, by its declared length or while it is read.
 * @throws payloadTooLarge; incompleteBody when the client goes away, which is nobody's fault here
 */
export async function readBytes(request: Request, mostBytes: number): Promise<Uint8Array> {
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > mostBytes) throw payloadTooLarge();
  try {
    // With a declared length the runtime reads that much and no more.
    return declared === null
      ? await readChunks(request, mostBytes)
      : new Uint8Array(await request.arrayBuffer());
  } catch (error) {
    throw error instanceof ApiError ? error : incompleteBody();
  }
}

async function readChunks(request: Request, mostBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > mostBytes) throw payloadTooLarge();
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
