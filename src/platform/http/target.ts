import { getPath } from "hono/utils/url";

/**
 * Returns the target of a request. `Request.url` is absolute, except if the `Host` header is missing (HTTP/1.0
 * health checks) or invalid. Then it is only the path, which must be routed in the same way.
 */
export const targetOf = (url: string) =>
  url.startsWith("/") ? url : url.slice(url.indexOf("/", url.indexOf("//") + 2));

/** Returns the path of a request, percent-decoded as the router expects it. */
export function pathOf(request: Request): string {
  return getPath(
    request.url.startsWith("/") ? ({ url: `http://localhost${request.url}` } as Request) : request,
  );
}

/** Converts a HEAD request to GET: the runtime omits the body, so the response has the same headers. */
export const asGet = (request: Request) =>
  new Request(`http://localhost${targetOf(request.url)}`, { headers: request.headers });

/** Returns the query string as received, without its question mark. */
export function queryOf(url: string): string {
  const mark = url.indexOf("?");
  if (mark < 0) return "";
  const hash = url.indexOf("#", mark);
  return hash < 0 ? url.slice(mark + 1) : url.slice(mark + 1, hash);
}
