import { browser } from "./dom.ts";
import type { Environment } from "./environment.ts";
import { formOf, uploadTimeout } from "./forms.ts";
import { type Parts, read, send } from "./http.ts";
import type { Requests } from "./requests.ts";
import type { Call } from "./settle.ts";
import type { UploadEndpoint, UploadOptions, UploadProgress } from "./types.ts";

type Tell = (progress: UploadProgress) => void;

/**
 * Sends forms with files.
 * @param ownFetch whether the caller passed a `fetch`. Then only that is used, and progress is reported only at the
 * beginning and at the end.
 */
export function createUploads(
  environment: Environment,
  baseUrl: string,
  { keyed }: Requests,
  ownFetch: boolean,
) {
  const isReported = browser.XMLHttpRequest !== undefined && !ownFetch;
  return function upload<E extends UploadEndpoint>(endpoint: E, options: UploadOptions<E>): Call<E> {
    const parts: Parts & { form?: Record<string, unknown>; onProgress?: Tell } = options;
    const { onProgress } = parts;
    const { form, total } = formOf(parts.form ?? {});
    const attempt = (withKey: Parts) => (token: string | null) => {
      const sent = { baseUrl, endpoint, parts: withKey, token, form };
      onProgress?.({ sent: 0, total });
      const sending = { timeoutMs: uploadTimeout(total) };
      const fetch: Environment["fetch"] = isReported
        ? async (url, init) => (await import("./upload-progress.ts")).xhrFetch(url, init, onProgress)
        : environment.fetch;
      return send({ ...environment, fetch }, sent, sending, (response) => {
        if (!isReported) onProgress?.({ sent: total, total });
        return read(response);
      });
    };
    return keyed(endpoint, parts, attempt) as Call<E>;
  };
}
