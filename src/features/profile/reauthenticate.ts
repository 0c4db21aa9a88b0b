import { ApiError, audit, type SignedInCall, transaction } from "#kit";
import { lacksOwnProof, listWaysToProve } from "#kit/inside";
import { cannotReauthenticate } from "../../core/access/errors.ts";
import { countFailure } from "../../core/accounts/attempts.ts";
import {
  assertConfirmationsLeft,
  assertCredentialsGiven,
  countConfirmation,
  findAccountOfSession,
  lockAccount,
} from "../../core/accounts/reauthenticate.ts";
import { alertOfNewSignIn } from "../front-door/alert.ts";
import { beginProof, completeProof, type GivenProof, withKeys } from "../two-factor/prove.ts";

/**
 * Re-authenticates the caller in the current session (rules 33.6).
 * @throws unauthenticated, validationFailed, tooManyRequests, wrongPassword, wrongCode, invalidPasskey; cannotReauthenticate for an
 * account with neither password nor second factor
 */
export async function reauthenticate(call: SignedInCall, given: GivenProof): Promise<void> {
  const { meter } = call.app;
  const method =
    given.passkey !== undefined ? "passkey" : given.recoveryCode === undefined ? "password" : "recovery_code";
  try {
    await prove(call, given);
    meter.count("reauthentications_total", { method, outcome: "succeeded" });
  } catch (error) {
    if (error instanceof ApiError && error.code.startsWith("INVALID_"))
      meter.count("reauthentications_total", { method, outcome: "failed" });
    throw error;
  }
}

async function prove(call: SignedInCall, given: GivenProof): Promise<void> {
  const { userId } = call.actor;
  const before = await findAccountOfSession(call.db, call.actor);
  assertCredentialsGiven(before, withKeys(given));
  await assertConfirmationsLeft(call);
  if (before.passwordHash === null && !before.hasTwoFactor && given.passkey === undefined)
    throw cannotReauthenticate(await listWaysToProve(call, userId));
  await countConfirmation(call);
  const checked = await beginProof(call, before, given);
  const password = "passkeyId" in checked ? checked.password : checked;
  // The provider of an organization begins confined sessions as often as it likes: guesses in them count like those at sign-in.
  if (call.actor.claims.confined && password?.isRight === false) await countFailure(call, before.email);

  await transaction(call, async (tx) => {
    const account = await lockAccount(tx);
    const isFirst = await lacksOwnProof(tx, tx.actor);
    const proof = await completeProof(tx, account, { given, checked, purpose: "reauthentication" });
    // The session may have ended with its organization, which takes no lock of users. Then nothing was recorded.
    await findAccountOfSession(tx.db, tx.actor);
    const { sessionId } = tx.actor;
    if (isFirst) await alertOfNewSignIn(tx, account, { sessionId, method: proof.kind, provider: null });
    await audit(tx, "REAUTHENTICATED", {
      target: { type: "user", id: userId },
      metadata: { amr: proof.amr },
    });
  });
}
