import { tabStorage } from "../lib/environment.ts";

/**
 * Reads the search parameter `next` of the sign-in page: the path in the console to open afterwards. Drops URLs of
 * other origins (open redirect).
 */
export function nextOf(raw: Record<string, unknown>): { next?: string } {
  const { next } = raw;
  if (typeof next !== "string" || !next.startsWith("/")) return {};
  // Browsers treat `//host`, `/\host` and control characters as another origin. So the origin of the parsed URL is
  // compared.
  if (/^\/[/\\]/.test(next) || !URL.canParse(next, location.origin)) return {};
  return new URL(next, location.origin).origin === location.origin ? { next } : {};
}

/**
 * Reads the search parameter `token` of pages that mails link to. The router parses a token of digits only as a
 * number.
 */
export function tokenOf({ token }: Record<string, unknown>): { token: string } {
  return { token: typeof token === "string" || typeof token === "number" ? String(token) : "" };
}

const KEY = "next";

/** Stores the path to open after third-party sign-in, in this tab. */
export const keepNext = (next = "/"): void => tabStorage.save(KEY, next);

/** Returns and removes the path to open after third-party sign-in; the home page if none is stored. */
export function takeNext(): string {
  const { next = "/" } = nextOf({ next: tabStorage.read(KEY) });
  tabStorage.remove(KEY);
  return next;
}
