import { withoutControl } from "../text.ts";

/** Returns the headers of every response (rules 1.9). */
export function securityHeaders(production: boolean): Record<string, string> {
  return {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cross-origin-resource-policy": "same-site",
    "cache-control": "no-store",
    ...(production ? { "strict-transport-security": "max-age=31536000; includeSubDomains" } : {}),
  };
}

/** Matches a request id that is harmless in logs and headers. */
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Returns the client's request id if it is harmless; otherwise a new one. */
export function requestIdFrom(headers: Headers): string {
  const sent = headers.get("x-request-id");
  return sent !== null && REQUEST_ID.test(sent) ? sent : crypto.randomUUID();
}

/**
 * Matches `traceparent`: version, trace id, parent id, flags. Later versions may add more after a hyphen (W3C Trace
 * Context).
 */
const TRACE_PARENT =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:$|(?<!^00.*)-)/;

/** Returns the trace that a request belongs to, if `traceparent` is valid. */
export function traceIdFrom(headers: Headers): string | undefined {
  const sent = headers.get("traceparent");
  return sent === null ? undefined : TRACE_PARENT.exec(sent)?.[1];
}

const MAX_OF_A_USER_AGENT = 500;
/** Nearly all user agents are plain ASCII, so there is nothing to decode or remove. */
const PLAIN_USER_AGENT = /^[\x20-\x7e]{1,500}$/;
const UTF8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Returns the user agent as shown in the list of sessions: without control characters. The runtime reads headers as
 * Latin-1, so bytes that are UTF-8 are decoded again.
 */
export function userAgentFrom(headers: Headers): string | null {
  const sent = headers.get("user-agent");
  if (sent === null || PLAIN_USER_AGENT.test(sent)) return sent;
  return [...withoutControl(decoded(sent))].slice(0, MAX_OF_A_USER_AGENT).join("") || null;
}

function decoded(latin1: string): string {
  try {
    return UTF8.decode(Buffer.from(latin1, "latin1"));
  } catch {
    return latin1;
  }
}

/** Returns the value of one cookie, or null if it is missing. */
export function cookieFrom(headers: Headers, name: string): string | null {
  const cookies = headers.get("cookie");
  if (cookies === null) return null;
  for (const pair of cookies.split(";")) {
    const equals = pair.indexOf("=");
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return null;
}
