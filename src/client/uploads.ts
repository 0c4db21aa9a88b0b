import { browser } from "./dom.ts";
import type { Environment } from "./environment.ts";
import { ConnectionError } from "./errors.ts";
import { formOf, uploadTimeout } from "./forms.ts";
import { errorOf, type Parts, read, send, type Target, targetOf } from "./http.ts";
import type { Requests } from "./requests.ts";
import type { Call } from "./settle.ts";
import type { UploadEndpoint, UploadOptions, UploadProgress } from "./types.ts";

type Sent = { form: FormData; total: number; signal: AbortSignal | undefined };
type Tell = (progress: UploadProgress) => void;

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
      const sending = { signal, timeoutMs: uploadTimeout(sent.total) };
      return send(environment, endpoint, target, sent.form, sending, (response) => {
        onProgress?.({ sent: sent.total, total: sent.total });
        return read(response);
      });
    };
    return keyed(endpoint, parts, attempt) as Call<E>;
  };
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
    request.timeout = uploadTimeout(total);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    // The multipart framing counts too, so the total is the one that the browser reports.
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
