import * as people from "#sql/people/accounts";
import * as queries from "#sql/people/memberships";
import * as passkeys from "#sql/people/passkeys";
import { exactlyOne } from "../../platform/db/prepared-query.ts";
import { serializationFailure } from "../../platform/db/transaction.ts";
import type { Tx } from "../context.ts";
import { audit } from "../effects/audit.ts";
import { feedEntry } from "../effects/feed-entry.ts";
import { endOf, withEndedApps } from "../ends.ts";
import { deleteKeysOf } from "../idempotency/responses.ts";
import { lockEmails, lockOrganizations, lockUsers } from "../locks.ts";
import { endAllSessions } from "./end-sessions.ts";
import { lastAdmin } from "./errors.ts";
import { expireInvitationsOfPlatformAdmin } from "./pending-invitations.ts";
import { deleteTwoFactor } from "./second-factor.ts";

/* The deletion of an account, by its owner or by a platform administrator. */

type Memberships = Awaited<ReturnType<typeof queries.listMembershipsOfUser.run>>;
type User = { id: string; email: string; isPlatformAdmin: boolean };

/** Locks the organizations of a user, these emails and the user; returns the user's memberships. */
export async function lockMemberships(tx: Tx, userId: string, emails: string[] = []): Promise<Memberships> {
  const before = await queries.listMembershipsOfUser.run({ userId }, tx.db);
  await lockOrganizations(
    tx,
    before.map(({ organizationId }) => organizationId),
  );
  await lockEmails(tx, emails);
  await lockUsers(tx, [userId]);
  const now = await queries.listMembershipsOfUser.run({ userId }, tx.db);
  const locked = new Set(before.map(({ organizationId }) => organizationId));
  // The user joined another organization meanwhile. Organizations must be locked before users, so the transaction is
  // retried.
  if (!now.every(({ organizationId }) => locked.has(organizationId))) throw serializationFailure();
  return now;
}

/**
 * Soft-deletes an account whose memberships have ended. Its sessions, identities, passkeys, second factor and stored
 * responses end, and its email cannot be reused. Call under the locks of `lockMemberships`; for a platform
 * administrator also under the platform's lock.
 * @param endedWithMemberships how many connected apps ended with the memberships
 * @throws lastAdmin for the last platform administrator
 */
export async function endAccount(tx: Tx, user: User, endedWithMemberships = 0): Promise<void> {
  const { id } = user;
  if (user.isPlatformAdmin) await assertAnotherPlatformAdmin(tx, id);
  await expireInvitationsOfPlatformAdmin(tx, id);
  await endAllSessions(tx, id);
  // The identities are deleted. Otherwise the user could still sign in with a provider.
  await people.deleteIdentitiesOfUser.run({ userId: id }, tx.db);
  await passkeys.deletePasskeysOfUser.run({ userId: id, since: "-infinity" }, tx.db);
  await deleteTwoFactor(tx, id);
  await people.cancelEmailChange.run({ userId: id }, tx.db);
  await deleteKeysOf(tx, id);
  await people.deleteUser.run({ id }, tx.db);
  const endedApps = endedWithMemberships + (await endOf("user", tx, id));
  await feedEntry(tx, "user.deleted", { organizationId: null, id, object: { id } });
  await audit(tx, "USER_DELETED", {
    target: { type: "user", id },
    metadata: { email: user.email, ...withEndedApps(endedApps) },
  });
}

/** Checks that another platform administrator is left. Call under the platform's lock. @throws lastAdmin */
export async function assertAnotherPlatformAdmin(tx: Tx, id: string): Promise<void> {
  if (!exactlyOne(await people.isOtherPlatformAdmin.run({ id }, tx.db)).isLeft) throw lastAdmin();
}
