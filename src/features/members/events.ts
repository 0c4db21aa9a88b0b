import { changedFields, event, type OrganizationCall, type Tx } from "#kit";
import { memberForEvent } from "./read.ts";

/** Writes `member.created` for a new member. Without `actorId` the actor is the caller. */
export const memberCreated = (
  tx: Tx,
  { organizationId, userId, actorId }: { organizationId: string; userId: string; actorId?: string },
): Promise<void> =>
  event(tx, "member.created", {
    organizationId,
    ...(actorId !== undefined && { actorId }),
    id: userId,
    object: () => memberForEvent({ organizationId, db: tx.db }, userId),
    reach: { userId },
  });

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

type TxOfOrganization = Tx & Pick<OrganizationCall, "organizationId">;

/** Returns a member before a change of roles or units, for its event; null if no events are recorded. */
export const memberBefore = async (tx: TxOfOrganization, userId: string) =>
  tx.app.config.events ? await memberForEvent(tx, userId) : null;

/**
 * Writes `member.updated` for a member whose roles or units have changed in the organization. Without `actorId` the actor is
 * the caller.
 */
export async function memberChanged(
  tx: TxOfOrganization,
  userId: string,
  before: Awaited<ReturnType<typeof memberBefore>>,
  { leftUnits = [], actorId }: { leftUnits?: string[]; actorId?: string | null } = {},
): Promise<void> {
  if (before === null) return;
  const object = await memberForEvent(tx, userId);
  await event(tx, "member.updated", {
    organizationId: tx.organizationId,
    id: userId,
    object,
    previous: changedFields(before, object)?.from,
    reach: { userId, ...(leftUnits.length > 0 && { units: leftUnits }) },
    ...(actorId !== undefined && { actorId }),
  });
}
