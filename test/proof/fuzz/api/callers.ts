/** Who sends requests, each with an account of their own in every world. */
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
] as const;
export type CallerName = (typeof CALLERS)[number];

/** Organizations: of most callers, of the stranger, suspended, and one that nobody here but a reader belongs to. */
export const ORGANIZATIONS = ["own", "other", "suspended", "closed"] as const;
export type OrganizationName = (typeof ORGANIZATIONS)[number];

/** Whose organization a caller may see. */
export const SEES: Record<CallerName, readonly OrganizationName[]> = {
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
};
