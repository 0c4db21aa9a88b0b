import { z } from "@hono/zod-openapi";
import { type AuditEntry, textExample, uuid } from "#kit";
import { roleGrants } from "#kit/inside";

const connectionId = uuid.describe("The connection.");

/** The audited actions of signing in by a connection (rules 16.4 to 16.7). */
export const signInAudit = {
  USER_PROVISIONED: {
    target: "user",
    metadata: roleGrants.extend({
      via: z.literal("sso").describe("The person became a member by signing in through a connection."),
      connectionId,
    }),
    places: ["assignments"],
  },
  SSO_SIGN_IN_FAILED: {
    target: "connection",
    metadata: z.object({
      connectionId,
      email: textExample("ada@example.com")
        .nullable()
        .describe("The address that the provider sent; null if there is none."),
      reason: z
        .enum([
          "organization_suspended",
          "domain_mismatch",
          "account_not_allowed",
          "email_not_verified",
          "email_unavailable",
          "identity_in_use",
          "not_a_member",
          "plan_limit_reached",
          "provider_error",
          "client_refused",
          "no_auth_time",
          "limited",
        ])
        .describe("Why; `limited`: further failures of this hour are not recorded."),
    }),
  },
} as const satisfies Record<string, AuditEntry>;
