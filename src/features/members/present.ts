import type { z } from "zod";
import type * as members from "#sql/members";
import type { Assignment as StoredAssignment } from "../../core/accounts/memberships.ts";
import type { Assignment, Member } from "./schemas.ts";

type MemberRow = Awaited<ReturnType<typeof members.listMembers.run>>[number];
/** The arrays that `listMembers` aggregates; null if empty. */
type Gathered = {
  assignments: [roleId: string, roleName: string, unitId: string | null, unitName: string | null][] | null;
  units: [id: string, name: string][] | null;
};

/** Returns a member as returned by the API. */
export function presentMember(row: MemberRow): z.output<typeof Member> {
  const { assignments, units } = row as unknown as Gathered;
  return {
    userId: row.userId,
    email: row.email,
    firstName: row.firstName,
    lastName: row.lastName,
    joinedAt: row.joinedAt.toISOString(),
    assignments: (assignments ?? []).map(([roleId, roleName, unitId, unitName]) =>
      presentAssignment({ roleId, roleName, unitId, unitName }),
    ),
    units: (units ?? []).map(([id, name]) => ({ id, name })),
    twoFactorEnabled: row.twoFactorEnabled,
    lastActiveOn: row.lastActiveOn,
  };
}

export const presentAssignment = (
  assignment: Pick<StoredAssignment, "roleId" | "roleName" | "unitId" | "unitName">,
): z.output<typeof Assignment> => ({
  role: { id: assignment.roleId, name: assignment.roleName },
  unit: assignment.unitId === null ? null : { id: assignment.unitId, name: assignment.unitName ?? "" },
});
