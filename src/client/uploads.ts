import { browser } from "./dom.ts";
import type { Environment } from "./environment.ts";
import { ConnectionError } from "./errors.ts";
import { errorOf, type Parts, read, send, type Target, targetOf } from "./http.ts";
import type { Requests } from "./requests.ts";
import type { Call } from "./settle.ts";
import type { UploadEndpoint, UploadOptions, UploadProgress } from "./types.ts";

type Sent = { form: FormData; total: number; signal: AbortSignal | undefined };
type Tell = (progress: UploadProgress) => void;

/** Allows for slow connections: 32 KiB a second, at least two minutes, at most as long as the service reads a form. */
const timeoutFor = (bytes: number) => Math.min(290_000, Math.max(120_000, (bytes / (32 * 1024)) * 1000));

/**
 * Sends forms with files.
 * @param ownFetch whether the caller passed a fetch: then only that is used, and progress is reported at the beginning
 * and the end only
 */
export function createUploads(
  environment: Environment,
  baseUrl: string,
  { keyed }: Requests,
  ownFetch: boolean,
) {
  return function upload<E extends UploadEndpoint>(endpoint: E, options: UploadOptions<E>): Call<E> {
    const parts: Parts & { form?: Record<string, unknown>; onProgress?: Tell } = options;
    const { signal, onProgress } = parts;
    const sent: Sent = { ...formOf(parts.form ?? {}), signal };
    const attempt = (withKey: Parts) => (token: string | null) => {
      const target = targetOf(baseUrl, endpoint, withKey, token);
      onProgress?.({ sent: 0, total: sent.total });
      if (browser.XMLHttpRequest !== undefined && !ownFetch)
        return sendByXhr(new browser.XMLHttpRequest(), endpoint, target, sent, onProgress);
      const sending = { signal, timeoutMs: timeoutFor(sent.total) };
      return send(environment, endpoint, target, sent.form, sending, (response) => {
        onProgress?.({ sent: sent.total, total: sent.total });
        return read(response);
      });
    };
    return keyed(endpoint, parts, attempt) as Call<E>;
  };
}

/** Builds a form from the fields that are set, with one entry per item of a list, and estimates its size in bytes. */
function formOf(fields: Record<string, unknown>): { form: FormData; total: number } {
  const form = new FormData();
  let total = 0;
  for (const [name, value] of Object.entries(fields))
    for (const one of [value].flat()) {
      if (one === undefined || one === null) continue;
      const entry = one instanceof Blob ? one : String(one);
      total += entry instanceof Blob ? entry.size : entry.length;
      form.append(name, entry);
    }
  return { form, total };
}

function sendByXhr(
  request: InstanceType<NonNullable<typeof browser.XMLHttpRequest>>,
  endpoint: UploadEndpoint,
  { method, url, headers }: Target,
  { form, total, signal }: Sent,
  onProgress: Tell | undefined,
): Promise<unknown> {
  return new Promise<unknown>((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => request.abort();
    signal?.addEventListener("abort", abort);
    const settled = () => signal?.removeEventListener("abort", abort);
    const fail = (code: ConnectionError["code"]) => () => {
      settled();
      reject(new ConnectionError(endpoint, code));
    };
    request.open(method, url);
    request.withCredentials = true;
    request.timeout = timeoutFor(total);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    // The multipart framing counts as well, so the browser's own total is reported.
    request.upload.onprogress = ({ loaded, total: all }) => onProgress?.({ sent: loaded, total: all });
    request.onerror = fail("NETWORK_ERROR");
    request.ontimeout = fail("TIMEOUT");
    request.onabort = () => {
      settled();
      reject(signal?.reason);
    };
    request.onload = () => {
      settled();
      const { status, responseText: text } = request;
      if (status < 200 || status > 299)
        return reject(errorOf(endpoint, status, text, request.getResponseHeader("retry-after")));
      try {
        resolve(JSON.parse(text));
      } catch {
        reject(new ConnectionError(endpoint, "UNEXPECTED_RESPONSE", undefined, status));
      }
    };
    request.send(form);
  });
}
