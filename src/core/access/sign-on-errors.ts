import { z } from "@hono/zod-openapi";
import { defineError } from "../../platform/errors.ts";

/** What a session lacks to act in an organization (rules 38), as the database says it. */
export const BLOCK_CODES = ["SSO_REQUIRED", "TWO_FACTOR_REQUIRED", "REAUTHENTICATION_REQUIRED"] as const;
export type BlockCode = (typeof BLOCK_CODES)[number];

/** The error for a person who acts in an organization only by its own sign-in. */
export const ssoRequired = defineError(
  403,
  "SSO_REQUIRED",
  "Sign in through the organization",
  (details: { connectionId: string | null; url: string | null }) => ({ details }),
  z.object({
    details: z
      .object({
        connectionId: z.uuid().nullable().describe("The connection to sign in by; null if there is none."),
        url: z
          .string()
          .nullable()
          .openapi({ example: "https://api.example.com/api/auth/sso/0190c7a0-5b1f-7d3e-9c52-1f6a2b7c8d9e" })
          .describe("Where the sign-in begins; open it in the browser."),
      })
      .describe("How to sign in."),
  }),
);

/** The error for a domain whose record was not found, with what was found instead. */
export const domainNotVerified = defineError(
  409,
  "DOMAIN_NOT_VERIFIED",
  "The domain is not verified",
  (details?: { reason: "absent" | "unanswered"; found: string[] }) =>
    details === undefined ? {} : { details },
  z.object({
    details: z
      .object({
        reason: z
          .enum(["absent", "unanswered"])
          .describe("`absent`: DNS has no such record. `unanswered`: no answer; try again later."),
        found: z
          .array(z.string().openapi({ example: "mos-verify=old" }))
          .describe("The values that were found instead, at most 5, cut after 100 characters."),
      })
      .optional()
      .describe("Present after a check of the domain."),
  }),
);

/** The error for a domain that another organization has proven. */
export const domainTaken = defineError(409, "DOMAIN_TAKEN", "Another organization has verified this domain");

export const connectionNotTested = defineError(
  409,
  "CONNECTION_NOT_TESTED",
  "Test the connection first, within 24 hours",
);

export const breakGlassRequired = defineError(
  409,
  "BREAK_GLASS_REQUIRED",
  "A break-glass member must remain who can act without single sign-on",
);
