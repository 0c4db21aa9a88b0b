import * as access from "#sql/access";
import { wrongCode } from "../../core/accounts/errors.ts";
import {
  assertConfirmationsLeft,
  assertCredentialsGiven,
  assertReauthenticated,
  checkPassword,
  countConfirmation,
  findAccountOfSession,
  lockAccount,
} from "../../core/accounts/reauthenticate.ts";
import type { SignedInCall } from "../../core/context.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { conflict } from "../../platform/errors.ts";
import { useTotp } from "../two-factor/codes.ts";

/**
 * Re-authenticates the caller in the current session (rules 9.9).
 * @throws unauthenticated, validationFailed, tooManyRequests, wrongPassword, wrongCode; conflict for an account with
 * neither password nor second factor, which can only sign in again
 */
export async function reauthenticate(
  call: SignedInCall,
  { password, code }: { password?: string | undefined; code?: string | undefined },
): Promise<void> {
  const { userId, sessionId } = call.actor;
  const before = await findAccountOfSession(call.db, call.actor);
  assertCredentialsGiven(before, { password, code });
  await assertConfirmationsLeft(call);
  if (before.passwordHash === null && !before.hasTwoFactor) throw conflict();
  await countConfirmation(call);
  const proof = await checkPassword(call, before, password);

  await transaction(call, async (tx) => {
    const account = await lockAccount(tx);
    assertReauthenticated(account, proof);
    if (account.hasTwoFactor && !(await useTotp(tx, userId, code ?? ""))) throw wrongCode();
    await access.recordReauthentication.run({ userId, sessionId }, tx.db);
  });
}
