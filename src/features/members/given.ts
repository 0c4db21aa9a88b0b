import {
  assertHeld,
  assertNoPrivilegeEscalation,
  type ConfirmedPermissions,
  type OrganizationCall,
  type Tx,
} from "#kit";
import { findDefaultAssignment } from "../roles/read.ts";
import type { NamedAssignment } from "./assignments.ts";

/**
 * Checks that the caller holds what a connection or a domain is to give others, at its place; and that people who are linked to units by
 * it do not come under permissions that the caller holds there only.
 * @throws permissionNotHeld
 */
export async function assertGiven(
  tx: Tx<OrganizationCall>,
  permissions: ConfirmedPermissions,
  given: NamedAssignment[],
): Promise<void> {
  await assertHeld(tx, permissions, given);
  const unitIds = given.flatMap(({ unitId }) => unitId ?? []);
  if (unitIds.length > 0) await assertNoPrivilegeEscalation(tx, permissions, { from: [null], to: unitIds });
}

/** Like `assertGiven`, for people without any other role: if nothing is given, they get the organization's default role. */
export async function assertGivenOrDefault(
  tx: Tx<OrganizationCall>,
  permissions: ConfirmedPermissions,
  given: NamedAssignment[],
): Promise<void> {
  const roles = given.length > 0 ? given : await findDefaultAssignment(tx.db, tx.organizationId);
  await assertGiven(tx, permissions, roles);
}
