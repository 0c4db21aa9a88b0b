import { auditEach, endOf, event, type Tx } from "#kit";
import { withEndedApps } from "#kit/inside";
import { endMemberships as endAll, listOrganizationsOfOnly } from "../../core/accounts/memberships.ts";
import { subscriptionRenews } from "../../core/plans/errors.ts";
import { findLiveSubscriptions } from "../../core/plans/live-subscriptions.ts";
import { memberForEvent } from "../members/read.ts";
import { disableServiceAccountsOf } from "../service-accounts/accounts.ts";
import { assertBreakGlassLeft } from "../sign-on-policy/break-glass.ts";
import { disableEndpointsOf } from "../webhooks/disable.ts";

/** How a membership ends: by a removal, by the member, or by the deletion of the account by its owner or by others. */
type Cause = "removed" | "left" | "account_deleted_by_owner" | "account_deleted";

const ACTIONS = {
  removed: "MEMBER_REMOVED",
  left: "MEMBER_LEFT",
  account_deleted_by_owner: "MEMBER_LEFT",
  account_deleted: "MEMBER_REMOVED",
} as const;

/**
 * Ends memberships of a user; every end of a membership in a live organization goes through this function. An
 * organization that loses its last member must not go on paying, and nothing may go on acting for it (rules 13.13,
 * 13.14). Returns how many connected apps ended. Call under the organizations' locks.
 * @throws breakGlassRequired, except for an account that a platform administrator deletes; subscriptionRenews
 */
export async function endMemberships(
  tx: Tx,
  userId: string,
  memberships: { id: string; organizationId: string }[],
  cause: Cause,
): Promise<number> {
  const organizationIds = memberships.map(({ organizationId }) => organizationId);
  if (cause !== "account_deleted") await assertBreakGlassLeft(tx, userId, organizationIds);
  const abandoned = await listOrganizationsOfOnly(tx.db, userId, organizationIds);
  const subscriptions = await findLiveSubscriptions(
    tx,
    abandoned.map(({ id }) => id),
  );
  for (const { id, name } of abandoned) {
    const subscription = subscriptions.get(id);
    if (subscription?.renews) throw subscriptionRenews({ organization: name, plan: subscription.plan });
  }
  const reason = cause === "account_deleted_by_owner" ? "account_deleted" : cause;
  // The events are written while the units of the member are still known.
  for (const organizationId of organizationIds)
    await event(tx, "member.deleted", {
      organizationId,
      id: userId,
      object: () => memberForEvent({ organizationId, db: tx.db }, userId),
      reason,
      reach: { userId },
    });
  const endedApps = await endOf("memberships", tx, { userId, organizationIds });
  const ended = await endAll(tx, userId, memberships, cause === "left" ? "left" : "removed");
  // The deletion of an account says it of all organizations.
  const shown = withEndedApps(cause === "left" || cause === "removed" ? endedApps : 0);
  const target = { type: "user", id: userId } as const;
  await auditEach(
    tx,
    ACTIONS[cause],
    ended.map(({ organizationId, roles }) => ({ organizationId, target, metadata: { roles, ...shown } })),
  );
  for (const { id } of abandoned) {
    await disableServiceAccountsOf(tx, id);
    await disableEndpointsOf(tx, id);
  }
  return endedApps;
}
