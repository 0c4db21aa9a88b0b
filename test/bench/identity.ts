import { ORG_ADMIN } from "../../src/core/access/catalog.ts";

/** What the access token says of somebody who belongs nowhere. */
export const HELD_NOWHERE = {
  ...{ isPlatformAdmin: false, organization: null, roles: [], permissions: [], unitGrants: [] },
};

/** What it says of an administrator, beside the organization. */
export const HELD_BY_ADMINISTRATOR = {
  ...{ isPlatformAdmin: false, roles: [ORG_ADMIN.name], permissions: ORG_ADMIN.permissions, unitGrants: [] },
};
