/** Their names are reserved, so that a name is enough. */
export const builtIn = {
  ORG_ADMIN: "Administrator",
  UNIT_ADMIN: "Unit administrator",
  MEMBER: "Member",
} as const;
