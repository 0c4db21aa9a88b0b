import * as access from "#sql/access";
import * as accounts from "#sql/people/accounts";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { validationFailed } from "../../platform/errors.ts";
import type { Violation } from "../../platform/violations.ts";
import type { UserActor } from "../access/access.ts";
import { unauthenticated } from "../access/errors.ts";
import { type Proof, proofOf } from "../access/proofs.ts";
import { assertCredentialsProof } from "../authorize/recent-proof.ts";
import type { SignedInCall, Tx } from "../context.ts";
import { lockAttempts, lockUsers } from "../locks.ts";
import { assertAttemptsLeft, countAttempt } from "./attempts.ts";
import { wrongPassword } from "./errors.ts";
import { hasSamePassword } from "./passwords.ts";

/*
 * Re-authentication: a signed-in caller proves their identity again, by password, code or both, before an action that a
 * stolen access token alone must not allow. Each feature takes these steps: find the account, reject missing credentials,
 * check the limit, check other preconditions, count the attempt, verify the password; then, in one transaction under the
 * user's lock, read the account again, repeat the checks, compare it with the proof, consume the code.
 */

/** The limit of re-authentications, described in the OpenAPI document of routes with `assertRecentIfUnproven`. */
export const RECENT_PROOF_DESCRIPTION =
  "An account with neither sends a passkey, or needs a proof of its identity within the last 10 minutes (403 `REAUTHENTICATION_REQUIRED`).";

/** The credentials of the caller's account. */
export type Account = Awaited<ReturnType<typeof accounts.findCredentials.run>>[number];

/** The proof by a password. It is valid only while the account still has that password. */
export type PasswordProof = { readonly isRight: boolean; readonly passwordHash: string | null };

/** Finds the caller's account, for reading only. @throws unauthenticated if it is deleted */
export async function findAccount(db: Queryable, userId: string): Promise<Account> {
  const [account] = await accounts.findCredentials.run({ id: userId }, db);
  if (account === undefined) throw unauthenticated();
  return account;
}

/**
 * Finds the caller's account, for a write that changes credentials or ends sessions (rules 6.11).
 * @throws unauthenticated if it is deleted, or if the session has ended
 */
export async function findAccountOfSession(
  db: Queryable,
  { userId: id, sessionId }: Pick<UserActor, "userId" | "sessionId">,
): Promise<Account> {
  const [account] = await accounts.findOwnCredentials.run({ id, sessionId }, db);
  if (account === undefined) throw unauthenticated();
  return account;
}

/**
 * Begins a write that changes credentials, ends sessions of the caller, or creates an organization (rules 6.11):
 * takes the caller's lock, and reads the account under the lock.
 * @throws unauthenticated if it is deleted, or if the session has ended
 */
export async function lockAccount(tx: Tx<SignedInCall>): Promise<Account> {
  await lockUsers(tx, [tx.actor.userId]);
  return findAccountOfSession(tx.db, tx.actor);
}

/**
 * Requires a value for each key of `given` that the account can prove: a password or a second factor.
 * @param others further violations of the request, so that one response reports all
 * @throws validationFailed
 */
export function assertCredentialsGiven(
  account: Account,
  given: {
    password?: string | undefined;
    code?: string | undefined;
    recoveryCode?: string | undefined;
    /** A passkey's response. With it, no other credential is required. */
    passkey?: object | undefined;
  },
  others: Violation[] = [],
): void {
  const isRecoveryCodeGiven = given.recoveryCode !== undefined;
  const has = {
    password: account.passwordHash !== null,
    code: account.hasTwoFactor && !isRecoveryCodeGiven,
  };
  const missing = (given.passkey === undefined ? (["password", "code"] as const) : [])
    .filter((key) => key in given && given[key] === undefined && has[key])
    .map((path) => ({ path, message: `${path} is required` }));
  if (missing.length + others.length > 0) throw validationFailed([...missing, ...others]);
}

/**
 * Requires a recent proof of an account without a password, before a way to sign in or to prove the identity is added (rules 9.9).
 * Otherwise a stolen session could add one, and then pass as the owner by it.
 * @throws reauthenticationRequired
 */
export async function assertRecentWithoutPassword(
  { app, db, actor }: SignedInCall,
  { passwordHash }: Account,
): Promise<void> {
  if (passwordHash === null) await assertCredentialsProof({ app, db }, actor);
}

/**
 * Requires a recent proof of an account that has neither a password nor a second factor, if the request has no passkey (rules 9.9).
 * @throws reauthenticationRequired
 */
export async function assertRecentIfUnproven(
  { app, db, actor }: SignedInCall,
  { passwordHash, hasTwoFactor }: Account,
  { passkey }: { passkey?: object | undefined },
): Promise<void> {
  const isUnproven = passwordHash === null && !hasTwoFactor && passkey === undefined;
  if (isUnproven) await assertCredentialsProof({ app, db }, actor);
}

/** Checks that the user has re-authentication attempts left. @throws tooManyRequests */
export async function assertConfirmationsLeft({ db, actor }: SignedInCall): Promise<void> {
  await assertAttemptsLeft(db, { userId: actor.userId, place: "PROFILE" });
}

/**
 * Counts a re-authentication attempt, correct or wrong, before it is checked. Over all routes that re-authenticate,
 * at most ten attempts in 15 minutes cost a hash, and at most ten guesses are possible, even in parallel.
 * @throws tooManyRequests
 */
export async function countConfirmation(call: SignedInCall): Promise<void> {
  const { userId } = call.actor;
  await transaction(call, async (tx) => {
    await lockAttempts(tx, userId);
    await assertAttemptsLeft(tx.db, { userId, place: "PROFILE" });
    await countAttempt(tx, { userId, place: "PROFILE" });
  });
}

/**
 * Verifies the password of an account that has one. Hashing is slow, so it runs outside of any transaction. A wrong
 * password is rejected only later by `assertReauthenticated`, so that correct and wrong passwords take the same time.
 * @throws tooManyRequests if two hashes of the account are already waiting
 */
export async function checkPassword(
  { app }: SignedInCall,
  { id, passwordHash }: Account,
  password = "",
): Promise<PasswordProof> {
  const isRight =
    passwordHash === null ||
    (await app.hasher.verify(passwordHash, password, { key: id, priority: "confirmation" }));
  return { isRight, passwordHash };
}

/**
 * Checks that the account still has the verified password: it may have been changed since. Call under the user's
 * lock.
 * @throws wrongPassword
 */
export function assertReauthenticated(account: Account, proof: PasswordProof): void {
  if (!proof.isRight || !hasSamePassword(account, proof.passwordHash)) throw wrongPassword();
}

/**
 * Records a proof of identity in the caller's session, so that the caller is not asked again right afterwards (rules
 * 33.8). Returns false if the session has ended. Call under the user's lock.
 */
export async function recordProof(tx: Tx<SignedInCall>, proof: Proof): Promise<boolean> {
  const { userId, sessionId } = tx.actor;
  return (await access.recordProof.run({ userId, sessionId, ...proof }, tx.db)).length > 0;
}

/**
 * Like `assertReauthenticated`, and records the password, if the account has one, as a proof of the session. While the
 * second factor is on, the password alone is no proof: otherwise a thief of session and password could add a passkey
 * without a code.
 * @throws wrongPassword
 */
export async function completePassword(
  tx: Tx<SignedInCall>,
  account: Account,
  proof: PasswordProof,
): Promise<void> {
  assertReauthenticated(account, proof);
  const isWhole = account.passwordHash !== null && !account.hasTwoFactor;
  if (isWhole) await recordProof(tx, proofOf("password"));
}
