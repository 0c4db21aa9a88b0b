import { type App, isObject, type SignedInCall, sizeLimitReached, type Tx, transaction } from "#kit";
import * as queries from "#sql/passkeys";
import { isTwoFactorRequired } from "../../core/access/proofs.ts";
import { authenticatorOf } from "../../core/accounts/authenticators.ts";
import { invalidPasskey } from "../../core/accounts/errors.ts";
import { isCrossOrigin } from "../../core/accounts/passkey-assertions.ts";
import {
  issueChallengeToken,
  readChallengeToken,
  useChallengeOnce,
} from "../../core/accounts/passkey-challenges.ts";
import { CEREMONY_MS, listDescriptors } from "../../core/accounts/passkey-options.ts";
import type { AttestationResponse } from "../../core/accounts/passkey-schemas.ts";
import { lockAccount } from "../../core/accounts/reauthenticate.ts";
import { discardOfferedSecret } from "../../core/accounts/second-factor.ts";
import { turnOnTwoFactor } from "../two-factor/turn-on.ts";
import { tellOfPasskey } from "./effects.ts";
import { passkeyExists } from "./errors.ts";
import { presentPasskey } from "./manage.ts";
import { ALGORITHMS, importableAlgorithm } from "./public-key.ts";

const MAX_PASSKEYS = 20;
/** The maximum length of a credential id in bytes (WebAuthn level 3). */
const MAX_CREDENTIAL_ID = 1_023;

const scopeOf = ({ actor: { userId, sessionId } }: SignedInCall) => ({
  purpose: "register" as const,
  userId,
  sessionId,
});

/**
 * Returns the WebAuthn options with which a browser creates a passkey.
 * @throws unauthenticated; sizeLimitReached for an account with 20 passkeys
 */
export async function beginRegistration(call: SignedInCall) {
  const { rpId, rpName } = call.app.config.passkeys;
  return transaction(call, async (tx) => {
    const account = await lockAccount(tx);
    await assertRoom(tx, account.id);
    const { challengeToken, challenge } = await issueChallengeToken(tx.app, scopeOf(call));
    return {
      challengeToken,
      options: {
        challenge,
        timeout: CEREMONY_MS,
        rp: { id: rpId, name: rpName },
        user: {
          id: Buffer.from(account.id.replaceAll("-", ""), "hex").toString("base64url"),
          name: account.email,
          displayName: `${account.firstName} ${account.lastName}`,
        },
        pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key" as const, alg })),
        excludeCredentials: await listDescriptors(tx.app, tx.db, account.id),
        authenticatorSelection: selectionFor(account),
        attestation: "none" as const,
        extensions: { credProps: true as const },
      },
    };
  });
}

/**
 * Returns what the authenticator must do. Beside a password, a security key without storage or PIN may be added as a
 * second factor; without one, a passkey must sign in alone (rules 34.13).
 */
function selectionFor({ passwordHash }: { passwordHash: string | null }) {
  const need = passwordHash === null ? ("required" as const) : ("preferred" as const);
  return { residentKey: need, requireResidentKey: passwordHash === null, userVerification: need };
}

type Given = { challengeToken: string; name?: string | undefined; response: AttestationResponse };

/**
 * Adds a passkey. If the account must have a second factor and has none, also turns the second factor on and
 * returns the recovery codes. Otherwise a sign-in with only the password would still be possible (rules 34.8).
 * @throws unauthenticated, invalidPasskey, passkeyExists, sizeLimitReached
 */
export async function addPasskey(call: SignedInCall, { challengeToken, name, response }: Given) {
  const { app, actor } = call;
  const challenge = await readChallengeToken(app, challengeToken, scopeOf(call));
  const credential = challenge === null ? null : await verifiedCredential(app, response, challenge);
  const count = (outcome: "succeeded" | "failed") =>
    app.meter.count("passkey_ceremonies_total", { purpose: "register", outcome });
  if (challenge === null || credential === null) {
    count("failed");
    throw invalidPasskey();
  }
  const added = await transaction(call, async (tx) => {
    const account = await lockAccount(tx);
    if (!(await useChallengeOnce(tx, challenge))) throw invalidPasskey();
    if (!credential.signsIn && account.passwordHash === null) throw invalidPasskey();
    const number = await assertRoom(tx, account.id);
    const authenticator = authenticatorOf(credential.aaguid);
    const passkey = {
      ...credential,
      userId: account.id,
      rpId: app.config.passkeys.rpId,
      transports: [...new Set(response.response.transports ?? [])],
      name: name ?? authenticator ?? `Passkey ${number}`,
    };
    const [inserted] = await queries.insertPasskey.run(passkey, tx.db);
    if (inserted === undefined) throw passkeyExists();
    await tellOfPasskey(tx, "ADDED", account, [{ ...passkey, id: inserted.id }]);
    const isMissing = isTwoFactorRequired(app.config, account) && !account.hasTwoFactor;
    // Discards an unconfirmed secret of an authenticator app; otherwise it would take effect without a confirming
    // code.
    if (isMissing) await discardOfferedSecret(tx, account.id);
    const recoveryCodes = isMissing ? await turnOnTwoFactor(tx, account) : null;
    const [row] = await queries.findPasskey.run({ id: inserted.id, userId: actor.userId }, tx.db);
    if (row === undefined) throw new Error("No passkey came of an insert");
    return { passkey: presentPasskey(app, row), recoveryCodes };
  });
  count("succeeded");
  return added;
}

/** Returns the number of the account's next passkey. @throws sizeLimitReached if it has the maximum number */
async function assertRoom(tx: Tx, userId: string): Promise<number> {
  const { length } = await queries.listPasskeys.run({ userId }, tx.db);
  if (length >= MAX_PASSKEYS)
    throw sizeLimitReached(`An account has at most ${MAX_PASSKEYS} passkeys`, MAX_PASSKEYS);
  return length + 1;
}

/**
 * Verifies the authenticator's response and returns the new credential; null if any part of the response is
 * invalid.
 */
async function verifiedCredential(
  { config: { passkeys } }: App,
  response: AttestationResponse,
  challenge: string,
) {
  if (isCrossOrigin(response.response.clientDataJSON)) return null;
  if (Buffer.from(response.id, "base64url").length > MAX_CREDENTIAL_ID) return null;
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  const { decodeAttestationObject, decodeCredentialPublicKey } = await import(
    "@simplewebauthn/server/helpers"
  );
  try {
    const attestation = decodeAttestationObject(
      Buffer.from(response.response.attestationObject, "base64url"),
    );
    if (!isUncertified(attestation)) return null;
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { ...response, clientExtensionResults: {} } as never,
      expectedChallenge: challenge,
      expectedOrigin: passkeys.origins,
      expectedRPID: passkeys.rpId,
      supportedAlgorithmIDs: [...ALGORITHMS],
      requireUserVerification: false,
    });
    if (!verified || registrationInfo.credential.id !== response.id) return null;
    const { credential, aaguid, credentialDeviceType, credentialBackedUp, userVerified } = registrationInfo;
    const algorithm = await importableAlgorithm(decodeCredentialPublicKey(credential.publicKey) as never);
    if (algorithm === null) return null;
    return {
      credentialId: Buffer.from(credential.id, "base64url").toString("hex"),
      publicKey: Buffer.from(credential.publicKey).toString("hex"),
      algorithm,
      signCount: credential.counter,
      aaguid,
      backupEligible: credentialDeviceType === "multiDevice",
      backedUp: credentialBackedUp,
      signsIn: userVerified && isStored(response),
    };
  } catch {
    return null;
  }
}

/** Whether the authenticator stores the passkey, as far as the browser knows: otherwise it is found only by its id. */
function isStored({ clientExtensionResults }: AttestationResponse): boolean {
  const properties = clientExtensionResults?.credProps;
  return !isObject(properties) || properties.rk !== false;
}

type Attestation = { get(key: "fmt"): string; get(key: "attStmt"): { get(key: "x5c"): unknown } };

/**
 * Whether an attestation contains no certificates. The service never requests certificates. To verify one, the
 * library would download revocation lists from URLs that the caller chose (server-side request forgery).
 */
function isUncertified(attestation: Attestation): boolean {
  const format = attestation.get("fmt");
  return format === "none" || (format === "packed" && attestation.get("attStmt").get("x5c") === undefined);
}
