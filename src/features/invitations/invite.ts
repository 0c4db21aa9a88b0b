import type { z } from "zod";
import {
  allSettledOrThrow,
  areWithin,
  assertBelow,
  assertHeld,
  authorizeIn,
  type ConfirmedReach,
  conflict,
  event,
  findLimit,
  notFound,
  type OrganizationCall,
  organizationIsSuspended,
  type Tx,
  tooManyRequests,
  unitForbidden,
} from "#kit";
import * as invitations from "#sql/invitations";
import { isMemberByEmail } from "../../core/accounts/memberships.ts";
import { countSeats } from "../../core/accounts/pending-invitations.ts";
import { resolveAssignments } from "../members/assignments.ts";
import { alreadyMember } from "./errors.ts";
import { findSendLimits, issueInvitation, prepareInvitation } from "./issue.ts";
import { invitationForEvent, presentIssued } from "./read.ts";
import type { InviteBody } from "./schemas.ts";

/**
 * Invites an email address into the organization (rules 14.2, 14.3). Replaces earlier invitations of the address.
 * Apart from the error for live members, nothing reveals whether an account has the email.
 * @throws unauthenticated if the caller's account is deleted and its language is needed; validationFailed,
 * organizationIsSuspended, unitForbidden, permissionNotHeld, tooManyRequests, alreadyMember; conflict if the
 * earlier invitation is out of the caller's reach; planLimitReached
 */
export async function invite(tx: Tx<OrganizationCall>, body: z.output<typeof InviteBody>) {
  const { email } = body;
  const { organizationId } = tx;
  const place = { organizationId, email };
  const seats = { organizationId, limit: "members", caller: tx.actor } as const;
  // These reads are sent together after the organization's lock (docs/decisions/0020). Errors are thrown in the order
  // of the arguments.
  const authorized = authorizeIn(tx, "Invitations.Create");
  const [
    prepared,
    { permissions, organization },
    assignments,
    { secondsLeft, mailAt },
    isMember,
    pending,
    max,
  ] = await allSettledOrThrow(
    prepareInvitation(tx, body.language ?? null),
    authorized,
    resolveAssignments(tx.db, organizationId, body.assignments),
    findSendLimits(tx, place),
    isMemberByEmail(tx.db, organizationId, email),
    invitations.findPendingByEmail.run(place, tx.db),
    findLimit(tx, seats),
  );
  if (organization === undefined) throw notFound();
  if (organization.status === "SUSPENDED") throw organizationIsSuspended();
  const reach = await permissions.reach("Invitations.Create", tx.db);
  const units = assignments.map(({ unitId }) => unitId);
  if (!areWithin(reach, units)) throw unitForbidden();
  await assertHeld(tx, permissions, assignments);
  if (secondsLeft !== null) throw tooManyRequests(secondsLeft);
  if (isMember) throw alreadyMember();
  const superseded = assertMaySupersede(pending, reach);

  if (pending.length > 0) {
    const ids = pending.map(({ id }) => id);
    for (const { id, unitIds, isForOrganization } of pending) {
      const reach = { allUnits: [...unitIds, ...(isForOrganization ? [null] : [])] };
      const object = () => invitationForEvent(tx.db, organizationId, id);
      await event(tx, "invitation.revoked", { organizationId, id, object, reason: "superseded", reach });
    }
    // The organization's lock prevents changes of pending invitations.
    await invitations.deleteInvitations.run({ ids, organizationId }, tx.db);
  }
  if (max !== null) assertBelow(seats.limit, max, await countSeats(tx.db, organizationId));
  const invitation = {
    organizationId,
    organizationName: organization.name,
    email,
    assignments,
    superseded,
    mailAt,
  };
  await issueInvitation(tx, { ...prepared, ...invitation });
  const object = await presentIssued(tx, { ...prepared, ...invitation });
  const { id } = object;
  await event(tx, "invitation.created", { organizationId, id, object, reach: { allUnits: units } });
  return object;
}

type Pending = Awaited<ReturnType<typeof invitations.findPendingByEmail.run>>;

/**
 * Returns the latest pending invitation for the email with its units; null in the list stands for the whole
 * organization. An invitation that can be accepted must be in the caller's reach, another need not be.
 * @throws conflict if an invitation that can be accepted is not wholly in the reach
 */
function assertMaySupersede(pending: Pending, reach: ConfirmedReach) {
  const named = pending.map(({ id, isUsable, unitIds, isForOrganization }) => ({
    ...{ id, isUsable },
    unitIds: [...(isForOrganization ? [null] : []), ...unitIds],
  }));
  if (named.some(({ isUsable, unitIds }) => isUsable && !areWithin(reach, unitIds))) throw conflict();
  return named[0] ?? null;
}
