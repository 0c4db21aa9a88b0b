import { partOf } from "./claims.ts";
import { isLost } from "./http.ts";
import { type CheckedCaller, callerOf, type Refused, refused } from "./product-caller.ts";

/** Who is asked for: the owner of a token, or a person or a service account of an organization. */
export type CheckSubject =
  | {
      /** What the product received as bearer: an access token or an API key. */
      readonly token: string | null | undefined;
      /** The address that the product saw; API keys may be limited to addresses. */
      readonly ip?: string | undefined;
      /** The organization that a platform administrator acts in. */
      readonly organizationId?: string | undefined;
    }
  | { readonly organizationId: string; readonly userId: string }
  | { readonly organizationId: string; readonly serviceAccountId: string };

export type CheckOptions = {
  /** Asks the service again, although an answer was kept. Use it before what cannot be undone. */
  readonly fresh?: boolean;
};

/** The answer of the service. */
export type Check =
  | Refused
  | (Omit<CheckedCaller, "can" | "reach"> &
      Parameters<typeof callerOf>[1] & { readonly cacheSeconds: number });

type Kept = { answer: Promise<Check>; askedAt: number; keptMs: number; size: number };

/** The maximum total size of kept answers, with their tokens, in characters. */
const KEPT_CHARACTERS = 5_000_000;
/** The service refuses longer tokens. */
const MAX_TOKEN_CHARACTERS = 8_192;
export const CHECK_TIMEOUT_MS = 10_000;

/**
 * Creates the function that asks the service who a caller is. Answers for tokens are kept for as long as the service
 * says, at most until the token expires, and callers that ask meanwhile share one call.
 * @param send sends the request
 */
export function createChecks(send: (subject: CheckSubject) => Promise<Check>, now: () => number) {
  const kept = new Map<string, Kept>();
  let total = 0;

  function forget(key: string): void {
    total -= kept.get(key)?.size ?? 0;
    kept.delete(key);
  }
  const isGood = ({ askedAt, keptMs }: Kept) => Math.abs(now() - askedAt) < keptMs;

  /** Asks the service, and keeps the call, and afterwards its answer. */
  function ask(key: string, token: string, subject: CheckSubject): Promise<Check> {
    forget(key);
    const askedAt = now();
    async function call(): Promise<Check> {
      let keptMs = 0;
      let size = 0;
      try {
        const check = await send(subject);
        if (check.active) {
          keptMs = Math.min(check.cacheSeconds * 1000, expiryOf(token) - askedAt);
          size = JSON.stringify(check).length;
        }
        return check;
      } finally {
        answered(key, entry, keptMs, size);
      }
    }
    const entry: Kept = { answer: call(), askedAt, keptMs: CHECK_TIMEOUT_MS, size: key.length };
    kept.set(key, entry);
    total += entry.size;
    return entry.answer;
  }

  /** Keeps an answer for `keptMs`, and forgets the oldest ones if they are too many. */
  function answered(key: string, entry: Kept, keptMs: number, size: number): void {
    if (kept.get(key) !== entry) return;
    entry.keptMs = keptMs;
    entry.size += size;
    total += size;
    // Entries are sorted by the time of their calls, so the first ones end first.
    for (const [first, oldest] of kept) {
      if (isGood(oldest) && total <= KEPT_CHARACTERS) break;
      forget(first);
    }
  }

  /** Returns the answer that is kept or on its way, or asks for one. */
  async function answerFor(
    key: string,
    token: string,
    subject: CheckSubject,
    fresh: boolean,
  ): Promise<Check> {
    const entry = kept.get(key);
    if (fresh || !entry || !isGood(entry)) return ask(key, token, subject);
    try {
      return await entry.answer;
    } catch (error) {
      if (!isLost(error)) throw error;
      if (kept.get(key) === entry) forget(key);
      return answerFor(key, token, subject, fresh);
    }
  }

  return async (
    subject: CheckSubject,
    { fresh = false }: CheckOptions = {},
  ): Promise<CheckedCaller | Refused> => {
    let check: Check;
    if ("token" in subject) {
      const { token, ip, organizationId } = subject;
      if (!token || token.length > MAX_TOKEN_CHARACTERS) return refused("INVALID");
      const key = JSON.stringify([token, ip, organizationId]);
      check = await answerFor(key, token, subject, fresh);
    } else check = await send(subject);
    if (!check.active) return refused(check.reason);
    const { actor, organization, authenticatedAt } = check;
    return callerOf({ actor, organization, authenticatedAt }, check);
  };
}

/** Returns when an access token expires, in milliseconds; an API key says nothing about that. */
function expiryOf(token: string): number {
  try {
    return (partOf(token, 1) as { readonly exp: number }).exp * 1000;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
