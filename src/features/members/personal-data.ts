import { FROM_OLDEST, jsonOfPages, type PersonalFile, type Queryable } from "#kit";
import { organizationOf } from "#kit/inside";
import * as queries from "#sql/members";

/** Returns the user's live memberships, with roles and units. */
function memberships(db: Queryable, userId: string) {
  return jsonOfPages({
    start: FROM_OLDEST,
    read: (window) => queries.exportMemberships.run({ userId, ...window }, db),
    after: ({ joinedAt: afterTime, id: afterId }) => ({ afterTime, afterId }),
    show: async (rows) => {
      const ids = { memberships: rows.map(({ id }) => id) };
      const [roles, units] = await Promise.all([
        queries.exportRoles.run(ids, db),
        queries.exportUnits.run(ids, db),
      ]);
      const rolesOf = Map.groupBy(roles, ({ membershipId }) => membershipId);
      const unitsOf = Map.groupBy(units, ({ membershipId }) => membershipId);
      return rows.map((row) => ({
        organization: { ...organizationOf(row), slug: row.organizationSlug },
        joinedAt: row.joinedAt,
        assignments: (rolesOf.get(row.id) ?? []).map(({ roleId, roleName, unitId, unitName, source }) => ({
          role: { id: roleId, name: roleName },
          unit: unitId === null ? null : { id: unitId, name: unitName },
          source,
        })),
        units: (unitsOf.get(row.id) ?? []).map(({ id, name }) => ({ id, name })),
      }));
    },
  });
}

/** What the export of an account's data contains of this feature (rules 9.6). */
export const personalData = {
  memberships: { text: "memberships", read: (db, { userId }) => memberships(db, userId) },
} satisfies Record<string, PersonalFile>;
