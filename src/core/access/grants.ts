import * as access from "#sql/access";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import type { ActingApp, Actor } from "./access.ts";
import type { ActiveOrganization } from "./active-organization.ts";
import { isUnitScoped } from "./catalog.ts";
import type { Grants } from "./effective-permissions.ts";
import { unpackIds } from "./packed-ids.ts";

type Claims = Pick<ActiveOrganization, "permissions" | "unitGrants">;

const known = new WeakMap<Claims, Grants>();

/**
 * Returns the grants of an access token, or null if its unit grants did not fit into the token. With `live`, the list
 * of units below the granted ones is not taken from the token, so that a unit that was created later is included.
 */
export function grantsOf(claims: Claims, { live = false } = {}): Grants | null {
  if (claims.unitGrants === null) return null;
  const remembered = live ? undefined : known.get(claims);
  if (remembered !== undefined) return remembered;
  const grants = {
    organizationWide: new Set(claims.permissions),
    inUnits: claims.unitGrants.map(({ permissions, roots, units }) => ({
      permissions: new Set(permissions.filter(isUnitScoped)),
      roots: unpackIds(roots),
      units: units === null || live ? null : unpackIds(units),
    })),
  };
  if (!live) known.set(claims, grants);
  return grants;
}

type GrantRow = { permissions: string[]; unitId: string | null };

function grantsOfRows(rows: GrantRow[]): Grants {
  return {
    organizationWide: new Set(
      rows.flatMap(({ unitId, permissions }) => (unitId === null ? permissions : [])),
    ),
    inUnits: rows.flatMap(({ unitId, permissions }) =>
      unitId === null
        ? []
        : [{ permissions: new Set(permissions.filter(isUnitScoped)), roots: [unitId], units: null }],
    ),
  };
}

/**
 * Returns the current grants of a caller in an organization from the database. Returns no grants for a user who is
 * not a member, or for a service account of another organization.
 */
export async function loadGrants(db: Queryable, actor: Actor, organizationId: string): Promise<Grants> {
  if (actor.type === "user" && actor.app) return loadGrantsOfApp(db, actor.app, organizationId);
  return grantsOfRows(
    actor.type === "user"
      ? await access.listGrants.run({ userId: actor.userId, organizationId }, db)
      : await access.listGrantsOfServiceAccount.run({ serviceAccountId: actor.id, organizationId }, db),
  );
}

/** Returns what the person of an app holds now in the organization of its grant, within its unit and scopes. */
async function loadGrantsOfApp(db: Queryable, app: ActingApp, organizationId: string): Promise<Grants> {
  const { grantId, held } = app;
  if (held.organization.id !== organizationId) return grantsOfRows([]);
  const rows = await access.listGrantsOfApp.run({ grantId }, db);
  return grantsOfRows(
    rows.map(({ permissions, unitId }) => ({ permissions: app.within(permissions), unitId })),
  );
}

/**
 * Returns the current grants, in an organization, of the person behind a caller and of each service account of that
 * person. The person is the user, or the creator of the API key. Returns one entry for each identity that has any
 * grants.
 */
export async function loadGrantsOfPerson(
  db: Queryable,
  actor: Actor,
  organizationId: string,
): Promise<Grants[]> {
  const keyId = actor.type === "service_account" ? actor.keyId : null;
  const rows = await access.listGrantsOfPerson.run({ userId: actor.userId, keyId, organizationId }, db);
  return [...Map.groupBy(rows, ({ holderId }) => holderId).values()].map(grantsOfRows);
}
