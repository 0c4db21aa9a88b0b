import { z } from "@hono/zod-openapi";
import { type AuditEntry, nothing, textExample, uuid } from "#kit";
import { endedApps } from "#kit/inside";

const email = textExample("ada@example.com");
const methods = z.object({
  amr: z
    .array(textExample("pwd"))
    .describe("The authentication methods of the proof, as `amr` values of RFC 8176."),
});
const revoked = z.object({
  userId: uuid
    .optional()
    .openapi({ description: "The owner of the session, if a platform administrator ended it." }),
  endedApps,
});
/** The reason of a failed sign-in. */
const failure = z.enum([
  "unknown_email",
  "wrong_password",
  "email_not_verified",
  "wrong_two_factor_code",
  "limited",
  "account_exists",
  "email_unavailable",
  "unknown_passkey",
  "wrong_passkey",
]);

/** The audited actions (rules 16.4 to 16.7). */
export const audit = {
  LOGIN_SUCCEEDED: {
    target: "user",
    metadata: methods.partial().extend({
      connectionId: uuid
        .optional()
        .describe("The connection of an organization by which the user signed in."),
    }),
  },
  LOGIN_FAILED: {
    target: "user",
    metadata: z.object({
      email: email
        .nullable()
        .describe("The email that was entered at sign-in; null for third-party sign-in without an email."),
      reason: failure.describe("The reason why the sign-in failed."),
    }),
    isUntargeted: true,
  },
  REFRESH_TOKEN_REUSED: {
    target: "user",
    metadata: z.object({
      sessionId: uuid.describe("The session whose refresh token was sent again."),
      endedApps,
    }),
  },
  // Without a target: all sessions were to end, there was none, and connected apps ended.
  SESSION_REVOKED: { target: "session", metadata: revoked, isUntargeted: true },
  ORGANIZATION_SWITCHED: { target: "organization", metadata: nothing },
} as const satisfies Record<string, AuditEntry>;
