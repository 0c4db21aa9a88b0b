import { malformedJson, unsupportedMediaType } from "../errors.ts";
import type { BodyReader } from "./body-reader.ts";

const JSON_LIMIT_BYTES = 100 * 1024;
/** Any parameters, but of the charsets UTF-8 alone, which is the one that JSON has. */
const JSON_TYPE = /^\s*application\/json\s*(?:;(?!\s*charset\s*=)[^;,]*|;\s*charset\s*=\s*"?utf-?8"?\s*)*$/i;
const NOT_ENCODED = /^\s*(?:identity\s*(?:,\s*identity\s*)*)?$/i;
const UTF8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The JSON body of a request, or undefined where it has none, however its length was declared.
 * @throws payloadTooLarge, unsupportedMediaType, malformedJson, in this order; what the intake throws
 */
export async function readJson(request: Request, intake: BodyReader): Promise<unknown> {
  // In this order: asking for the body makes a stream of it, be it empty.
  if (request.headers.get("content-length") === "0" || request.body === null) return undefined;
  const bytes = await intake.read(request, JSON_LIMIT_BYTES);
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
