import { z } from "@hono/zod-openapi";
import { defineError, validationFailed } from "../../platform/errors.ts";
import type { Call } from "../context.ts";
import { textExample } from "../definitions/fields.ts";
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

declare module "../context.ts" {
  interface App {
    /** Knows passwords from data breaches; null if none is configured. */
    readonly breachedPasswords: BreachedPasswords | null;
    /** The bot check; null if it is off. */
    readonly botCheck: BotCheck | null;
  }
}

/** A service that knows passwords from data breaches. */
export interface BreachedPasswords {
  /** Whether a password is listed. @throws if the service fails or its answer is none */
  isListed(password: string): Promise<boolean>;
}

/**
 * Rejects a new password from a data breach (rules 32.7). Call it for a password that is otherwise acceptable, before it is
 * hashed and outside of transactions.
 * @throws validationFailed
 */
export async function assertNotBreached(call: Call, path: string, password: string): Promise<void> {
  const { breachedPasswords, meter } = call.app;
  if (breachedPasswords === null) return;
  const isListed = await orAllowed(call, "breached-passwords", () => breachedPasswords.isListed(password));
  const outcome = isListed === null ? "failed" : isListed ? "listed" : "clear";
  meter.count("breached_password_checks_total", { outcome });
  if (isListed)
    throw validationFailed([{ path, message: `${path} must not be a password from a data breach` }]);
}

/** What a client needs to ask the person. */
type BotCheckDetails = { kind: "turnstile"; siteKey: string };

/** A provider that tells people from programs. */
export interface BotCheck {
  readonly details: BotCheckDetails;
  /** Whether the provider accepts a token, which it does once. @throws if the provider fails or its answer is none */
  isAccepted(token: string): Promise<boolean>;
}

/** What a client needs to show the bot check, in responses. */
export const BotCheckSettings = z.object({
  kind: z.enum(["turnstile"]).openapi({ example: "turnstile" }).describe("The kind of bot check."),
  siteKey: textExample("0x4AAAAAAADnPIDROrmt1Wwj").describe(
    "The site key, with which a page shows the bot check.",
  ),
});

/** The schema of the token of a bot check in a body. */
export const botToken = z
  .string()
  .max(2048)
  .optional()
  .openapi({ example: "0.zrSnRHO7h0HwSjSCU8oyzbjEtD8p" })
  .describe("The token of the bot check, if one is required (`GET /api/auth/settings`); otherwise ignored.");

/** The error for a request without the token of a bot check, or with one that its provider refuses. */
export const botCheckRequired = defineError(
  403,
  "BOT_CHECK_REQUIRED",
  "Complete the bot check, then repeat the request",
  (details: BotCheckDetails) => ({ details }),
  z.object({ details: BotCheckSettings.describe("How to show the bot check.") }),
);

/**
 * Requires the token of a bot check, if one is configured (rules 32.8). Call it before anything is looked up.
 * @throws botCheckRequired
 */
export async function assertHuman(call: Call, token: string | undefined): Promise<void> {
  const { botCheck, meter } = call.app;
  if (botCheck === null) return;
  const isAccepted = token ? await orAllowed(call, "bot-check", () => botCheck.isAccepted(token)) : false;
  const outcome = isAccepted === null ? "failed" : isAccepted ? "passed" : token ? "refused" : "missing";
  meter.count("bot_checks_total", { outcome });
  if (isAccepted === false) throw botCheckRequired(botCheck.details);
}
