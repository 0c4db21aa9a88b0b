import type { z } from "zod";
import type { RoleEntry } from "#kit";
import type * as members from "#sql/members";
import type { Assignment as StoredAssignment } from "../../core/accounts/memberships.ts";
import type { Assignment, Member } from "./schemas.ts";

type MemberRow = Awaited<ReturnType<typeof members.listMembers.run>>[number];
/** The roles and units of a member, as `listMembers` aggregates them; null if there are none. */
type Gathered = {
  assignments:
    | [roleId: string, roleName: string, unitId: string | null, unitName: string | null, source: Source][]
    | null;
  units: [id: string, name: string][] | null;
};

type Source = z.output<typeof Assignment>["source"];

/** Converts a member to the API's form. */
export function presentMember(row: MemberRow): z.output<typeof Member> {
  const { assignments, units } = row as unknown as Gathered;
  return {
    userId: row.userId,
    email: row.email,
    firstName: row.firstName,
    lastName: row.lastName,
    joinedAt: row.joinedAt.toISOString(),
    // Several connections may give the same role.
    assignments: (assignments ?? [])
      .filter(
        ([roleId, , unitId, , source], index, all) =>
          all.findIndex((other) => other[0] === roleId && other[2] === unitId && other[4] === source) ===
          index,
      )
      .map(([roleId, roleName, unitId, unitName, source]) =>
        presentAssignment({ roleId, roleName, unitId, unitName }, source),
      ),
    units: (units ?? []).map(([id, name]) => ({ id, name })),
    twoFactorEnabled: row.twoFactorEnabled,
    lastActiveOn: row.lastActiveOn,
  };
}

/** Roles with their places, as views aggregate them; null if there are none. */
export type AssignmentRows =
  | [roleId: string, roleName: string, unitId: string | null, unitName: string | null][]
  | null;

export const assignmentsFrom = (rows: AssignmentRows): RoleEntry[] =>
  (rows ?? []).map(([roleId, roleName, unitId, unitName]) => ({ roleId, roleName, unitId, unitName }));

export const presentAssignment = (
  assignment: Pick<StoredAssignment, "roleId" | "roleName" | "unitId" | "unitName">,
  source: Source = "manual",
): z.output<typeof Assignment> => ({
  role: { id: assignment.roleId, name: assignment.roleName },
  unit: assignment.unitId === null ? null : { id: assignment.unitId, name: assignment.unitName ?? "" },
  source,
});
