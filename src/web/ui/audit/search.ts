import type { TargetType } from "./names.ts";

/** The filters of an audit log, as search parameters. Days are in the browser's time zone. */
export type AuditFilters = {
  readonly action?: string;
  readonly actorId?: string;
  readonly targetType?: TargetType;
  readonly targetId?: string;
  readonly grantId?: string;
  readonly organization?: string;
  readonly from?: string;
  readonly to?: string;
};
export type FilterChange = { readonly [Name in keyof AuditFilters]: AuditFilters[Name] | undefined };

const FORMS: Record<keyof AuditFilters, RegExp> = {
  action: /^[A-Z0-9_]{1,100}$/,
  actorId: /^[0-9a-f-]{36}$/,
  targetType: /^[a-z_]{1,50}$/,
  targetId: /^[0-9a-f-]{36}$/,
  grantId: /^[0-9a-f-]{36}$/,
  organization: /^[0-9a-f-]{36}$/,
  from: /^\d{4}-\d{2}-\d{2}$/,
  to: /^\d{4}-\d{2}-\d{2}$/,
};

/** Returns the filters in the search parameters. Drops invalid values. */
export function auditFilters(raw: Readonly<Record<string, unknown>>): AuditFilters {
  const found = Object.entries(FORMS).filter(([name, form]) => {
    const value = raw[name];
    if (typeof value !== "string" || !form.test(value)) return false;
    // A text such as 2026-02-40 has the form of a day, but is none.
    return (name !== "from" && name !== "to") || !Number.isNaN(new Date(value).getTime());
  });
  return Object.fromEntries(found.map(([name]) => [name, raw[name]]));
}

const momentOf = (day: string, time: string) => new Date(`${day}T${time}`).toISOString();

/** Returns the filters as the API has them: with moments instead of days, and the organization as a list. */
export function queryOf({ from, to, organization, action, ...rest }: AuditFilters) {
  const [first, last] = [from && momentOf(from, "00:00"), to && momentOf(to, "23:59:59.999")];
  return {
    ...rest,
    // The address may have an action that the API does not know; then it finds no events.
    ...(action && { action: action as never }),
    ...(first && { from: first }),
    ...(last && { to: last }),
    ...(organization && { organization: [organization] }),
  };
}
