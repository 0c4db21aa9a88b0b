import { type Proof, proofOf, type SecondFactor } from "../../core/access/proofs.ts";
import { wrongCode } from "../../core/accounts/errors.ts";
import {
  assertPasskeyStays,
  checkPasskey,
  type GivenPasskey,
  type PasskeyProof,
} from "../../core/accounts/prove-passkey.ts";
import {
  type Account,
  assertReauthenticated,
  checkPassword,
  type PasswordProof,
} from "../../core/accounts/reauthenticate.ts";
import type { SignedInCall, Tx } from "../../core/context.ts";
import { useCode, useRecoveryCode, useTotp } from "./codes.ts";
import { notifyRecoveryCodeUsed } from "./recovery-code-used.ts";

/** What a caller sends to prove their identity again (rules 33.6). */
export type GivenProof = {
  password?: string | undefined;
  /** A code of the app. Routes that are older than `recoveryCode` take a recovery code here, too. */
  code?: string | undefined;
  recoveryCode?: string | undefined;
  /** With user verification: enough alone. */
  passkey?: GivenPasskey | undefined;
};

/** What was checked before the transaction: a passkey or, of an account that has one, the password. */
export type CheckedProof = PasskeyProof | PasswordProof;

/** Returns all fields that prove something, also those that are missing. */
export const withKeys = ({ password, code, recoveryCode, passkey }: GivenProof) => ({
  password,
  code,
  recoveryCode,
  passkey,
});

/** Checks passkey or password, outside of the transaction of the change. @throws invalidPasskey, tooManyRequests */
export const beginProof = (
  call: SignedInCall,
  account: Account,
  { passkey, password }: GivenProof,
): Promise<CheckedProof> =>
  passkey === undefined ? checkPassword(call, account, password) : checkPasskey(call, passkey);

type Purpose = Parameters<typeof notifyRecoveryCodeUsed>[2];

/**
 * Completes a re-authentication: checks that the account still has the password that was verified, and consumes the
 * code. The use of a recovery code is mailed if a purpose is given, which the mail names. Call under the user's lock.
 * @throws wrongPassword, wrongCode, invalidPasskey
 */
export async function completeProof(
  tx: Tx<SignedInCall>,
  account: Account,
  {
    given,
    checked,
    purpose,
    isOlderRoute = false,
  }: { given: GivenProof; checked: CheckedProof; purpose: Purpose | null; isOlderRoute?: boolean },
): Promise<Proof> {
  if ("passkeyId" in checked) {
    await assertPasskeyStays(tx, checked);
    return checked.proof;
  }
  assertReauthenticated(account, checked);
  const second = account.hasTwoFactor ? await useSecond(tx, account.id, given, isOlderRoute) : null;
  if (second?.kind === "recovery" && purpose !== null) await notifyRecoveryCodeUsed(tx, account, purpose);
  return proofOf(account.passwordHash === null ? "provider" : "password", second);
}

async function useSecond(
  tx: Tx,
  userId: string,
  { code, recoveryCode }: GivenProof,
  isOlderRoute: boolean,
): Promise<SecondFactor> {
  if (recoveryCode !== undefined) {
    if (!(await useRecoveryCode(tx, userId, recoveryCode))) throw wrongCode();
    return { kind: "recovery" };
  }
  const used = isOlderRoute
    ? await useCode(tx, userId, code ?? "")
    : (await useTotp(tx, userId, code ?? "")) && ("app" as const);
  if (!used) throw wrongCode();
  return { kind: used };
}
