import type { Environment } from "./environment.ts";
import { ApiError, ConnectionError } from "./errors.ts";
import type { Endpoint } from "./types.ts";

/** The parts of a request; the public types narrow them for each endpoint. */
export type Parts = {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
};

export type Target = {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
};

/** The URL of a request with its parameters, and its headers. */
export function targetOf(baseUrl: string, endpoint: Endpoint, parts: Parts, token: string | null): Target {
  const [method = "", template = ""] = endpoint.split(" ");
  const path = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(parts.path?.[name])));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parts.query ?? {}))
    for (const one of [value].flat()) if (one !== undefined) query.append(name, String(one));
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(parts.headers ?? {}))
    if (value !== undefined) headers[name] = String(value);
  if (token !== null) headers.authorization = `Bearer ${token}`;
  return { method, url: baseUrl + path + (query.size > 0 ? `?${query}` : ""), headers };
}

/** How a request is sent, independent of its content. */
export type SendOptions = {
  readonly signal?: AbortSignal | undefined;
  /** For the whole request, including reading the response. */
  readonly timeoutMs?: number;
  /** Finishes even if the page is unloaded meanwhile: a response that sets a new cookie must not be lost. */
  readonly keepalive?: boolean;
};

/**
 * Sends a request, and passes its response to `consume` if it succeeded.
 * @throws ApiError for an error of the API; ConnectionError if it did not respond in time; the reason of the caller's
 * signal
 */
export async function send<Result>(
  { fetch, after }: Environment,
  endpoint: Endpoint,
  { method, url, headers }: Target,
  body: string | FormData | undefined,
  { signal, timeoutMs, keepalive }: SendOptions,
  consume: (response: Response) => Result | Promise<Result>,
): Promise<Result> {
  const late = new AbortController();
  const cancel = timeoutMs === undefined ? () => {} : after(timeoutMs, () => late.abort());
  if (typeof body === "string") headers["content-type"] = "application/json";
  try {
    const init: RequestInit = { method, headers, credentials: "include" };
    init.signal = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
    if (body !== undefined) init.body = body;
    if (keepalive) init.keepalive = true;
    const response = await fetch(url, init);
    if (response.ok) return await consume(response);
    throw errorOf(endpoint, response.status, await response.text(), response.headers.get("retry-after"));
  } catch (error) {
    if (error instanceof ApiError || error instanceof ConnectionError) throw error;
    if (signal?.aborted) throw signal.reason;
    throw new ConnectionError(endpoint, late.signal.aborted ? "TIMEOUT" : "NETWORK_ERROR", error);
  } finally {
    cancel();
  }
}

/** The error of a response: the API's own, or a ConnectionError if something else responded in its place. */
export function errorOf(endpoint: Endpoint, status: number, text: string, retryAfter: string | null): Error {
  try {
    const body = JSON.parse(text);
    if (body.statusCode === status && typeof body.code === "string")
      return new ApiError(endpoint, body, retryAfter === null ? null : Number(retryAfter));
  } catch {
    // Not JSON, so not from the API.
  }
  return new ConnectionError(endpoint, "UNEXPECTED_RESPONSE", text.slice(0, 1000));
}

/** Reads the body of a response: JSON, nothing, or a file. */
export async function read(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  if (response.headers.get("content-type")?.startsWith("application/json")) return response.json();
  const blob = await response.blob();
  return blob.size === 0 ? undefined : blob;
}
