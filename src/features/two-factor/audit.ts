import type { AuditEntry } from "#kit";
import { via } from "#kit/inside";

/** The audited actions (rules 16.4 to 16.7). */
export const audit = {
  TWO_FACTOR_ENABLED: { target: "user", metadata: via },
  TWO_FACTOR_DISABLED: { target: "user", metadata: via },
  TWO_FACTOR_RECOVERY_CODE_USED: { target: "user", metadata: via },
  TWO_FACTOR_RECOVERY_CODES_REGENERATED: { target: "user", metadata: via },
} as const satisfies Record<string, AuditEntry>;
