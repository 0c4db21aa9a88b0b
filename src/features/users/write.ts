import {
  audit,
  authorizePlatformAdmin,
  conflict,
  endOf,
  mail,
  notFound,
  type SignedInCall,
  type Tx,
  transaction,
} from "#kit";
import { fromStored, lockPlatform, lockUsers, withEndedApps } from "#kit/inside";
import * as queries from "#sql/users";
import { assertAnotherPlatformAdmin, endAccount, lockMemberships } from "../../core/accounts/end-account.ts";
import { endAllSessions } from "../../core/accounts/end-sessions.ts";
import { expireInvitationsOfPlatformAdmin } from "../../core/accounts/pending-invitations.ts";
import { turnOffTwoFactor } from "../../core/accounts/second-factor.ts";
import { findLiveUser } from "../../core/accounts/user.ts";
import { endMemberships } from "../departures/end.ts";
import { resetPasskeys } from "../passkeys/reset.ts";
import { tellOfEnds } from "../sessions/own.ts";
import { endIdentities } from "../sign-on/connection-delete.ts";
import { showUser } from "./read.ts";

/**
 * Runs a platform administrator's change of an account under its lock. @throws forbidden, notFound
 */
const changeUser = <Result>(
  call: SignedInCall,
  id: string,
  work: (tx: Tx<SignedInCall>, user: Awaited<ReturnType<typeof findUser>>) => Promise<Result>,
): Promise<Result> =>
  transaction(call, async (tx) => {
    await lockPlatform(tx);
    await authorizePlatformAdmin(tx);
    await lockUsers(tx, [id]);
    return work(tx, await findUser(tx, id));
  });

/**
 * Grants or revokes platform administration. Does nothing if the flag does not change.
 * @throws forbidden, notFound; conflict for the caller's own account and for an unverified account; lastAdmin
 */
export const setPlatformAdmin = (call: SignedInCall, id: string, isPlatformAdmin?: boolean) =>
  changeUser(call, id, async (tx, user) => {
    if (isPlatformAdmin === undefined) return showUser(tx.db, id);
    if (id === tx.actor.userId) throw conflict();
    if (isPlatformAdmin && user.emailVerifiedAt === null) throw conflict();
    if (user.isPlatformAdmin && !isPlatformAdmin) await assertAnotherPlatformAdmin(tx, id);

    const [changed] = await queries.setPlatformAdmin.run({ id, isPlatformAdmin }, tx.db);
    if (changed !== undefined) {
      const action = isPlatformAdmin ? "PLATFORM_ADMIN_GRANTED" : "PLATFORM_ADMIN_REVOKED";
      const endedApps = isPlatformAdmin ? await endAccessOfNewAdmin(tx, user) : 0;
      await audit(tx, action, { target: { type: "user", id }, metadata: withEndedApps(endedApps) });
      if (!isPlatformAdmin) await expireInvitationsOfPlatformAdmin(tx, id);
    }
    return showUser(tx.db, id);
  });

/**
 * Soft-deletes an account: its memberships and sessions end, its email stays taken.
 * @throws forbidden, notFound, lastAdmin, subscriptionRenews; conflict for the caller's own account
 */
export async function deleteUser(call: SignedInCall, id: string): Promise<void> {
  await transaction(call, async (tx) => {
    await lockPlatform(tx);
    await authorizePlatformAdmin(tx);
    const memberships = await lockMemberships(tx, id);
    const user = await findUser(tx, id);
    if (id === tx.actor.userId) throw conflict();
    const endedApps = await endMemberships(tx, id, memberships, "account_deleted");
    await endAccount(tx, user, endedApps);
  });
}

/**
 * Turns off the second factor of a user who has lost it.
 * @throws forbidden, notFound; conflict for the caller's own account; twoFactorNotEnabled
 */
export const resetTwoFactor = (call: SignedInCall, id: string): Promise<void> =>
  changeUser(call, id, async (tx) => {
    if (id === tx.actor.userId) throw conflict();
    await turnOffTwoFactor(tx, id, "admin");
  });

/**
 * Removes the passkeys of a user who has lost them.
 * @throws forbidden, notFound; conflict for the caller's own account
 */
export const resetPasskeysOf = (call: SignedInCall, id: string): Promise<void> =>
  changeUser(call, id, async (tx, user) => {
    if (id === tx.actor.userId) throw conflict();
    await resetPasskeys(tx, user);
  });

/**
 * Ends all sessions and connected apps of an account, also of the caller's own, and mails its owner if one was ended.
 * @throws forbidden, notFound
 */
export const endSessionsOfUser = (call: SignedInCall, id: string): Promise<void> =>
  changeUser(call, id, async (tx, { email: to, language }) => {
    const endedApps = await endOf("sessions", tx, id);
    if ((await endSessions(tx, id, endedApps)) + endedApps === 0) return;
    await mail(tx, { kind: "sessionsEndedByAdmin", to, language: fromStored(language), data: {} });
  });

/**
 * Ends what a new platform administrator must not keep; returns how many connected apps ended. Call under the user's lock.
 * - Connected apps: nobody acts for a platform administrator.
 * - Identities of connections, and their proofs: no organization signs in a platform administrator (rules 44.9).
 * - If the service requires the second factor only of platform administrators, the sessions: they may have begun with
 *   the password alone, before the factor was on.
 */
export async function endAccessOfNewAdmin(tx: Tx, user: { id: string; hasTwoFactor: boolean }) {
  await endIdentities(tx, { userId: user.id, organizationIds: null });
  if (user.hasTwoFactor && tx.app.config.requireTwoFactor === "platform-admins")
    await endSessions(tx, user.id);
  return endOf("sessions", tx, user.id);
}

/** Ends all sessions of an account; returns the number of live ones. */
async function endSessions(tx: Tx, userId: string, endedApps = 0): Promise<number> {
  const ended = await endAllSessions(tx, userId);
  // The session rows are deleted, so only the audit event can say whose sessions they were.
  await tellOfEnds(tx, ended, { endedApps, metadata: { userId } });
  return ended.length;
}

async function findUser(tx: Tx, id: string) {
  const user = await findLiveUser(tx.db, id);
  if (user === null) throw notFound();
  return user;
}
