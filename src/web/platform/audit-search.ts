import { type ListSearch, listSearch } from "../lib/list.ts";

/** The filters of the audit log, as search parameters. */
export type AuditSearch = ListSearch & {
  readonly action?: string;
  readonly from?: string;
  readonly to?: string;
};

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Validates the search parameters of the audit log (`validateSearch`). Days are in the browser's time zone. */
export function auditSearch(raw: Record<string, unknown>): AuditSearch {
  const day = (value: unknown) => (typeof value === "string" && DAY.test(value) ? value : undefined);
  const [from, to] = [day(raw.from), day(raw.to)];
  const action =
    typeof raw.action === "string" && /^[A-Z_]{1,100}$/.test(raw.action) ? raw.action : undefined;
  return { ...listSearch(raw), ...(action && { action }), ...(from && { from }), ...(to && { to }) };
}
