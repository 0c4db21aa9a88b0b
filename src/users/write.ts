import * as queries from "#sql/users";
import { authorizePlatformAdmin } from "../access/authorize.ts";
import { audit } from "../audit/effect.ts";
import type { SignedInCall } from "../context.ts";
import { lockOrganization, lockPlatform, lockUsers } from "../db/locks.ts";
import { only } from "../db/prepared-query.ts";
import { startOver, type Tx, transaction } from "../db/transaction.ts";
import { conflict, lastAdmin, notFound } from "../http/errors.ts";
import { endIdentities } from "../identities/link.ts";
import { expireInvitationsOfPlatformAdmin } from "../invitations/in-use.ts";
import { endMembership } from "../members/memberships.ts";
import { endAllSessions } from "../sessions/end.ts";
import { findLiveUser } from "./live.ts";
import { showUser } from "./read.ts";

/**
 * Makes somebody a platform administrator, or no longer one.
 * @throws forbidden, notFound; conflict for oneself and for an unverified account; lastAdmin
 */
export async function setPlatformAdmin(call: SignedInCall, id: string, isPlatformAdmin: boolean) {
  return transaction(call, async (tx) => {
    await lockPlatform(tx);
    await authorizePlatformAdmin(tx);
    await lockUsers(tx, [id]);
    const user = await findUser(tx, id);
    if (id === tx.actor.userId) throw conflict();
    if (isPlatformAdmin && user.emailVerifiedAt === null) throw conflict();
    if (user.isPlatformAdmin && !isPlatformAdmin) await refuseLastPlatformAdmin(tx, id);

    const [changed] = await queries.setPlatformAdmin.run({ id, isPlatformAdmin }, tx.db);
    if (changed !== undefined) {
      const action = isPlatformAdmin ? "PLATFORM_ADMIN_GRANTED" : "PLATFORM_ADMIN_REVOKED";
      await audit(tx, action, { target: { type: "user", id } });
      if (!isPlatformAdmin) await expireInvitationsOfPlatformAdmin(tx, id);
    }
    return showUser(tx.db, id);
  });
}

/**
 * Deletes an account softly: its memberships and sessions end, its email stays taken.
 * @throws forbidden, notFound, lastAdmin; conflict for oneself
 */
export async function deleteUser(call: SignedInCall, id: string): Promise<void> {
  await transaction(call, async (tx) => {
    await lockPlatform(tx);
    await authorizePlatformAdmin(tx);
    const memberships = await lockMemberships(tx, id);
    const user = await findUser(tx, id);
    if (id === tx.actor.userId) throw conflict();
    if (user.isPlatformAdmin) await refuseLastPlatformAdmin(tx, id);

    const target = { type: "user", id } as const;
    for (const membership of memberships) {
      const { organizationId } = membership;
      const roles = await endMembership(tx, membership.id, { organizationId, userId: id });
      await audit(tx, "MEMBER_REMOVED", { organizationId, target, metadata: { roles } });
    }
    await expireInvitationsOfPlatformAdmin(tx, id);
    await endAllSessions(tx, id);
    await endIdentities(tx, id);
    await queries.deleteUser.run({ id }, tx.db);
    await audit(tx, "USER_DELETED", { target, metadata: { email: user.email } });
  });
}

/** The memberships of a user, under the locks of their organizations and of the user. */
async function lockMemberships(tx: Tx, userId: string) {
  const before = await queries.listMembershipsOfUser.run({ userId }, tx.db);
  for (const { organizationId } of before) await lockOrganization(tx, organizationId);
  await lockUsers(tx, [userId]);
  const now = await queries.listMembershipsOfUser.run({ userId }, tx.db);
  const locked = new Set(before.map(({ organizationId }) => organizationId));
  // Joined one in between: its lock comes before the user's, so from the beginning.
  if (!now.every(({ organizationId }) => locked.has(organizationId))) throw startOver();
  return now;
}

async function findUser(tx: Tx, id: string) {
  const user = await findLiveUser(tx.db, id);
  if (user === null) throw notFound();
  return user;
}

async function refuseLastPlatformAdmin(tx: Tx, id: string): Promise<void> {
  if (!only(await queries.isOtherPlatformAdmin.run({ id }, tx.db)).isLeft) throw lastAdmin();
}
