/** The callers that send requests. Each has an account in every fixture, except `anonymous`. */
export const CALLERS = [
  ...(["anonymous", "stranger", "member", "unitAdmin", "orgAdmin"] as const),
  ...(["auditor", "support", "platformAdmin", "withoutOrganization", "suspended"] as const),
  ...(["inBoth", "reader", "removed", "deleted", "secondFactor"] as const),
  ...(["invited", "manager", "machine", "unitMachine"] as const),
  ...(["joiner", "setter", "confined", "bound", "app", "unitApp"] as const),
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
  ...{ confined: ["own", "other"], bound: ["own", "other"] },
};
/** The organizations whose data a caller may see. */
export const VISIBLE_ORGANIZATIONS = Object.fromEntries(
  CALLERS.map((name) => [name, OTHERS[name] ?? ["own"]]),
) as Record<CallerName, readonly OrganizationName[]>;

/** The caller that sends the token of a setup link of the organization `own`, and has no account. */
export const SETTER = "setter" satisfies CallerName;

/** The callers that send an API key. Each is a service account of the organization `own`. */
export const MACHINES = ["machine", "unitMachine"] as const;
export const isMachine = (name: CallerName): boolean => MACHINES.some((machine) => machine === name);

/**
 * The callers that send the access token of an app. The founder of the organization `own` allowed one app everything, and another one unit.
 */
export const APPS = ["app", "unitApp"] as const;
export const isApp = (name: CallerName): boolean => APPS.some((app) => app === name);

/** Whether a caller has an account, with which it signs in. */
export const hasAccount = (name: CallerName): boolean =>
  name !== "anonymous" && name !== SETTER && !isMachine(name) && !isApp(name);
