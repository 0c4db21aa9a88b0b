import type { Session } from "../../client/index.ts";
import { browserStorage, tabStorage } from "../lib/environment.ts";
import { addressOfProduct } from "../lib/product.ts";

/**
 * Reads the search parameter `next` of the sign-in page: the path in the console to open afterwards, or an address of the
 * product. Drops all other URLs (open redirect).
 */
export function nextOf(raw: Record<string, unknown>): { next?: string } {
  const { next } = raw;
  if (typeof next !== "string") return {};
  const address = addressOfProduct(next);
  if (address !== null) return { next: address };
  if (!next.startsWith("/")) return {};
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

/** Returns where a session goes after sign-in. The product does not see it before it has the second factor that it must have. */
export const destinationOf = (session: Session, next: string): string =>
  session.status === "signed-in" && session.mustEnableTwoFactor && !next.startsWith("/")
    ? `/two-factor?${new URLSearchParams({ next })}`
    : next;

const NEXT = "next";

/** Stores the page to open after third-party sign-in, in this tab. */
export const keepNext = (next = "/"): void => tabStorage.save(NEXT, next);

/** Returns and removes the page to open after third-party sign-in; the home page if none is stored. */
export function takeNext(): string {
  const { next = "/" } = nextOf({ next: tabStorage.read(NEXT) });
  tabStorage.remove(NEXT);
  return next;
}

const ADDRESS = "address";

/** Keeps the address to which a link was mailed, for the sign-in page after the link. The link opens another tab. */
export const keepAddress = (email: string): void => browserStorage.save(ADDRESS, email);

/** Returns the kept address, once; empty if there is none. */
export function takeAddress(): string {
  const email = browserStorage.read(ADDRESS) ?? "";
  if (email !== "") browserStorage.save(ADDRESS, "");
  return email;
}
