import { browser, type Upload } from "./dom.ts";
import type { UploadProgress } from "./types.ts";

/* Sends uploads with progress. It is a separate module, because it is loaded only by the first upload. */

/** Sends like `fetch`, which cannot report how much of a body has been sent. */
export const xhrFetch = (
  url: string,
  { method = "", headers, body, signal }: RequestInit,
  onProgress: ((progress: UploadProgress) => void) | undefined,
): Promise<Response> =>
  new Promise((resolve, reject) => {
    const request = new (browser.XMLHttpRequest as new () => Upload)();
    request.open(method, url);
    request.withCredentials = true;
    for (const [name, value] of Object.entries((headers ?? {}) as Record<string, string>))
      request.setRequestHeader(name, value);
    // The multipart framing counts too, so the total is the one that the browser reports.
    request.upload.onprogress = ({ loaded, total }) => onProgress?.({ sent: loaded, total });
    request.onerror = reject;
    request.onabort = reject;
    request.onload = () => {
      const { status, responseText } = request;
      const kept = ["content-type", "retry-after"].flatMap((name) => {
        const value = request.getResponseHeader(name);
        return value === null ? [] : [[name, value] as [string, string]];
      });
      resolve(new Response(responseText || null, { status, headers: kept }));
    };
    signal?.addEventListener("abort", () => request.abort());
    request.send(body as FormData);
  });
