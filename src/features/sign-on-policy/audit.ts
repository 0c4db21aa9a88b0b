import { z } from "@hono/zod-openapi";
import { type AuditEntry, changeOf, timestamp, uuid } from "#kit";
import { SCOPES } from "./schemas.ts";

const asked = {
  scope: z.enum(SCOPES).describe("Who acts only by single sign-on."),
  requireTwoFactor: z.boolean().describe("Whether a second factor is required."),
};

/** The audited actions (rules 16.4 to 16.7). */
export const audit = {
  SIGN_ON_POLICY_CHANGED: {
    target: "organization",
    metadata: changeOf(
      z.object({
        ...asked,
        announced: z
          .object({ ...asked, enforceFrom: timestamp.describe("From when on this is the policy.") })
          .nullable()
          .describe("What is announced for later."),
        maxSessionHours: z.int().nullable().describe("For how many hours a proof counts."),
        reauthenticationMinutes: z.int().nullable().describe("How old a proof may be for some writes."),
        breakGlassUserIds: z.array(uuid).describe("The members who act by their own proofs."),
      }),
    ),
  },
  BREAK_GLASS_USED: {
    target: "user",
    metadata: z.object({ sessionId: uuid.describe("The id of the session.") }),
  },
} as const satisfies Record<string, AuditEntry>;
