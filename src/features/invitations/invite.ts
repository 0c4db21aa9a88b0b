import type { z } from "zod";
import {
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
  unitForbidden,
} from "#kit";
import { allSettledOrThrow } from "#kit/inside";
import * as invitations from "#sql/invitations";
import { isMemberByEmail } from "../../core/accounts/memberships.ts";
import { countSeats } from "../../core/accounts/pending-invitations.ts";
import { resolveAssignments } from "../members/assignments.ts";
import { assertNotShutOut } from "../sign-on-policy/invitations.ts";
import { alreadyMember } from "./errors.ts";
import { issueInvitation, prepareInvitation } from "./issue.ts";
import { invitationForEvent } from "./read.ts";
import type { InviteBody } from "./schemas.ts";
import {
  findSendLimits,
  type MailTime,
  mailTimeInTurn,
  mailTimeOrRefusal,
  type SendLimits,
} from "./send-limits.ts";

type Row = z.output<typeof InviteBody>;

/**
 * Invites an email address into the organization (rules 14.2, 14.3). Replaces earlier invitations of the address.
 * Apart from the error for live members, nothing reveals whether an account has the email.
 * @throws unauthenticated if the caller's account is deleted and its language is needed; validationFailed,
 * organizationIsSuspended, unitForbidden, permissionNotHeld, tooManyRequests, alreadyMember; conflict if the
 * earlier invitation is out of the caller's reach; planLimitReached
 */
export async function invite(tx: Tx<OrganizationCall>, row: Row) {
  // These reads are sent together after the organization's lock (docs/decisions/0020). Errors are thrown in the order
  // of the arguments.
  const begun = readCaller(tx);
  const [prepared, caller, read] = await allSettledOrThrow(
    prepareInvitation(tx, row.language ?? null),
    begun,
    readRow(tx, row),
  );
  const inviter = await assertMayInvite(tx, caller);
  const { object } = await inviteAs(tx, inviter, { ...row, ...read, prepared }, mailTimeOrRefusal);
  return object();
}

/**
 * Like `invite`, for one of many invitations, after what they have in common was read: its mail waits above an hourly
 * limit.
 */
export async function inviteInTurn(tx: Tx<OrganizationCall>, inviter: Inviter, row: Row) {
  const [prepared, read] = await allSettledOrThrow(
    prepareInvitation(tx, row.language ?? null),
    readRow(tx, row),
  );
  return inviteAs(tx, inviter, { ...row, ...read, prepared }, (limits) =>
    mailTimeInTurn(tx, tx.organizationId, limits),
  );
}

/** Takes the organization's lock, and reads what all invitations of a request have in common. */
export async function readCaller(tx: Tx<OrganizationCall>) {
  const seats = { organizationId: tx.organizationId, limit: "members", caller: tx.actor } as const;
  const [authorized, maxSeats] = await allSettledOrThrow(
    authorizeIn(tx, "Invitations.Create"),
    findLimit(tx, seats),
  );
  return { ...authorized, maxSeats };
}

/** @throws organizationIsSuspended, also for platform administrators */
export async function assertMayInvite(
  tx: Tx<OrganizationCall>,
  { permissions, organization, maxSeats }: Awaited<ReturnType<typeof readCaller>>,
) {
  if (organization === undefined) throw notFound();
  if (organization.status === "SUSPENDED") throw organizationIsSuspended();
  const reach = await permissions.reach("Invitations.Create", tx.db);
  return { permissions, organization, maxSeats, reach };
}
type Inviter = Awaited<ReturnType<typeof assertMayInvite>>;

/** Reads what one invitation needs. @throws validationFailed for an unknown role or unit */
async function readRow(tx: Tx<OrganizationCall>, { email, assignments: given }: Row) {
  const { organizationId, db } = tx;
  const place = { organizationId, email };
  const [assignments, limits, isMember, pending] = await allSettledOrThrow(
    resolveAssignments(db, organizationId, given),
    findSendLimits(tx, place),
    isMemberByEmail(db, organizationId, email),
    invitations.findPendingByEmail.run(place, db),
  );
  return { assignments, limits, isMember, pending };
}
type Read = Omit<Row, "assignments"> &
  Awaited<ReturnType<typeof readRow>> & { prepared: Awaited<ReturnType<typeof prepareInvitation>> };

/**
 * Checks and issues one invitation. Call under the organization's lock.
 * @param mailTime when the mail may be sent, or the refusal if it may not
 * @returns `object`: reads the invitation, at most once; `supersedes`: whether it replaced an earlier one; `seats`: the
 * number of seats that it took in addition
 */
async function inviteAs(
  tx: Tx<OrganizationCall>,
  { permissions, organization, maxSeats, reach }: Inviter,
  { email, assignments, limits, isMember, pending, prepared }: Read,
  mailTime: (limits: SendLimits) => MailTime | Promise<MailTime>,
) {
  const { organizationId } = tx;
  const units = assignments.map(({ unitId }) => unitId);
  if (!areWithin(reach, units)) throw unitForbidden();
  await assertHeld(tx, permissions, assignments);
  await assertNotShutOut(tx, email);
  const mail = await mailTime(limits);
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
  if (maxSeats !== null) assertBelow("members", maxSeats, await countSeats(tx.db, organizationId));
  const invitation = {
    organizationId,
    organizationName: organization.name,
    email,
    assignments,
    superseded,
    ...mail,
  };
  await issueInvitation(tx, { ...prepared, ...invitation });
  const { id } = prepared;
  let shown: ReturnType<typeof invitationForEvent> | null = null;
  const object = () => {
    shown ??= invitationForEvent(tx.db, organizationId, id);
    return shown;
  };
  await event(tx, "invitation.created", { organizationId, id, object, reach: { allUnits: units } });
  const seats = pending.some(({ isUsable }) => isUsable) ? 0 : 1;
  return { id, object, supersedes: superseded !== null, mailAt: mail.mailAt, seats };
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
