import { type AuditEntry, named, nothing } from "#kit";
import { endedApps, onlyEndedApps } from "#kit/inside";

/** The audited actions (rules 16.4 to 16.7). */
export const audit = {
  PLATFORM_ADMIN_GRANTED: { target: "user", metadata: onlyEndedApps },
  PLATFORM_ADMIN_REVOKED: { target: "user", metadata: nothing },
  USER_DELETED: { target: "user", metadata: named.extend({ endedApps }) },
} as const satisfies Record<string, AuditEntry>;
