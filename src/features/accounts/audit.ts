import { type AuditEntry, nothing, provider } from "#kit";

/** The audited actions (rules 16.4 to 16.7). */
export const audit = {
  USER_REGISTERED: { target: "user", metadata: provider.partial() },
  EMAIL_VERIFIED: { target: "user", metadata: nothing },
  PASSWORD_RESET: { target: "user", metadata: nothing },
} as const satisfies Record<string, AuditEntry>;
