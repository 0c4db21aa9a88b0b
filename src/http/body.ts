import { malformedJson, payloadTooLarge, unsupportedMediaType } from "./errors.ts";

const JSON_LIMIT_BYTES = 100 * 1024;
const JSON_TYPE = /^\s*application\/json\s*(;\s*charset\s*=\s*"?utf-?8"?\s*)?;?\s*$/i;

/**
 * The JSON body of a request, or undefined where it has none.
 * @throws payloadTooLarge, unsupportedMediaType, malformedJson, in this order
 */
export async function readJson(request: Request): Promise<unknown> {
  if (request.body === null || request.headers.get("content-length") === "0") return undefined;
  if (Number(request.headers.get("content-length") ?? 0) > JSON_LIMIT_BYTES) throw payloadTooLarge();
  if (!JSON_TYPE.test(request.headers.get("content-type") ?? "")) throw unsupportedMediaType();
  const bytes = await readBytes(request, JSON_LIMIT_BYTES);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    // Bad syntax, bytes that are no UTF-8, or nesting deeper than the stack.
    throw malformedJson();
  }
}

/**
 * The bytes of a body, refused as soon as there are too many, whatever its declared length.
 * @throws payloadTooLarge
 */
export async function readBytes(request: Request, mostBytes: number): Promise<Uint8Array> {
  // With a declared length the runtime reads that much and no more.
  if (request.headers.has("content-length")) return new Uint8Array(await request.arrayBuffer());

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
