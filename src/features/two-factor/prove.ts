import { type Proof, proofOf, type SecondFactor } from "../../core/access/proofs.ts";
import { wrongCode } from "../../core/accounts/errors.ts";
import {
  type Account,
  assertReauthenticated,
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
};

type Purpose = Parameters<typeof notifyRecoveryCodeUsed>[2];

/**
 * Completes a re-authentication: compares the account with the checked password, and consumes the code. The use of a
 * recovery code is mailed, if there is a purpose to name. Call under the user's lock.
 * @throws wrongPassword, wrongCode
 */
export async function completeProof(
  tx: Tx<SignedInCall>,
  account: Account,
  {
    given,
    password,
    purpose,
    isOlderRoute = false,
  }: { given: GivenProof; password: PasswordProof; purpose: Purpose | null; isOlderRoute?: boolean },
): Promise<Proof> {
  assertReauthenticated(account, password);
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
