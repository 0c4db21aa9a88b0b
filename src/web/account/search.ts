/** The search of the sign-in page: where to go on, a path of this console. Anything else is dropped. */
export function nextOf(raw: Record<string, unknown>): { next?: string } {
  const { next } = raw;
  if (typeof next !== "string" || !next.startsWith("/")) return {};
  // As a browser reads it: `//host`, `/\host` and what control characters hide lead elsewhere.
  if (/^\/[/\\]/.test(next) || !URL.canParse(next, location.origin)) return {};
  return new URL(next, location.origin).origin === location.origin ? { next } : {};
}

/** The search of the pages that mails link to. A token of digits alone would have been read as a number. */
export function tokenOf({ token }: Record<string, unknown>): { token: string } {
  return { token: typeof token === "string" || typeof token === "number" ? String(token) : "" };
}

const KEY = "next";

/** Remembers where to go on, in this tab, while the browser is at another service. */
export function keepNext(next = "/"): void {
  try {
    sessionStorage.setItem(KEY, next);
  } catch {
    // The home page, then.
  }
}

/** Where to go on after another service, once; the home page if nothing was kept. */
export function takeNext(): string {
  try {
    const { next = "/" } = nextOf({ next: sessionStorage.getItem(KEY) });
    sessionStorage.removeItem(KEY);
    return next;
  } catch {
    return "/";
  }
}
