import * as invitations from "#sql/invitations";
import { authorize, refuseUnheld } from "../access/authorize.ts";
import { audit } from "../audit/effect.ts";
import { refuseOverLimit } from "../billing/limits.ts";
import type { OrganizationCall } from "../context.ts";
import { transaction } from "../db/transaction.ts";
import { alreadyMember, notFound, organizationIsSuspended, resentTooRecently } from "../http/errors.ts";
import { fromStored } from "../i18n/languages.ts";
import { isMemberByEmail } from "../members/memberships.ts";
import { findOrganization } from "../organizations/read.ts";
import { newToken, tokenHash } from "../secrets.ts";
import { refuseTooManySends, sendInvitation, unitsOfInvitation } from "./issue.ts";
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

    const organization = await findOrganization(tx.db, organizationId);
    if (organization.status === "SUSPENDED") throw organizationIsSuspended();
    await refuseUnheld(tx, authority, granted);
    if (invitation.isJustSent) throw resentTooRecently();
    const { email } = invitation;
    await refuseTooManySends(tx, { organizationId, email });
    if (await isMemberByEmail(tx.db, organizationId, email)) throw alreadyMember();
    if (!invitation.isWorking)
      await refuseOverLimit(tx, { organizationId, limit: "members", caller: tx.actor });

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
