import { event, type Tx } from "#kit";
import { memberForEvent } from "./read.ts";

/**
 * Writes `member.updated` for a member whose own account has changed, in each of these organizations. Call under
 * their locks, because the events show the member with roles and units.
 */
export async function memberUpdated(
  tx: Tx,
  userId: string,
  memberships: { organizationId: string }[],
  previous: object,
): Promise<void> {
  for (const { organizationId } of memberships) {
    const object = () => memberForEvent({ organizationId, db: tx.db }, userId);
    const reach = { userId };
    await event(tx, "member.updated", {
      organizationId,
      id: userId,
      object,
      previous,
      reach,
      actorId: userId,
    });
  }
}
