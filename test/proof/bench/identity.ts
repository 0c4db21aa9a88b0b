import { ORG_ADMIN } from "../../../src/core/access/catalog.ts";

/** The token claims of a user without an organization. */
export const HELD_NOWHERE = {
  ...{ isPlatformAdmin: false, organization: null, roles: [], permissions: [], unitGrants: [] },
};

/** The token claims of an administrator, without the organization, which the caller adds. */
export const HELD_BY_ADMINISTRATOR = {
  ...{ isPlatformAdmin: false, roles: [ORG_ADMIN.name], permissions: ORG_ADMIN.permissions, unitGrants: [] },
};
