import { z } from "@hono/zod-openapi";
import { textExample, timestamp, uuid } from "#kit";
import { REASONS, SCOPES } from "./schemas.ts";

const ofOrganization = z.object({ organizationId: uuid.describe("The organization of the policy.") });

/** Types of notifications with their data, which must not contain a secret (rules 17.1, 17.4). */
export const notifications = {
  SIGN_ON_ANNOUNCED: ofOrganization.extend({
    scope: z.enum(SCOPES).describe("Who will act only by single sign-on."),
    requireTwoFactor: z.boolean().describe("Whether a second factor will be required."),
    enforceFrom: timestamp.describe("From when on."),
    reasons: z.array(z.enum(REASONS)).describe("What the person lacks."),
    connectionId: uuid.nullable().describe("The connection to sign in by; null if there is none."),
  }),
  BREAK_GLASS_USED: ofOrganization.extend({
    userId: uuid.describe("The member who acts without single sign-on."),
    email: textExample("ada@example.com").describe("The email of the member."),
  }),
  BREAK_GLASS_UNUSABLE: ofOrganization,
} as const satisfies Record<string, z.ZodObject>;
