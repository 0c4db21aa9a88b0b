import type { z } from "zod";
import type * as members from "#sql/members";
import type { Assignment as StoredAssignment } from "../../core/accounts/memberships.ts";
import type { Assignment, Member } from "./schemas.ts";

type MemberRow = Awaited<ReturnType<typeof members.listMembers.run>>[number];
/** The roles and units of a member, as `listMembers` aggregates them; null if there are none. */
type Gathered = {
  assignments: [roleId: string, roleName: string, unitId: string | null, unitName: string | null][] | null;
  units: [id: string, name: string][] | null;
};

/** Converts a member to the API's form. */
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
