/** The names of built-in roles are reserved, so they can be translated by name. */
export const builtIn = {
  ORG_ADMIN: "Administrator",
  UNIT_ADMIN: "Unit administrator",
  MEMBER: "Member",
} as const;
