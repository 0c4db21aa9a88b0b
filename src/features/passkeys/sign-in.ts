import { type Call, transaction } from "#kit";
import { auditBestEffort } from "#kit/inside";
import * as accounts from "#sql/people/accounts";
import { findUsablePasskey, verifyOnce } from "../../core/accounts/passkey-assertions.ts";
import { issueChallengeToken, readChallengeToken } from "../../core/accounts/passkey-challenges.ts";
import { requestOptions } from "../../core/accounts/passkey-options.ts";
import type { AssertionResponse } from "../../core/accounts/passkey-schemas.ts";
import { completeSignIn } from "../sessions/sign-in.ts";
import { lockForSignIn, type Session } from "../sessions/start.ts";
import { challengeExpired } from "../two-factor/errors.ts";
import { invalidPasskeyAtSignIn } from "./errors.ts";

const SCOPE = { purpose: "sign-in" } as const;

/**
 * Returns the WebAuthn options for a sign-in without an email: the browser offers every passkey of the domain. Uses
 * no database connection, because browsers request this whenever the sign-in page loads.
 */
export async function beginPasskeySignIn({ app }: Call) {
  const { challengeToken, challenge } = await issueChallengeToken(app, SCOPE);
  const options = requestOptions(app, { challenge, allowCredentials: [], userVerification: "required" });
  return { challengeToken, options };
}

/**
 * Signs in with a passkey and user verification, which together count as two factors (rules 34.5).
 * @throws challengeExpired; invalidPasskeyAtSignIn for every other failure
 */
export async function signInWithPasskey(
  call: Call,
  { challengeToken, response }: { challengeToken: string; response: AssertionResponse },
  cookie: string | null,
): Promise<Session> {
  const { meter } = call.app;
  const challenge = await readChallengeToken(call.app, challengeToken, SCOPE);
  if (challenge === null) throw challengeExpired();
  const found = await findUsablePasskey(call, response);
  if (found === null) return fail(call, null);

  const session = await transaction(call, async (tx) => {
    await lockForSignIn(tx, found.userId, cookie);
    // The passkey is read again under the lock: it may have been removed or blocked, or the account deleted.
    const passkey = await findUsablePasskey(tx, response);
    const [user] = await accounts.findCredentials.run({ id: found.userId }, tx.db);
    if (!passkey?.signsIn || user === undefined || !user.isVerified) return null;
    const expected = { response, challenge, usedError: challengeExpired };
    const proof = await verifyOnce(tx, user, passkey, expected);
    return proof && completeSignIn(tx, user, { proof, cookie });
  });
  // The error is thrown outside of the transaction, because the block of a copied passkey must be committed.
  if (session === null) return fail(call, found.userId);
  meter.count("passkey_ceremonies_total", { purpose: "sign-in", outcome: "succeeded" });
  return session;
}

async function fail(call: Call, userId: string | null): Promise<never> {
  call.app.meter.count("passkey_ceremonies_total", { purpose: "sign-in", outcome: "failed" });
  await auditBestEffort(call, "LOGIN_FAILED", {
    actorId: null,
    target: userId === null ? null : { type: "user", id: userId },
    metadata: { email: null, reason: userId === null ? "unknown_passkey" : "wrong_passkey" },
  });
  throw invalidPasskeyAtSignIn();
}
