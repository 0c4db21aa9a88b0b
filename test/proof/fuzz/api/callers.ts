/** The callers that send requests. Each has an account in every fixture, except `anonymous`. */
export const CALLERS = [
  ...(["anonymous", "stranger", "member", "unitAdmin", "orgAdmin"] as const),
  ...(["auditor", "support", "platformAdmin", "withoutOrganization", "suspended"] as const),
  ...(["inBoth", "reader", "removed", "deleted", "secondFactor"] as const),
  ...(["invited", "manager", "machine", "unitMachine"] as const),
] as const;
export type CallerName = (typeof CALLERS)[number];

/**
 * The organizations of the fixture: that of most callers, that of the stranger, a suspended one, and one whose only
 * caller may only read.
 */
export const ORGANIZATIONS = ["own", "other", "suspended", "closed"] as const;
export type OrganizationName = (typeof ORGANIZATIONS)[number];

const OTHERS: Partial<Record<CallerName, readonly OrganizationName[]>> = {
  ...{ anonymous: [], withoutOrganization: [], deleted: [], platformAdmin: ORGANIZATIONS },
  ...{ stranger: ["other"], suspended: ["suspended"], inBoth: ["own", "other"], reader: ["closed"] },
};
/** The organizations whose data a caller may see. */
export const VISIBLE_ORGANIZATIONS = Object.fromEntries(
  CALLERS.map((name) => [name, OTHERS[name] ?? ["own"]]),
) as Record<CallerName, readonly OrganizationName[]>;

/** The callers that send an API key. Each is a service account of the organization `own`. */
export const MACHINES = ["machine", "unitMachine"] as const;
export const isMachine = (name: CallerName): boolean => MACHINES.some((machine) => machine === name);
