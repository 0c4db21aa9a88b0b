import * as access from "#sql/access";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import { notFound } from "../../platform/errors.ts";
import type { AccessTokenClaims } from "./access-token.ts";
import { inCatalogOrder, isUnitScoped, type Permission } from "./catalog.ts";
import { packIds, unpackIds } from "./packed-ids.ts";

/** The organization in which a session acts, and the permissions there, as claims of the access token. */
export type ActiveOrganization = Pick<
  AccessTokenClaims,
  "organization" | "roles" | "rolesTruncated" | "permissions" | "unitGrants"
>;

/**
 * The claims of platform administrators and of users without a membership: no active organization and no
 * permissions.
 */
export const NO_ACTIVE_ORGANIZATION: ActiveOrganization = {
  organization: null,
  roles: [],
  permissions: [],
  unitGrants: [],
};

/**
 * The maximum number of units that an access token lists: the units where permissions were assigned, and all units
 * below them. If there are more, the token lists only the units of the assignments (rules 6.9).
 */
const MAX_UNITS = 150;
const MAX_GRANTS_BYTES = 5 * 1024;
/**
 * The maximum size of these claims together. It keeps the `Authorization` header under 8 KB, which is the limit of
 * many proxies.
 */
const MAX_BYTES = 5_710;

/**
 * Returns the organization in which a session with these proofs acts (rules 6.1): the preferred one if the membership
 * is live, the organization is active and the session may act there; otherwise that of the oldest such membership;
 * otherwise none. Also returns what the proofs say there, and until when they count.
 */
export async function findActiveOrganization(
  db: Queryable,
  session: { userId: string; preferredId: string | null; proof: access.Json; ssoHours: number | null },
) {
  const rows = await access.listActiveOrganizationGrants.run(session, db);
  const { claims = null, endsAt = null, breaksGlass = false } = rows[0] ?? {};
  return { active: await activeOrganizationOf(rows, db), claims, endsAt, breaksGlass: breaksGlass ?? false };
}

type GrantRow = Omit<access.IListActiveOrganizationGrantsResult, "claims" | "endsAt" | "breaksGlass">;

/**
 * Converts the rows of a query of `active_organization_grants` to the organization and its grants, in the form of an
 * access token.
 */
export const activeOrganizationOf = (rows: GrantRow[], db: Queryable): Promise<ActiveOrganization> =>
  withUnits(organizationOfRows(rows), db);

/** Like `activeOrganizationOf`, but lists no units below those of the assignments, so it needs no query. */
export function organizationOfRows(rows: GrantRow[]): ActiveOrganization {
  const { organizationId: id, organizationName: name, organizationSlug: slug } = rows[0] ?? {};
  if (id == null || name == null || slug == null) return NO_ACTIVE_ORGANIZATION;
  const wide = rows.filter(({ unitId }) => unitId === null);
  return {
    organization: { id, name, slug },
    roles: [...new Set(wide.flatMap(({ roleName }) => roleName ?? []))],
    permissions: inCatalogOrder(wide.flatMap(({ permissions }) => permissions ?? [])),
    unitGrants: unitGrants(
      rows.flatMap(({ unitId, permissions }) =>
        unitId === null ? [] : [{ unitId, permissions: permissions ?? [] }],
      ),
    ),
  };
}

type UnitGrants = NonNullable<ActiveOrganization["unitGrants"]>;

/**
 * Merges grants with the same permissions. Each entry has a distinct set of permissions, and the units where they
 * were assigned.
 */
function unitGrants(unitRoles: { unitId: string; permissions: string[] }[]): UnitGrants {
  const sets = new Map<string, { permissions: Permission[]; roots: string[] }>();
  for (const [root, grants] of Map.groupBy(unitRoles, ({ unitId }) => unitId)) {
    const permissions = inCatalogOrder(grants.flatMap((grant) => grant.permissions)).filter(isUnitScoped);
    if (permissions.length === 0) continue;
    const set = sets.get(permissions.join()) ?? { permissions, roots: [] };
    set.roots.push(root);
    sets.set(permissions.join(), set);
  }
  return [...sets.values()].map(({ permissions, roots }) => ({
    permissions,
    roots: packIds(roots),
    units: null,
  }));
}

/** Adds to each grant its units and all units below them, if they are few, and shrinks the claims to the size of a token. */
export async function withUnits(active: ActiveOrganization, db: Queryable): Promise<ActiveOrganization> {
  const grants = (active.unitGrants ?? []).map((grant) => ({ grant, roots: unpackIds(grant.roots) }));
  if (grants.length === 0) return fitted(active);
  const roots = grants.flatMap((one) => one.roots);
  // A failure to read the units below is not thrown: the rotation of the cookie may be committed already, and the new
  // cookie must reach the client. The units of the assignments are enough for a valid token.
  const tree = await access.listCoveredUnits.run({ roots, max: MAX_UNITS + 1 }, db).catch(() => null);
  if (tree === null || tree.length > MAX_UNITS) return fitted(active);
  const children = Map.groupBy(tree, ({ parentId }) => parentId);
  const unitsOf = (roots: string[]) => {
    const covered = new Set<string>();
    const visit = (unit: string) => {
      if (covered.has(unit)) return;
      covered.add(unit);
      for (const { unitId } of children.get(unit) ?? []) visit(unitId);
    };
    roots.forEach(visit);
    return packIds([...covered]);
  };
  return fitted({
    ...active,
    unitGrants: grants.map(({ grant, roots }) => ({ ...grant, units: unitsOf(roots) })),
  });
}

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/**
 * Shrinks the claims to the maximum size: removes first what the server can look up, then what it does not need. A
 * token that is larger than the header limit would lock the user out.
 */
function fitted(active: ActiveOrganization): ActiveOrganization {
  if (bytes(active) <= MAX_GRANTS_BYTES) return active;
  const isTooLong = ({ unitGrants, ...rest }: ActiveOrganization) =>
    bytes(unitGrants) > MAX_GRANTS_BYTES || bytes(unitGrants) + bytes(rest) > MAX_BYTES;
  let fit = active;
  if (isTooLong(fit)) {
    const grants = active.unitGrants?.map((grant) => ({ ...grant, units: null })) ?? null;
    fit = { ...active, unitGrants: grants };
  }
  if (isTooLong(fit) && active.unitGrants?.length) fit = { ...active, unitGrants: null };
  while (bytes(fit) > MAX_BYTES && fit.roles.length > 0)
    fit = { ...fit, roles: fit.roles.slice(0, -1), rolesTruncated: true };
  return fit;
}

/** Returns an organization that is not deleted. @throws notFound */
export async function findLiveOrganization(db: Queryable, id: string) {
  const [organization] = await access.findLiveOrganization.run({ id }, db);
  if (organization === undefined) throw notFound();
  return organization;
}
