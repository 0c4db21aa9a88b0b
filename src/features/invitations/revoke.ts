import { audit, authorize, event, notFound, type OrganizationCall, transaction } from "#kit";
import * as invitations from "#sql/invitations";
import { unitsOfInvitation } from "./issue.ts";
import { findInvitation, invitationReach, presentPending } from "./read.ts";

/** Revokes a pending invitation. @throws notFound if it is accepted, revoked or not in the caller's reach */
export async function revoke(call: OrganizationCall, id: string): Promise<void> {
  await transaction(call, async (tx) => {
    const { organizationId } = tx;
    const permissions = await authorize(tx, "Invitations.Delete");
    const reach = await invitationReach(permissions, "Invitations.Delete", tx.db);
    const invitation = await findInvitation(tx, reach, id);
    const unitIds = await unitsOfInvitation(tx.db, organizationId, id);
    await event(tx, "invitation.revoked", {
      organizationId,
      id,
      object: presentPending(invitation),
      reason: "revoked",
      reach: { allUnits: unitIds },
    });
    const [revoked] = await invitations.deleteInvitations.run({ ids: [id], organizationId }, tx.db);
    if (revoked === undefined) throw notFound();
    await audit(tx, "USER_INVITATION_REVOKED", {
      organizationId,
      target: { type: "invitation", id, unitIds },
      metadata: { email: invitation.email },
    });
  });
}
