import type { Context } from "hono";
import { ApiError, defineError, isObject, type RouterEnv } from "#kit";
import { errorResponse, type RequestContext, unsupportedMediaType } from "#kit/inside";
import { isJsonType, readJson } from "../../../platform/http/body.ts";

const notAcceptable = defineError(
  406,
  "NOT_ACCEPTABLE",
  "Accept must name application/json and text/event-stream",
);

const accepts = (header: string, type: string): boolean =>
  header
    .toLowerCase()
    .split(",")
    .some((range) => {
      const name = range.split(";", 1)[0]?.trim();
      return name === type || name === "*/*" || name === `${type.split("/", 1)[0]}/*`;
    });

/** How deep a message may be nested. */
const MAX_DEPTH = 64;

/** Whether a value is nested no deeper than allowed; looks at one level after the other, so that no depth is too deep for it. */
function isShallow(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return false;
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
  }
  return true;
}

/**
 * Reads the message of a request, or returns the response that refuses it.
 * @throws 415, payloadTooLarge, 406, in this order
 */
export async function readMessage(
  request: Request,
  { app, ip }: RequestContext,
): Promise<Record<string, unknown> | Response> {
  const { headers } = request;
  if (!isJsonType(headers)) throw unsupportedMediaType();
  const body = await readJson(request, app.bodies.json, ip).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === "MALFORMED_JSON") return undefined;
    throw error;
  });
  const accept = headers.get("accept") ?? "";
  if (!["application/json", "text/event-stream"].every((type) => accepts(accept, type)))
    throw notAcceptable();
  if (body === undefined)
    return rpcError(400, { code: PARSE_ERROR, message: "The body is not valid JSON in UTF-8" });
  if (!isObject(body) || !isShallow(body))
    return rpcError(400, { code: INVALID_REQUEST, message: "The body must be one JSON-RPC message" });
  return body;
}

/** The errors of JSON-RPC that are decided before the SDK. */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const UNSUPPORTED_REVISION = -32022;
/** The code of errors that are decided before the message is read. */
const REFUSED = -32000;

/** Returns an error of JSON-RPC as the response to a message. */
export const rpcError = (
  status: number,
  { code, message, data, id = null }: { code: number; message: string; data?: object; id?: unknown },
): Response =>
  Response.json({ jsonrpc: "2.0", error: { code, message, ...(data && { data }) }, id }, { status });

/** Converts a refusal to a response: the status, the headers and the code of every error, in the shape of JSON-RPC without an id. */
export async function refusal(error: unknown, c: Context<RouterEnv>): Promise<Response> {
  const response = await errorResponse(error, c);
  const { statusCode, code, message, requestId } = (await response.json()) as Record<string, unknown>;
  const body = { jsonrpc: "2.0", error: { code: REFUSED, message, data: { statusCode, code, requestId } } };
  return new Response(JSON.stringify(body), response);
}
