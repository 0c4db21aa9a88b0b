/** The search of the sign-in page: where to go on, a path of this console. Anything else is dropped. */
export function nextOf(raw: Record<string, unknown>): { next?: string } {
  const { next } = raw;
  if (typeof next !== "string" || !next.startsWith("/")) return {};
  // As a browser reads it: `//host`, `/\host` and what control characters hide lead elsewhere.
  return new URL(next, location.origin).origin === location.origin && !/^\/[/\\]/.test(next) ? { next } : {};
}
