import type { Context } from "hono";
import type { RouterEnv } from "#kit";
import { errorResponse } from "#kit/inside";

/** The errors of JSON-RPC that are decided before the SDK. */
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
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
