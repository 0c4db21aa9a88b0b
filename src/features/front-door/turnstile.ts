import { z } from "zod";
import { type BotCheck, UnexpectedAnswer } from "../../core/accounts/outside-checks.ts";
import type { Fetch } from "../../platform/tracing/tracing.ts";

const TIMEOUT_MS = 1_500;
const SERVER_ERROR = 500;
/** The address at which Turnstile verifies tokens. */
const VERIFY_URL = "https://challenges.cloudflare.com/turnstile/v0/siteverify";
/** Refusals that are no fault of the person: the provider is broken, or the secret is wrong. */
const FAULTS = new Set(["internal-error", "missing-input-secret", "invalid-input-secret"]);

const Answer = z.object({ success: z.boolean(), "error-codes": z.array(z.string()).default([]) });

type Options = { siteKey: string; secret: string; url: string | null };

/** Returns the origin from which pages load the bot check. */
export const botCheckOrigin = ({ url }: Pick<Options, "url">): string => new URL(url ?? VERIFY_URL).origin;

/** Creates a client of Turnstile, or of a stand-in at `url`. */
export function turnstile({ siteKey, secret, url }: Options, send: Fetch): BotCheck {
  return {
    details: { kind: "turnstile", siteKey },
    async isAccepted(token) {
      const response = await send(url ?? VERIFY_URL, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ secret, response: token }).toString(),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (response.status >= SERVER_ERROR) throw new UnexpectedAnswer(`status ${response.status}`);
      const { data } = Answer.safeParse(await response.json().catch(() => null));
      if (data === undefined) throw new UnexpectedAnswer("no answer of a bot check");
      const fault = data["error-codes"].find((code) => FAULTS.has(code));
      if (!data.success && fault !== undefined) throw new UnexpectedAnswer(fault);
      return data.success;
    },
  };
}
