const LOOPBACK = /^(?:127\.0\.0\.1|\[::1\]|localhost)$/;

/**
 * Returns an address of an app as the browser reads it, if the browser may go there: `https:`, or `http:` on this computer,
 * without credentials. Null for all others, whatever the API says, because `javascript:` would run in this page.
 */
export function safeAddress(redirectTo: string): URL | null {
  if (!URL.canParse(redirectTo)) return null;
  const url = new URL(redirectTo);
  if (url.username !== "" || url.password !== "") return null;
  if (url.protocol === "https:") return url;
  return url.protocol === "http:" && LOOPBACK.test(url.hostname) ? url : null;
}
