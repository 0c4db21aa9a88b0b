import type { Environment } from "./environment.ts";
import { ApiError, ConnectionError } from "./errors.ts";
import type { Endpoint, FileEndpoint } from "./types.ts";

/** The parts of a request: path, query, headers and body. The public types narrow them for each endpoint. */
export type Parts = {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
  readonly idempotencyKey?: string;
  readonly retries?: number;
};

/** Whether an endpoint returns a file or a stream instead of JSON. A test compares this with the OpenAPI document. */
export const isFile = (endpoint: Endpoint): endpoint is FileEndpoint =>
  /(export|stream|attachments\/{id})$/.test(endpoint);

/** The timeout of a request in milliseconds. It is longer than the service takes for any request. */
export const TIMEOUT_MS = 30_000;

/** A request, and where it is sent to. */
export type Sent = {
  readonly baseUrl: string;
  readonly endpoint: Endpoint;
  readonly parts: Parts;
  readonly token: string | null;
  /** A form instead of a JSON body. */
  readonly form?: FormData | null | undefined;
};

/** Builds the URL of a request with its parameters, and its method, headers and body. */
function targetOf({ baseUrl, endpoint, parts, token, form = null }: Sent) {
  const [method = "", template = ""] = endpoint.split(" ");
  const path = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(parts.path?.[name])));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parts.query ?? {}))
    for (const one of [value].flat()) if (one !== undefined) query.append(name, String(one));
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(parts.headers ?? {}))
    if (value !== undefined) headers[name] = String(value);
  if (token) headers.authorization = `Bearer ${token}`;
  if (parts.body !== undefined) headers["content-type"] = "application/json";
  const body = parts.body === undefined ? form : JSON.stringify(parts.body);
  // `URLSearchParams.size` is not used, because it is missing in older browsers, which would drop every parameter.
  const text = String(query);
  const init: RequestInit = { method, headers, body, credentials: "include" };
  return [baseUrl + path + (text && `?${text}`), init] as const;
}

/** How a request is sent, independent of its content. */
export type SendOptions = {
  /**
   * The timeout of the whole request, including reading the response; for a file, until its first byte. Undefined
   * for no timeout.
   */
  readonly timeoutMs?: number | undefined;
  /** Whether the request continues if the page is unloaded: a response that sets a new cookie must not be lost. */
  readonly keepalive?: boolean;
};

/**
 * Sends a request, and passes a successful response to `consume`.
 * @throws ApiError for an error of the API; ConnectionError if the API did not respond in time, or if a proxy
 * responded in its place; the reason of the caller's signal
 */
export async function send<Result>(
  { fetch, after }: Pick<Environment, "fetch" | "after">,
  sent: Sent,
  { timeoutMs, keepalive }: SendOptions,
  consume: (response: Response) => Result | Promise<Result>,
): Promise<Result> {
  const { endpoint, parts } = sent;
  const { signal } = parts;
  const [url, init] = targetOf(sent);
  // One controller for timeout and caller's signal: `AbortSignal.any` is not available in all supported browsers.
  const ending = new AbortController();
  let isLate = false;
  const late = () => {
    isLate = true;
    ending.abort();
  };
  const cancel = timeoutMs === undefined ? () => {} : after(timeoutMs, late);
  const abort = () => ending.abort(signal?.reason);
  signal?.addEventListener("abort", abort);
  if (signal?.aborted) abort();
  let isRead = true;
  try {
    init.signal = ending.signal;
    if (keepalive) init.keepalive = true;
    const response = await fetch(url, init);
    if (isFile(endpoint)) cancel();
    if (!response.ok)
      throw errorOf(endpoint, response.status, await response.text(), response.headers.get("retry-after"));
    // A proxy may respond with a page of its own and status 200.
    const type = typeOf(response);
    const isWrong = isFile(endpoint) ? /html|application\/json/.test(type) : !isJson(type);
    if (isWrong && (type || response.status < 202))
      throw new ConnectionError(endpoint, "UNEXPECTED_RESPONSE", type, response.status);
    const result = await consume(response);
    // With `raw`, the caller reads the body later, and the caller's signal must still be able to abort that.
    isRead = (result as unknown) !== response;
    return result;
  } catch (error) {
    if (error instanceof ApiError || error instanceof ConnectionError) throw error;
    if (signal?.aborted) throw signal.reason;
    const code = isLate ? "TIMEOUT" : error instanceof SyntaxError ? "UNEXPECTED_RESPONSE" : "NETWORK_ERROR";
    throw new ConnectionError(endpoint, code, error);
  } finally {
    cancel();
    if (isRead) signal?.removeEventListener("abort", abort);
  }
}

/**
 * Returns the error for a response: that of the API, or a ConnectionError if a proxy responded in place of the API.
 */
export function errorOf(endpoint: Endpoint, status: number, text: string, retryAfter: string | null): Error {
  try {
    const body = JSON.parse(text);
    if (body.statusCode === status && typeof body.code === "string")
      return new ApiError(endpoint, body, secondsOf(retryAfter));
  } catch {
    // A body that is not JSON does not come from the API.
  }
  return new ConnectionError(endpoint, "UNEXPECTED_RESPONSE", text.slice(0, 1000), status);
}

/** Returns the seconds of a `Retry-After` header, which is a number or a date; null if it is invalid. */
function secondsOf(value: string | null): number | null {
  const seconds = Number(value);
  const asked = Number.isNaN(seconds) ? (Date.parse(value ?? "") - Date.now()) / 1000 : seconds;
  return value === null || Number.isNaN(asked) ? null : Math.max(0, Math.ceil(asked));
}

const typeOf = ({ headers }: Response) => headers.get("content-type") ?? "";
const isJson = (type: string) => type.startsWith("application/json");

/** Reads the body of a response whose type was checked before: JSON, nothing, or a file. */
export async function read(response: Response): Promise<unknown> {
  const type = typeOf(response);
  return isJson(type) ? response.json() : type ? response.blob() : undefined;
}

/** Whether a failure may be temporary: no response, too many requests, or an unavailable service. */
export const isTransient = (error: unknown): error is ApiError | ConnectionError =>
  error instanceof ConnectionError ||
  (error instanceof ApiError && (error.status === 429 || error.status >= 500));

/**
 * Whether a call that several requests share got no answer because the runtime ended it with the request that it was
 * for, as workerd does if its client is gone. Each of the others then makes the call itself.
 */
export const isLost = (error: unknown): boolean =>
  !(error instanceof ApiError || error instanceof ConnectionError);
