import { type ListSearch, listSearch } from "../lib/list.ts";

/** Filters of the audit log in the address. */
export type AuditSearch = ListSearch & {
  readonly action?: string;
  readonly from?: string;
  readonly to?: string;
};

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** `validateSearch` of the page of the audit log; days are those of the browser. */
export function auditSearch(raw: Record<string, unknown>): AuditSearch {
  const day = (value: unknown) => (typeof value === "string" && DAY.test(value) ? value : undefined);
  const [from, to] = [day(raw.from), day(raw.to)];
  const action =
    typeof raw.action === "string" && /^[A-Z_]{1,100}$/.test(raw.action) ? raw.action : undefined;
  return { ...listSearch(raw), ...(action && { action }), ...(from && { from }), ...(to && { to }) };
}
