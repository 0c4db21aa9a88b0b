import { configSection, integer } from "#kit";

type AuditConfig = {
  /** The number of months after which audit events are dropped; null to keep them. */
  auditRetentionMonths: number | null;
};

declare module "../../core/config.ts" {
  interface Config extends AuditConfig {}
}

const MAX_MONTHS = 1_200;

/** The configuration of the audit log. */
export const auditConfig = configSection({
  variables: { RETENTION_AUDIT_MONTHS: integer(1, MAX_MONTHS).optional() },
  read: (env): AuditConfig => ({ auditRetentionMonths: env.RETENTION_AUDIT_MONTHS ?? null }),
});
