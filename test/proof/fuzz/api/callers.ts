/** The callers that send requests. Each has an account in every fixture, except `anonymous`. */
export const CALLERS = [
  "anonymous",
  "stranger",
  "member",
  "unitAdmin",
  "orgAdmin",
  "auditor",
  "support",
  "platformAdmin",
  "withoutOrganization",
  "suspended",
  "inBoth",
  "reader",
  "removed",
  "deleted",
  "secondFactor",
  "invited",
  "manager",
  "machine",
  "unitMachine",
] as const;
export type CallerName = (typeof CALLERS)[number];

/**
 * The organizations of the fixture: that of most callers, that of the stranger, a suspended one, and one whose only
 * caller may only read.
 */
export const ORGANIZATIONS = ["own", "other", "suspended", "closed"] as const;
export type OrganizationName = (typeof ORGANIZATIONS)[number];

/** The organizations whose data a caller may see. */
export const VISIBLE_ORGANIZATIONS: Record<CallerName, readonly OrganizationName[]> = {
  anonymous: [],
  stranger: ["other"],
  member: ["own"],
  unitAdmin: ["own"],
  orgAdmin: ["own"],
  auditor: ["own"],
  support: ["own"],
  platformAdmin: ORGANIZATIONS,
  withoutOrganization: [],
  suspended: ["suspended"],
  inBoth: ["own", "other"],
  reader: ["closed"],
  removed: ["own"],
  deleted: [],
  secondFactor: ["own"],
  invited: ["own"],
  manager: ["own"],
  machine: ["own"],
  unitMachine: ["own"],
};

/** The callers that send an API key. Each is a service account of the organization `own`. */
export const MACHINES = ["machine", "unitMachine"] as const;
export const isMachine = (name: CallerName): boolean => MACHINES.some((machine) => machine === name);
