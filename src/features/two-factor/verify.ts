import { type Call, conflict, mail, type Tx, tokenHash, transaction } from "#kit";
import { auditAfterCommit, toAccount } from "#kit/inside";
import * as accounts from "#sql/people/accounts";
import * as queries from "#sql/two-factor";
import { proofOf, type SecondFactor } from "../../core/access/proofs.ts";
import { assertAttemptsLeft, countAttempt } from "../../core/accounts/attempts.ts";
import { findUsablePasskey, verifyAssertion } from "../../core/accounts/passkey-assertions.ts";
import { challengeOfSecondStep } from "../../core/accounts/passkey-challenges.ts";
import { listDescriptors, requestOptions } from "../../core/accounts/passkey-options.ts";
import type { AssertionResponse } from "../../core/accounts/passkey-schemas.ts";
import { completeSignIn } from "../sessions/sign-in.ts";
import { lockForSignIn, type Session } from "../sessions/start.ts";
import { completeArrival, lockForSecondStep, recordRefusedArrival } from "../sign-on/second-step.ts";
import { notifyRecoveryCodeUsed, useRecoveryCode, useTotp } from "./codes.ts";
import { challengeExpired, wrongSignInCode, wrongSignInPasskey } from "./errors.ts";

type VerifyInput = {
  challengeToken: string;
  code?: string | undefined;
  recoveryCode?: string | undefined;
  passkey?: { response: AssertionResponse } | undefined;
};
type User = Awaited<ReturnType<typeof accounts.findCredentials.run>>[number];

/**
 * Completes a sign-in with the second factor (rules 7.2). A challenge and a code work once.
 * @throws challengeExpired; tooManyRequests after ten wrong codes of the user in 15 minutes, or more in a longer
 * time, over all challenges; wrongSignInCode
 */
export async function verifySignIn(
  call: Call,
  { challengeToken, code, recoveryCode, passkey }: VerifyInput,
  cookie: string | null,
): Promise<Session> {
  const hashed = { tokenHash: tokenHash(challengeToken) };
  const session = await transaction(call, async (tx) => {
    const [found] = await queries.findChallenge.run(hashed, tx.db);
    if (found === undefined) throw challengeExpired();
    const { userId } = found;
    const { connectionId } = found;
    // A sign-in by a connection also needs the locks of its organization and address, which come first.
    const arrival =
      connectionId === null ? null : await lockForSecondStep(tx, { ...found, connectionId }, cookie);
    if (connectionId === null) await lockForSignIn(tx, userId, cookie);
    else if (arrival === null) throw challengeExpired();
    // The challenge is read again under the lock, because it may have been used or deleted.
    const [challenge] = await queries.findChallenge.run(hashed, tx.db);
    const [user] = await accounts.findCredentials.run({ id: userId }, tx.db);
    if (challenge === undefined || user === undefined || !user.hasTwoFactor) throw challengeExpired();
    await assertAttemptsLeft(tx.db, { userId, place: "SIGN_IN" });
    const second =
      passkey === undefined
        ? await useCodeOf(tx, userId, { code, recoveryCode })
        : await usePasskey(tx, user, { ...passkey, challengeToken });
    if (second === null) {
      await tellOfFailure(tx, user, passkey === undefined ? "wrong_two_factor_code" : "wrong_passkey");
      return null;
    }
    const [used] = await queries.useChallenge.run({ id: challenge.id }, tx.db);
    if (used === undefined) throw challengeExpired();
    if (recoveryCode !== undefined) await notifyRecoveryCodeUsed(tx, user, "sign-in");
    if (arrival !== null) return completeArrival(tx, arrival, { userId, second });
    const { firstFactor, provider } = challenge;
    return completeSignIn(tx, user, { proof: proofOf(firstFactor as "password", second), provider, cookie });
  });
  // The error is thrown outside of the transaction, because the count of attempts must be committed.
  if (session === null) throw passkey === undefined ? wrongSignInCode() : wrongSignInPasskey();
  if ("refused" in session) {
    await recordRefusedArrival(call, session);
    throw challengeExpired();
  }
  return session;
}

/**
 * Returns the WebAuthn options for a passkey as second factor. Stores nothing.
 * @throws challengeExpired; conflict for an account without a usable passkey
 */
export async function beginSecondPasskey({ app, db }: Call, challengeToken: string) {
  const [found] = await queries.findChallenge.run({ tokenHash: tokenHash(challengeToken) }, db);
  if (found === undefined) throw challengeExpired();
  const allowCredentials = await listDescriptors(app, db, found.userId);
  if (allowCredentials.length === 0) throw conflict();
  const challenge = challengeOfSecondStep(challengeToken);
  return requestOptions(app, { challenge, allowCredentials, userVerification: "preferred" });
}

async function useCodeOf(
  tx: Tx,
  userId: string,
  { code, recoveryCode }: Pick<VerifyInput, "code" | "recoveryCode">,
): Promise<SecondFactor | null> {
  if (recoveryCode !== undefined)
    return (await useRecoveryCode(tx, userId, recoveryCode)) ? { kind: "recovery" } : null;
  return (await useTotp(tx, userId, code ?? "")) ? { kind: "app" } : null;
}

async function usePasskey(
  tx: Tx,
  user: User,
  { response, challengeToken }: { response: AssertionResponse; challengeToken: string },
): Promise<SecondFactor | null> {
  const passkey = await findUsablePasskey(tx, response);
  const challenge = challengeOfSecondStep(challengeToken);
  const expected = { response, challenge, isVerificationRequired: false };
  const proof =
    passkey === null || passkey.userId !== user.id
      ? null
      : await verifyAssertion(tx, user, passkey, expected);
  const outcome = proof === null ? "failed" : "succeeded";
  tx.app.meter.count("passkey_ceremonies_total", { purpose: "second-factor", outcome });
  return proof && { kind: "passkey", amr: proof.amr };
}

/**
 * The number of wrong codes in 24 hours after which the owner gets a mail: probably somebody else knows the
 * password.
 */
const WRONG_CODES_PER_MAIL = 10;

async function tellOfFailure(
  tx: Tx,
  user: User,
  reason: "wrong_two_factor_code" | "wrong_passkey",
): Promise<void> {
  const wrongCodes = await countAttempt(tx, { userId: user.id, place: "SIGN_IN" });
  if (wrongCodes % WRONG_CODES_PER_MAIL === 0)
    await mail(tx, { kind: "wrongTwoFactorCodes", ...toAccount(user), data: { wrongCodes } });
  auditAfterCommit(tx, "LOGIN_FAILED", {
    actorId: null,
    target: { type: "user", id: user.id },
    metadata: { email: user.email, reason },
  });
}
