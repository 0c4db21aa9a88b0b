import { targetOf } from "./target.ts";

/** Matches an API key (core/access/token-forms.ts), also with an encoded underscore. */
const API_KEY = /[a-z][a-z0-9]{1,9}(?:_|%5f)[0-9a-z]{46}/gi;
const SECRET = new RegExp(`token|code|state|secret|password|api[_-]?key|${API_KEY.source}`, "i");

/** The page to which apps send a person; what an app asks for is not logged (rules 25.9). */
const AUTHORIZE = /\/authorize\/?$/;

/**
 * Returns the path and query of a URL for logs. Secrets in the query are masked, however they are encoded, and API keys
 * in the path. The query of an authorization request is masked as a whole.
 */
export function loggableUrl(url: string): string {
  const path = (targetOf(url).split("#", 1)[0] ?? "").replace(API_KEY, "…");
  const mark = path.indexOf("?");
  if (mark < 0) return path;
  if (AUTHORIZE.test(path.slice(0, mark))) return `${path.slice(0, mark + 1)}…`;
  return (
    path.slice(0, mark + 1) +
    path
      .slice(mark + 1)
      .split("&")
      .map(masked)
      .join("&")
  );
}

/**
 * Masks secrets in one name-value pair of a query string. A value may contain another URL with its own query, so it
 * is searched too.
 */
function masked(pair: string): string {
  if (!SECRET.test(unescaped(pair))) return pair;
  const name = pair.slice(0, Math.max(0, pair.indexOf("=")));
  return name === "" || unescaped(name).includes("=") ? "…" : `${name}=…`;
}

const MAX_ESCAPINGS = 3;

/** Percent-decodes a text, for inspection only. Invalid escapes are ignored, and nested escapes are decoded. */
function unescaped(text: string): string {
  let decoded = text;
  for (let pass = 0; pass < MAX_ESCAPINGS && decoded.includes("%"); pass += 1) {
    decoded = decoded.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
  return decoded;
}
