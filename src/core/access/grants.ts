import * as access from "#sql/access";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import type { AccessTokenClaims } from "./access-token.ts";
import { isUnitScoped } from "./catalog.ts";
import type { Grants } from "./effective-permissions.ts";
import { unpackIds } from "./packed-ids.ts";

const known = new WeakMap<AccessTokenClaims, Grants>();

/**
 * Returns the grants of a token, or null if its unit grants did not fit into it. With `live`, the token's list of
 * covered units is ignored, so that a unit created since then counts as soon as it is below a granted unit.
 */
export function grantsOf(claims: AccessTokenClaims, { live = false } = {}): Grants | null {
  if (claims.unitGrants === null) return null;
  if (live) return read(claims, claims.unitGrants, true);
  let found = known.get(claims);
  if (found === undefined) {
    found = read(claims, claims.unitGrants, false);
    known.set(claims, found);
  }
  return found;
}

function read(
  claims: AccessTokenClaims,
  unitGrants: NonNullable<AccessTokenClaims["unitGrants"]>,
  live: boolean,
): Grants {
  return {
    organizationWide: new Set(claims.permissions),
    inUnits: unitGrants.map(({ permissions, roots, units }) => ({
      permissions: new Set(permissions.filter(isUnitScoped)),
      roots: unpackIds(roots),
      units: units === null || live ? null : unpackIds(units),
    })),
  };
}

/** Returns the current grants of a member from the database; no grants for a user who is not a member. */
export async function loadGrants(
  db: Queryable,
  member: { userId: string; organizationId: string },
): Promise<Grants> {
  const grants = await access.listGrants.run(member, db);
  return {
    organizationWide: new Set(
      grants.flatMap(({ unitId, permissions }) => (unitId === null ? permissions : [])),
    ),
    inUnits: grants.flatMap(({ unitId, permissions }) =>
      unitId === null
        ? []
        : [{ permissions: new Set(permissions.filter(isUnitScoped)), roots: [unitId], units: null }],
    ),
  };
}
