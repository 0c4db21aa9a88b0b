import * as queries from "#sql/people/passkeys";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import type { ApiError } from "../../platform/errors.ts";
import type { Proof } from "../access/proofs.ts";
import type { App, Tx } from "../context.ts";
import { audit } from "../effects/audit.ts";
import { mail, toAccount } from "../effects/mail.ts";
import { notify } from "../effects/notify.ts";
import { endOf } from "../ends.ts";
import { authenticatorOf } from "./authenticators.ts";
import { isChallengeUsed, useChallengeOnce } from "./passkey-challenges.ts";
import type { AssertionResponse } from "./passkey-schemas.ts";

export type UsablePasskey = Awaited<ReturnType<typeof queries.findPasskeyByCredential.run>>[number];
type Owner = { id: string; email: string; language: "EL" | "EN" };

/**
 * Finds the passkey of an authenticator's response. Null if no passkey has the credential id, is bound to this
 * domain and is not blocked.
 */
export async function findUsablePasskey(
  { app, db }: { app: App; db: Queryable },
  { id }: Pick<AssertionResponse, "id">,
): Promise<UsablePasskey | null> {
  const { rpId, mode } = app.config.passkeys;
  if (mode === "off") return null;
  const credentialId = Buffer.from(id, "base64url").toString("hex");
  const [found] = await queries.findPasskeyByCredential.run({ credentialId, rpId }, db);
  return found ?? null;
}

/**
 * Verifies an authenticator's response, and records the use of the passkey (rules 34.6, 34.7).
 * - Returns the proof; null if the response is invalid. Even then the transaction must commit, because the passkey
 *   may have been blocked.
 * - The counter is checked last: a device-bound passkey whose counter does not grow may have been copied, so it is
 *   blocked.
 * - Call under the user's lock, with a passkey that was read under the lock.
 */
export async function verifyAssertion(
  tx: Tx,
  owner: Owner,
  passkey: UsablePasskey,
  expected: { response: AssertionResponse; challenge: string; isVerificationRequired: boolean },
): Promise<Proof | null> {
  const signed = await verifiedData(tx.app, passkey, owner.id, expected);
  if (signed === null || signed.isBackupEligible !== passkey.backupEligible) return null;
  const { counter, isBackedUp, isUserVerified } = signed;
  const isGreater = counter > passkey.signCount || (counter === 0 && passkey.signCount === 0);
  if (!isGreater && !passkey.backupEligible) {
    await block(tx, owner, passkey);
    return null;
  }
  const count = { readCount: passkey.signCount, signCount: Math.max(counter, passkey.signCount) };
  const [used] = await queries.usePasskey.run({ id: passkey.id, ...count, backedUp: isBackedUp }, tx.db);
  if (used === undefined) return null;
  const method = passkey.backupEligible ? "swk" : "hwk";
  return isUserVerified
    ? { kind: "passkey", factors: 2, amr: [method, "user", "mfa"] }
    : { kind: "passkey", factors: 1, amr: [method] };
}

/**
 * Like `verifyAssertion`, but accepts each challenge only once, and requires user verification, except of a passkey
 * that is only a second factor if `isSecond`. Checks first whether
 * the challenge was used: verifying a repeated assertion would block a device-bound passkey, as if it had been
 * copied.
 * @throws `usedError` if the challenge was used
 */
export async function verifyOnce(
  tx: Tx,
  owner: Owner,
  passkey: UsablePasskey,
  {
    usedError,
    isSecond = false,
    ...expected
  }: { response: AssertionResponse; challenge: string; usedError: () => ApiError; isSecond?: boolean },
): Promise<Proof | null> {
  if (await isChallengeUsed(tx, expected.challenge)) throw usedError();
  const isVerificationRequired = passkey.signsIn || !isSecond;
  const proof = await verifyAssertion(tx, owner, passkey, { ...expected, isVerificationRequired });
  if (proof !== null && !(await useChallengeOnce(tx, expected.challenge))) throw usedError();
  return proof;
}

/** Returns the data that the authenticator signed; null if any part of the response is invalid. */
async function verifiedData(
  { config: { passkeys } }: App,
  passkey: UsablePasskey,
  userId: string,
  { response, challenge, isVerificationRequired }: Parameters<typeof verifyAssertion>[3],
) {
  const { userHandle } = response.response;
  if (userHandle && Buffer.from(userHandle, "base64url").toString("hex") !== userId.replaceAll("-", ""))
    return null;
  if (isCrossOrigin(response.response.clientDataJSON)) return null;
  if (passkey.algorithm === ES256 && hasTrailingBytes(response.response.signature)) return null;
  // The library is loaded with the first passkey, because nothing else needs it.
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...response, clientExtensionResults: {} } as never,
      expectedChallenge: challenge,
      expectedOrigin: passkeys.origins,
      expectedRPID: passkeys.rpId,
      requireUserVerification: isVerificationRequired,
      // `verifyAssertion` checks the counter. With the stored counter, the library would throw.
      credential: { id: response.id, publicKey: Buffer.from(passkey.publicKey, "hex"), counter: 0 },
    });
    if (!verified) return null;
    return {
      counter: authenticationInfo.newCounter,
      isBackupEligible: authenticationInfo.credentialDeviceType === "multiDevice",
      isBackedUp: authenticationInfo.credentialBackedUp,
      isUserVerified: authenticationInfo.userVerified,
    };
  } catch {
    // The library throws for every fault in the response, and for malformed bytes.
    return null;
  }
}

/**
 * Whether the page was embedded in a page of another origin, where a user may not know what they confirm
 * (clickjacking).
 */
export function isCrossOrigin(clientDataJSON: string): boolean {
  try {
    return JSON.parse(Buffer.from(clientDataJSON, "base64url").toString("utf8")).crossOrigin === true;
  } catch {
    return true;
  }
}

const ES256 = -7;

/** Whether bytes follow a DER signature. The library would not notice them. */
function hasTrailingBytes(signature: string): boolean {
  const bytes = Buffer.from(signature, "base64url");
  return bytes[1] !== bytes.length - 2;
}

async function block(tx: Tx, owner: Owner, { id, name, aaguid }: UsablePasskey): Promise<void> {
  const [blocked] = await queries.blockPasskey.run({ id }, tx.db);
  if (blocked === undefined) return;
  const metadata = { name, authenticator: authenticatorOf(aaguid) };
  await audit(tx, "PASSKEY_BLOCKED", { actorId: owner.id, target: { type: "passkey", id }, metadata });
  await notify(tx, owner.id, "PASSKEY_BLOCKED", { name });
  await mail(tx, { kind: "passkeyBlocked", ...toAccount(owner), data: { name } });
  await endOf("secondFactor", tx, owner.id);
}
