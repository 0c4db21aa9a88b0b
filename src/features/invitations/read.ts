import type { z } from "zod";
import {
  type ConfirmedReach,
  type EffectivePermissions,
  list,
  notFound,
  type OrganizationCall,
  type Permission,
  type Queryable,
  type RoleEntry,
  type Tx,
  unrestricted,
} from "#kit";
import { fromStored } from "#kit/inside";
import * as invitations from "#sql/invitations";
import { type AssignmentRows, assignmentsFrom, presentAssignment } from "../members/present.ts";
import { LIMITS } from "./limits.ts";
import type { Invitation, InvitationQuery } from "./schemas.ts";

/**
 * Returns the caller's reach for pending invitations. An expired invitation may have an assignment in a deleted
 * unit. So the reach includes deleted units that were below the caller's units. @throws forbidden
 */
export const invitationReach = <Held extends EffectivePermissions>(
  permissions: Held,
  permission: Permission,
  db: Queryable,
) => permissions.reach(permission, db, { withDeleted: true }) as ReturnType<Held["reach"]>;

/** Lists the pending and expired invitations whose assignments are all in the caller's reach. */
export async function listInvitations(call: OrganizationCall, query: z.output<typeof InvitationQuery>) {
  const { permissions, db, organizationId } = call;
  const { units } = await invitationReach(permissions, "Invitations.Read", db.lists);
  return list(invitations.invitations, call, { ...query, organizationId, units }, presentPending);
}

/**
 * Returns a pending invitation, to resend or revoke it. All its assignments must be in the caller's reach. @throws
 * notFound
 */
export async function findInvitation(tx: Tx<OrganizationCall>, { units }: ConfirmedReach, id: string) {
  const { organizationId } = tx;
  const [found] = await invitations.findInvitation.run(
    { id, organizationId, units, resendAfterSeconds: LIMITS.resends.perSeconds },
    tx.db,
  );
  if (found === undefined) throw notFound();
  return found;
}

/** Returns a pending invitation with all its roles, as events contain it. */
export async function invitationForEvent(db: Queryable, organizationId: string, id: string) {
  const units = unrestricted("events hold whole records");
  const wanted = { id, organizationId, units, resendAfterSeconds: LIMITS.resends.perSeconds };
  const [found] = await invitations.findInvitation.run(wanted, db);
  if (found === undefined) throw notFound();
  return presentPending(found);
}

type Row = Awaited<ReturnType<typeof invitations.listInvitations.run>>[number];

/** Converts a pending invitation with its roles to the API's form. */
export const presentPending = (row: Row) =>
  presentInvitation(row, assignmentsFrom(row.assignments as AssignmentRows));

/** Converts an invitation with these roles to the API's form. */
export const presentInvitation = (
  row: Omit<Row, "assignments">,
  granted: RoleEntry[],
): z.output<typeof Invitation> => ({
  id: row.id,
  organizationId: row.organizationId,
  email: row.email,
  language: fromStored(row.language),
  assignments: granted.map((one) => presentAssignment(one)),
  invitedBy:
    row.invitedById === null || row.inviterEmail === null
      ? null
      : { id: row.invitedById, email: row.inviterEmail },
  invitedByServiceAccount:
    row.invitedByAccountId === null || row.inviterAccountName === null
      ? null
      : { id: row.invitedByAccountId, name: row.inviterAccountName },
  expiresAt: row.expiresAt.toISOString(),
  lastSentAt: row.lastSentAt.toISOString(),
  createdAt: row.createdAt.toISOString(),
  expired: !row.isUsable,
});
