import { malformedJson, unsupportedMediaType } from "../errors.ts";
import type { BodyReader } from "./body-reader.ts";

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
