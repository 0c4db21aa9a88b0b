import { audit, authorize, event, notFound, type OrganizationCall, transaction } from "#kit";
import * as invitations from "#sql/invitations";
import { unitsOfInvitation } from "./issue.ts";
import { findInvitation, invitationForEvent, invitationReach } from "./read.ts";

/** Revokes a pending invitation. @throws notFound if it is accepted, revoked or not in the caller's reach */
export async function revoke(call: OrganizationCall, id: string): Promise<void> {
  await transaction(call, async (tx) => {
    const { organizationId } = tx;
    const permissions = await authorize(tx, "Invitations.Delete");
    const reach = await invitationReach(permissions, "Invitations.Delete", tx.db);
    const { email } = await findInvitation(tx, reach, id);
    const unitIds = await unitsOfInvitation(tx.db, organizationId, id);
    const object = () => invitationForEvent(tx.db, organizationId, id);
    const record = { organizationId, id, object, reach: { allUnits: unitIds } };
    await event(tx, "invitation.revoked", { ...record, reason: "revoked" });
    const [revoked] = await invitations.deleteInvitations.run({ ids: [id], organizationId }, tx.db);
    if (revoked === undefined) throw notFound();
    await audit(tx, "USER_INVITATION_REVOKED", {
      organizationId,
      target: { type: "invitation", id, unitIds },
      metadata: { email },
    });
  });
}
