import * as invitations from "#sql/invitations";
import { assertHeld, authorize } from "../../core/access/authorize.ts";
import { organizationIsSuspended } from "../../core/access/errors.ts";
import { findLiveOrganization } from "../../core/access/live-organization.ts";
import type { OrganizationCall } from "../../core/context.ts";
import { audit } from "../../core/effects/audit.ts";
import { isMemberByEmail } from "../../core/people/memberships.ts";
import { countSeats } from "../../core/people/pending-invitations.ts";
import { assertWithinLimit } from "../../core/plans/limits.ts";
import { newToken, tokenHash } from "../../platform/crypto.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { notFound } from "../../platform/errors.ts";
import { fromStored } from "../../platform/i18n/languages.ts";
import { alreadyMember, resentTooRecently } from "./errors.ts";
import { assertSendsLeft, sendInvitation, unitsOfInvitation } from "./issue.ts";
import { findInvitation, invitationReach } from "./read.ts";

/**
 * Sends a pending invitation again, with a new link and new seven days; the old link dies. The caller becomes its
 * inviter, and so must hold what it grants.
 * @throws notFound, organizationIsSuspended, permissionNotHeld, resentTooRecently, tooManyRequests, alreadyMember;
 * planLimitReached for one that had expired and finds no seat
 */
export async function resend(call: OrganizationCall, id: string): Promise<void> {
  await transaction(call, async (tx) => {
    const { organizationId } = tx;
    const authority = await authorize(tx, "Invitations.Resend");
    const reach = await invitationReach(authority, "Invitations.Resend", tx.db);
    const invitation = await findInvitation(tx, reach, id);
    const granted = await invitations.listInvitedRoles.run({ invitations: [id] }, tx.db);
    if (granted.length === 0) throw notFound();

    const organization = await findLiveOrganization(tx.db, organizationId);
    if (organization.status === "SUSPENDED") throw organizationIsSuspended();
    await assertHeld(tx, authority, granted);
    if (invitation.isJustSent) throw resentTooRecently();
    const { email } = invitation;
    await assertSendsLeft(tx, { organizationId, email });
    if (await isMemberByEmail(tx.db, organizationId, email)) throw alreadyMember();
    if (!invitation.isWorking)
      await assertWithinLimit(tx, { organizationId, limit: "members", count: countSeats, caller: tx.actor });

    const token = newToken();
    const renewed = { id, tokenHash: tokenHash(token), invitedById: tx.actor.userId };
    const [sent] = await invitations.markInvitationSent.run(renewed, tx.db);
    if (sent === undefined) throw notFound();
    const language = fromStored(invitation.language);
    await sendInvitation(tx, { organizationId, organizationName: organization.name, email, language, token });
    await audit(tx, "USER_INVITATION_RESENT", {
      organizationId,
      target: { type: "invitation", id, unitIds: await unitsOfInvitation(tx.db, id) },
      metadata: { email },
    });
  });
}
