import {
  audit,
  type Call,
  endOf,
  exactlyOne,
  forbidden,
  mail,
  newToken,
  notify,
  type Queryable,
  type Tx,
  tokenHash,
  transaction,
  unauthenticated,
} from "#kit";
import { assertOwnProof, fromStored } from "#kit/inside";
import * as queries from "#sql/email-changes";
import type { AccessTokenClaims } from "../../core/access/access-token.ts";
import { twoFactorRequired } from "../../core/access/errors.ts";
import { forgetFailures } from "../../core/accounts/attempts.ts";
import { cancelEmailChange as cancelPending } from "../../core/accounts/cancel-email-change.ts";
import { lockMemberships } from "../../core/accounts/end-account.ts";
import { endAllSessions, endOtherSessions } from "../../core/accounts/end-sessions.ts";
import { invalidOrExpiredToken } from "../../core/accounts/errors.ts";
import { type Account, findAccount, findAccountOfSession } from "../../core/accounts/reauthenticate.ts";
import { endChallenges } from "../../core/accounts/second-factor.ts";
import { countConnectedApps, userUpdated } from "../../core/accounts/user.ts";
import { memberUpdated } from "../members/events.ts";
import { removeSuspects } from "./suspects.ts";

type Change = Awaited<ReturnType<typeof queries.findChangeByToken.run>>[number];
type Caller = AccessTokenClaims | null;

/**
 * Confirms a change of email with the link of one address; completes the change if no other confirmation is
 * missing. The link sent to the new address works only in a live session of the account: if the address was
 * mistyped, its owner must not be able to confirm (rules 35.3).
 * @throws invalidOrExpiredToken, unauthenticated, twoFactorRequired, reauthenticationRequired in a confined session, forbidden
 */
export async function confirmEmailChange(
  call: Call,
  token: string,
  caller: Caller,
): Promise<{ waitingFor: "old" | "new" | null }> {
  const hashed = { tokenHash: tokenHash(token) };
  const found = await findChange(call, hashed.tokenHash);
  const confirmed = await transaction(call, async (tx) => {
    const { change, memberships } = await lockChange(tx, found, hashed.tokenHash);
    await assertMayConfirm(tx, change, caller);
    if (change.isCompleted) return { waitingFor: null };
    const confirmed = { ...hashed, id: change.id, sessionId: caller?.sid ?? null };
    if (change.isOld || change.waitsForNew) await queries.confirmChange.run(confirmed, tx.db);
    const now = await findChange(tx, hashed.tokenHash);
    if (now.waitsForOld) return { waitingFor: "old" as const };
    if (now.waitsForNew) return { waitingFor: "new" as const };
    return (await complete(tx, now, memberships)) ? { waitingFor: null } : null;
  });
  // Another account has registered the email since the request. The error is thrown outside of the transaction,
  // because the cancellation of this change must be committed.
  if (confirmed === null) throw invalidOrExpiredToken();
  return confirmed;
}

/**
 * Cancels a change of email with the link of the old address, ends every session and connected app of the account, and removes what a
 * thief may have added before (rules 35.5).
 * @throws invalidOrExpiredToken
 */
export async function cancelEmailChange(call: Call, token: string): Promise<void> {
  const hash = tokenHash(token);
  const found = await findChange(call, hash);
  await transaction(call, async (tx) => {
    const { change } = await lockChange(tx, found, hash);
    const endedApps = await endOf("sessions", tx, change.userId);
    if (!change.isOld || change.isCompleted || !(await cancelPending(tx, change.userId, endedApps)))
      throw invalidOrExpiredToken();
    await endSessions(tx, change.userId);
    await removeSuspects(tx, change, "ifNeeded");
  });
}

async function findChange({ db }: { db: Queryable }, hash: string): Promise<Change> {
  const [change] = await queries.findChangeByToken.run({ tokenHash: hash }, db);
  if (change === undefined) throw invalidOrExpiredToken();
  return change;
}

/**
 * Takes the locks of the user's organizations, of both emails and of the user, and reads the change of email again.
 * @throws invalidOrExpiredToken
 */
async function lockChange(tx: Tx, { oldEmail, newEmail, userId }: Change, hash: string) {
  const memberships = await lockMemberships(tx, userId, [oldEmail, newEmail]);
  return { change: await findChange(tx, hash), memberships };
}

async function assertMayConfirm(tx: Tx, { isOld, userId }: Change, caller: Caller): Promise<void> {
  if (isOld) return;
  if (caller === null) throw unauthenticated();
  const { sub, sid, mustEnableTwoFactor } = caller;
  if (mustEnableTwoFactor) throw twoFactorRequired();
  await findAccountOfSession(tx.db, { userId: sub, sessionId: sid });
  await assertOwnProof(tx, { userId: sub, sessionId: sid, claims: caller });
  if (sub !== userId) throw forbidden();
}

/**
 * Replaces the email of the account. If another account has the new email by now, cancels the change and returns
 * false.
 */
async function complete(tx: Tx, change: Change, memberships: { organizationId: string }[]): Promise<boolean> {
  const { id, userId, oldEmail, newEmail, sessionId } = change;
  if (!exactlyOne(await queries.changeEmail.run({ id }, tx.db)).isChanged) {
    await cancelPending(tx, userId);
    tx.app.meter.count("email_changes_total", { outcome: "taken" });
    return false;
  }
  const { emailChangeUndoHours: undoHours } = tx.app.config;
  const undoToken = undoHours === 0 ? null : newToken();
  const undoTokenHash = undoToken === null ? null : tokenHash(undoToken);
  await queries.markCompleted.run({ id, undoTokenHash, undoHours }, tx.db);
  await endOf("email", tx, userId);
  await endLinks(tx, userId);
  await endSessions(tx, userId, sessionId);
  for (const email of [oldEmail, newEmail]) await forgetFailures(tx, email);
  const account = await findAccount(tx.db, userId);
  await tellOfChange(tx, account, { from: oldEmail, to: newEmail, undoToken });
  await memberUpdated(tx, userId, memberships, { email: oldEmail });
  await userUpdated(tx, userId, { email: oldEmail });
  tx.app.meter.count("email_changes_total", { outcome: "completed" });
  return true;
}

async function tellOfChange(
  tx: Tx,
  { id, language }: Account,
  { from, to, undoToken }: { from: string; to: string; undoToken: string | null },
): Promise<void> {
  const metadata = { from, to };
  await audit(tx, "EMAIL_CHANGED", { actorId: id, target: { type: "user", id }, metadata });
  await notify(tx, id, "EMAIL_CHANGED", metadata);
  const apps = await countConnectedApps(tx, id);
  const data = { newEmail: to, apps, ...(undoToken !== null && { token: undoToken }) };
  await mail(tx, { kind: "emailChanged", to: from, language: fromStored(language), data });
}

/**
 * Ends verification links, password reset links and open sign-in challenges, all of which used the previous email.
 */
export async function endLinks(tx: Tx, userId: string): Promise<void> {
  await queries.endVerificationLinks.run({ userId }, tx.db);
  await queries.endResetLinks.run({ userId }, tx.db);
  await endChallenges(tx, userId);
}

/** Ends the sessions of an account, except `kept`. */
export async function endSessions(tx: Tx, userId: string, kept: string | null = null): Promise<void> {
  const ended =
    kept === null
      ? await endAllSessions(tx, userId)
      : await endOtherSessions(tx, { userId, sessionId: kept });
  for (const id of ended)
    await audit(tx, "SESSION_REVOKED", { actorId: userId, target: { type: "session", id } });
}
