import {
  assertBelow,
  assertHeld,
  audit,
  authorizeIn,
  event,
  findLimit,
  newToken,
  notFound,
  type OrganizationCall,
  organizationIsSuspended,
  type Tx,
  tokenHash,
} from "#kit";
import { fromStored } from "#kit/inside";
import * as invitations from "#sql/invitations";
import { isMemberByEmail } from "../../core/accounts/memberships.ts";
import { countSeats } from "../../core/accounts/pending-invitations.ts";
import { findLiveUser } from "../../core/accounts/user.ts";
import { assertNotShutOut } from "../sign-on-policy/invitations.ts";
import { alreadyMember, resentTooRecently } from "./errors.ts";
import { invitedBy, mailInvitation, nameOf, unitsOfInvitation } from "./issue.ts";
import { INVITATION_LIFETIME_DAYS, LIMITS } from "./limits.ts";
import { findInvitation, invitationForEvent, invitationReach } from "./read.ts";
import { findSendLimits, mailTimeOrRefusal } from "./send-limits.ts";

/**
 * Sends a pending invitation again, with a new link that is valid for seven days. The old link stops working when
 * the mail is sent. The caller becomes the inviter, and so must hold the permissions that the invitation grants.
 * @throws notFound, organizationIsSuspended, permissionNotHeld, ssoRequired, resentTooRecently, tooManyRequests, alreadyMember;
 * planLimitReached if the invitation had expired and no seat is free
 */
export async function resend(tx: Tx<OrganizationCall>, id: string): Promise<void> {
  const { organizationId } = tx;
  const { permissions, organization } = await authorizeIn(tx, "Invitations.Resend");
  const reach = await invitationReach(permissions, "Invitations.Resend", tx.db);
  const invitation = await findInvitation(tx, reach, id);
  const granted = await invitations.listInvitedRoles.run({ id, organizationId }, tx.db);
  if (granted.length === 0 || organization === undefined) throw notFound();

  if (organization.status === "SUSPENDED") throw organizationIsSuspended();
  await assertHeld(tx, permissions, granted);
  await assertNotShutOut(tx, invitation.email);
  if (invitation.isJustSent) throw resentTooRecently();
  const { email } = invitation;
  const seats = { organizationId, limit: "members", caller: tx.actor } as const;
  const { mailAt } = mailTimeOrRefusal(await findSendLimits(tx, { organizationId, email }));
  if (await isMemberByEmail(tx.db, organizationId, email)) throw alreadyMember();
  const max = invitation.isUsable ? null : await findLimit(tx, seats);
  if (max !== null) assertBelow(seats.limit, max, await countSeats(tx.db, organizationId));

  // If the mail has to wait, the previous link works until the mail is sent.
  const token = mailAt === null ? newToken() : null;
  const renewed = {
    id,
    organizationId,
    tokenHash: token && tokenHash(token),
    lifetimeDays: INVITATION_LIFETIME_DAYS,
    resendAfterSeconds: LIMITS.resends.perSeconds,
    ...invitedBy(tx),
  };
  const [sent] = await invitations.markInvitationSent.run(renewed, tx.db);
  if (sent === undefined) throw notFound();
  const inviter = tx.actor.userId === null ? null : await findLiveUser(tx.db, tx.actor.userId);
  await invitations.insertSend.run({ organizationId, email, mailAt }, tx.db);
  if (token !== null)
    await mailInvitation(tx, {
      token,
      email,
      organizationName: organization.name,
      language: fromStored(invitation.language),
      inviterName: nameOf(inviter),
    });
  const unitIds = await unitsOfInvitation(tx.db, organizationId, id);
  await audit(tx, "USER_INVITATION_RESENT", {
    organizationId,
    target: { type: "invitation", id, unitIds },
    metadata: { email },
  });
  const object = () => invitationForEvent(tx.db, organizationId, id);
  await event(tx, "invitation.resent", { organizationId, id, object, reach: { allUnits: unitIds } });
}
