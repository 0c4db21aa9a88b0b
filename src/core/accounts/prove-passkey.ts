import * as queries from "#sql/people/passkeys";
import { transaction } from "../../platform/db/transaction.ts";
import type { Proof } from "../access/proofs.ts";
import type { SignedInCall, Tx } from "../context.ts";
import { invalidPasskey } from "./errors.ts";
import { findUsablePasskey, verifyOnce } from "./passkey-assertions.ts";
import { issueChallengeToken, readChallengeToken } from "./passkey-challenges.ts";
import { listDescriptors, requestOptions } from "./passkey-options.ts";
import type { AssertionResponse } from "./passkey-schemas.ts";
import { findAccountOfSession, lockAccount } from "./reauthenticate.ts";

export type GivenPasskey = { challengeToken: string; response: AssertionResponse };
/** A proof by a passkey. It is valid only while the account has the passkey. */
export type PasskeyProof = { passkeyId: string; proof: Proof };

const scopeOf = ({ actor: { userId, sessionId } }: SignedInCall) => ({
  purpose: "reauthenticate" as const,
  userId,
  sessionId,
});

/**
 * Starts a re-authentication with one of the caller's passkeys. @throws unauthenticated, also if the session has
 * ended
 */
export async function beginPasskeyProof(call: SignedInCall) {
  const { app, db, actor } = call;
  await findAccountOfSession(db, actor);
  const { rpId } = app.config.passkeys;
  const usable = await queries.listUsablePasskeys.run({ userId: actor.userId, rpId }, db);
  const allowCredentials = await listDescriptors(app, db, actor.userId);
  const { challengeToken, challenge } = await issueChallengeToken(app, scopeOf(call));
  return {
    challengeToken,
    options: requestOptions(app, {
      challenge,
      allowCredentials,
      userVerification: usable.every(({ signsIn }) => signsIn) ? "required" : "preferred",
    }),
  };
}

/**
 * Verifies a response of the caller's passkey in its own transaction. `isSecond`: beside a password, or to turn the
 * second factor on, a security key without user verification is enough. The challenge is used, and a copied passkey
 * is blocked, even if the request fails later.
 * @throws unauthenticated, invalidPasskey
 */
export async function checkPasskey(
  call: SignedInCall,
  given: GivenPasskey,
  { isSecond }: { isSecond: boolean },
): Promise<PasskeyProof> {
  const { meter } = call.app;
  const { response } = given;
  const challenge = await readChallengeToken(call.app, given.challengeToken, scopeOf(call));
  const checked =
    challenge === null
      ? null
      : await transaction(call, async (tx) => {
          const account = await lockAccount(tx);
          const passkey = await findUsablePasskey(tx, response);
          if (passkey === null || passkey.userId !== account.id) return null;
          const expected = { response, challenge, usedError: invalidPasskey, isSecond };
          const proof = await verifyOnce(tx, account, passkey, expected);
          return proof && { passkeyId: passkey.id, proof };
        });
  const outcome = checked === null ? "failed" : "succeeded";
  meter.count("passkey_ceremonies_total", { purpose: "reauthenticate", outcome });
  if (checked === null) throw invalidPasskey();
  return checked;
}

/**
 * Checks that the account still has the passkey of a proof: it may have been removed or blocked since. Call under
 * the user's lock. @throws invalidPasskey
 */
export async function assertPasskeyStays(tx: Tx<SignedInCall>, { passkeyId }: PasskeyProof): Promise<void> {
  const { rpId } = tx.app.config.passkeys;
  const rows = await queries.listUsablePasskeys.run({ userId: tx.actor.userId, rpId }, tx.db);
  if (!rows.some(({ id }) => id === passkeyId)) throw invalidPasskey();
}
