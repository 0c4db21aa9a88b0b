import type { Call } from "../context.ts";
import { memoizePerApp } from "../memoize-per-app.ts";

const MINUTE_MS = 60_000;

/** The error for an answer of an outside service that it should not give. Its message has no data of the request. */
export class UnexpectedAnswer extends Error {}

const loggedAt = memoizePerApp(() => new Map<string, number>());

/**
 * Asks an outside service about a request. Returns null if the service fails, which allows what is checked: a service that
 * is down must keep nobody out. Failures are logged once a minute, without data of the request. Call outside of transactions.
 */
export async function orAllowed<T>(
  { app, db, log, requestId }: Call,
  check: "breached-passwords" | "bot-check",
  ask: () => Promise<T>,
): Promise<T | null> {
  try {
    return await db.excludeFromDeadline(ask);
  } catch (error) {
    const times = loggedAt(app);
    const now = performance.now();
    if (now - (times.get(check) ?? Number.NEGATIVE_INFINITY) >= MINUTE_MS) {
      times.set(check, now);
      log.warn("an outside check failed and allowed the request", {
        check,
        reason: reasonOf(error),
        requestId,
      });
    }
    return null;
  }
}

/** Returns a short reason. Messages of other errors may contain the URL, which has a part of a password's digest. */
function reasonOf(error: unknown): string {
  const { code, name, message } = error as { code?: unknown; name?: string; message?: string };
  if (error instanceof UnexpectedAnswer && message !== undefined) return message;
  return typeof code === "string" ? code : (name ?? "Error");
}
