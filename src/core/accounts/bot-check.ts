import { z } from "@hono/zod-openapi";
import { ApiError } from "../../platform/errors.ts";
import type { Call } from "../context.ts";
import { textExample } from "../definitions/fields.ts";
import { orAllowed } from "./outside-checks.ts";

declare module "../context.ts" {
  interface App {
    /** The bot check; null if it is off. */
    readonly botCheck: BotCheck | null;
  }
}

/** What a client needs to ask the person. */
export type BotCheckDetails = { kind: "turnstile"; siteKey: string };

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
export const botCheckRequired = Object.assign(
  (details: BotCheckDetails) =>
    new ApiError(403, "BOT_CHECK_REQUIRED", "Complete the bot check, then repeat the request", { details }),
  {
    status: 403 as const,
    code: "BOT_CHECK_REQUIRED" as const,
    body: z.object({ details: BotCheckSettings.describe("How to show the bot check.") }),
  },
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
