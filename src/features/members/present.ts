import type { z } from "zod";
import * as members from "#sql/members";
import * as memberships from "#sql/people/memberships";
import type { Reach } from "../../core/access/authority.ts";
import type { Assignment as StoredAssignment } from "../../core/people/memberships.ts";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import type { Assignment, Member } from "./schemas.ts";

type MemberRow = Awaited<ReturnType<typeof members.listMembers.run>>[number];

/** Members as answers show them, with the roles and units that are in the caller's reach. */
export async function presentMembers(
  rows: MemberRow[],
  { units }: Pick<Reach, "units">,
  db: Queryable,
): Promise<z.output<typeof Member>[]> {
  const membershipIds = rows.map(({ id }) => id);
  const [assignments, links] =
    rows.length === 0
      ? [[], []]
      : await Promise.all([
          memberships.listAssignments.run({ memberships: membershipIds, units }, db),
          members.listLinkedUnits.run({ memberships: membershipIds, units }, db),
        ]);
  const assignmentsOf = Map.groupBy(assignments, ({ membershipId }) => membershipId);
  const linksOf = Map.groupBy(links, ({ membershipId }) => membershipId);
  return rows.map((row) => ({
    userId: row.userId,
    email: row.email,
    firstName: row.firstName,
    lastName: row.lastName,
    joinedAt: row.joinedAt.toISOString(),
    assignments: (assignmentsOf.get(row.id) ?? []).map(presentAssignment),
    units: (linksOf.get(row.id) ?? []).map(({ id, name }) => ({ id, name })),
  }));
}

export const presentAssignment = (
  assignment: Pick<StoredAssignment, "roleId" | "roleName" | "unitId" | "unitName">,
): z.output<typeof Assignment> => ({
  role: { id: assignment.roleId, name: assignment.roleName },
  unit: assignment.unitId === null ? null : { id: assignment.unitId, name: assignment.unitName ?? "" },
});
