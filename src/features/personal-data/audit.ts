import { type AuditEntry, nothing } from "#kit";

/** The audited actions (rules 16.4 to 16.7). */
export const audit = {
  PERSONAL_DATA_EXPORTED: { target: "user", metadata: nothing },
} as const satisfies Record<string, AuditEntry>;
