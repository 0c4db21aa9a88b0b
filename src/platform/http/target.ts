import { getPath } from "hono/utils/url";

/**
 * Where a request goes. `Request.url` is absolute unless the `Host` header is missing (HTTP/1.0 health checks)
 * or makes no address: then it is the bare path, which must lead to the same route.
 */

const targetOf = (url: string) =>
  url.startsWith("/") ? url : url.slice(url.indexOf("/", url.indexOf("//") + 2));

/** The path, percent-decoded as the router wants it. */
export function pathOf(request: Request): string {
  return getPath(
    request.url.startsWith("/") ? ({ url: `http://localhost${request.url}` } as Request) : request,
  );
}

/** HEAD is handled as GET; the runtime omits the body, so the response has the same headers. */
export const asGet = (request: Request) =>
  new Request(`http://localhost${targetOf(request.url)}`, { headers: request.headers });

/** The query as it was sent, without its question mark. */
export function queryOf(url: string): string {
  const mark = url.indexOf("?");
  if (mark < 0) return "";
  const hash = url.indexOf("#", mark);
  return hash < 0 ? url.slice(mark + 1) : url.slice(mark + 1, hash);
}

const SECRET = /token|code|state|secret|password/i;

/** The path and query of a URL as logs may show it: secrets of the query masked, however they are written. */
export function loggableUrl(url: string): string {
  const [path = ""] = targetOf(url).split("#", 1);
  const mark = path.indexOf("?");
  if (mark < 0) return path;
  return (
    path.slice(0, mark + 1) +
    path
      .slice(mark + 1)
      .split("&")
      .map(masked)
      .join("&")
  );
}

/** One pair of a query. A value may hold another address with a query of its own, so it is searched too. */
function masked(pair: string): string {
  if (!SECRET.test(unescaped(pair))) return pair;
  const name = pair.slice(0, Math.max(0, pair.indexOf("=")));
  return name === "" || unescaped(name).includes("=") ? "…" : `${name}=…`;
}

const MAX_ESCAPINGS = 3;

/** Percent-decoded, for looking only: broken escapes are passed over, and escaped escapes are seen through. */
function unescaped(text: string): string {
  let decoded = text;
  for (let pass = 0; pass < MAX_ESCAPINGS && decoded.includes("%"); pass += 1) {
    decoded = decoded.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
  return decoded;
}
