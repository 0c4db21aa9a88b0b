import type { SignedInCall, Tx } from "#kit";
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
  recordProof,
} from "../../core/accounts/reauthenticate.ts";
import { notifyRecoveryCodeUsed, useCode, useRecoveryCode, useTotp } from "./codes.ts";

/** The fields by which a caller can prove their identity again (rules 33.6). */
export type GivenProof = {
  password?: string | undefined;
  /**
   * A code of the authenticator app. Routes that are older than the field `recoveryCode` accept a recovery code
   * here, too.
   */
  code?: string | undefined;
  recoveryCode?: string | undefined;
  /** A passkey's response, with user verification. It is sufficient alone. */
  passkey?: GivenPasskey | undefined;
};

/**
 * The proof that was verified before the transaction: the password if the account has one, or a passkey. A passkey
 * without user verification comes with the password.
 */
export type CheckedProof = PasswordProof | (PasskeyProof & { password: PasswordProof | null });

/** Returns all fields of a proof; a missing field is undefined. */
export const withKeys = ({ password, code, recoveryCode, passkey }: GivenProof) => ({
  password,
  code,
  recoveryCode,
  passkey,
});

/**
 * Verifies passkey or password, outside of the transaction that changes something. @throws invalidPasskey,
 * tooManyRequests
 */
export async function beginProof(
  call: SignedInCall,
  account: Account,
  { passkey, password }: GivenProof,
): Promise<CheckedProof> {
  if (passkey === undefined) return checkPassword(call, account, password);
  const isSecond = password !== undefined && account.passwordHash !== null;
  const checked = await checkPasskey(call, passkey, { isSecond });
  const isEnough = checked.proof.factors === 2;
  return { ...checked, password: isEnough ? null : await checkPassword(call, account, password) };
}

type Purpose = Parameters<typeof notifyRecoveryCodeUsed>[2];
type Completion = {
  given: GivenProof;
  checked: CheckedProof;
  purpose: Purpose | null;
  /** Whether `code` may be a recovery code, as on the routes that are older than `recoveryCode`. */
  isOlderRoute?: boolean;
};

/**
 * Completes a re-authentication: checks that the verified password is still the account's, consumes the code, and
 * records in the session what was shown.
 * If a purpose is given, mails the use of a recovery code with this purpose. Call under the user's lock.
 * @throws wrongPassword, wrongCode, invalidPasskey
 */
export async function completeProof(
  tx: Tx<SignedInCall>,
  account: Account,
  { given, checked, purpose, isOlderRoute = false }: Completion,
): Promise<Proof> {
  const proof = await prove(tx, account, { given, checked, purpose, isOlderRoute });
  // Without a password and a second factor nothing was shown here: the route required an earlier proof instead. If it
  // were recorded, a stolen session could renew that proof for ever.
  const isShown = "passkeyId" in checked || account.passwordHash !== null || account.hasTwoFactor;
  if (isShown) await recordProof(tx, proof);
  return proof;
}

async function prove(
  tx: Tx<SignedInCall>,
  account: Account,
  { given, checked, purpose, isOlderRoute }: Required<Completion>,
): Promise<Proof> {
  if ("passkeyId" in checked) {
    await assertPasskeyStays(tx, checked);
    if (checked.password === null) return checked.proof;
    assertReauthenticated(account, checked.password);
    return proofOf("password", { kind: "passkey", amr: checked.proof.amr });
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
