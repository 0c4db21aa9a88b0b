import { type AuditEntry, provider } from "#kit";

/** The audited actions (rules 16.4 to 16.7). */
export const audit = {
  SIGN_IN_METHOD_ADDED: { target: "user", metadata: provider },
  SIGN_IN_METHOD_REMOVED: { target: "user", metadata: provider },
} as const satisfies Record<string, AuditEntry>;
