import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import type { Caller } from "./caller.ts";
import { expectStatus } from "./service.ts";

/*
 * A software authenticator, independent of the service's library, so that each checks the other. It can lie about everything.
 */

type Cbor = number | string | Buffer | Map<number | string, Cbor> | Cbor[];

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 256) return Buffer.from([(major << 5) | 24, length]);
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
}

/** Encodes the few types that credentials consist of. */
export function cbor(value: Cbor): Buffer {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string")
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  return Buffer.concat([
    head(5, value.size),
    ...[...value].flatMap(([key, part]) => [cbor(key), cbor(part)]),
  ]);
}

const base64url = (bytes: Buffer | string) => Buffer.from(bytes).toString("base64url");
const sha256 = (bytes: Buffer | string) => createHash("sha256").update(bytes).digest();
const fromJwk = (text = "") => Buffer.from(text, "base64url");

const KINDS = {
  "-7": () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
  "-8": () => generateKeyPairSync("ed25519"),
  "-257": () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
};
export type Algorithm = -7 | -8 | -257;

function coseKey(algorithm: Algorithm, key: KeyObject): Buffer {
  const jwk = key.export({ format: "jwk" });
  const parts: [number, Cbor][] = {
    "-7": [
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, fromJwk(jwk.x)],
      [-3, fromJwk(jwk.y)],
    ] as [number, Cbor][],
    "-8": [
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, fromJwk(jwk.x)],
    ] as [number, Cbor][],
    "-257": [
      [1, 3],
      [3, -257],
      [-1, fromJwk(jwk.n)],
      [-2, fromJwk(jwk.e)],
    ] as [number, Cbor][],
  }[`${algorithm}`];
  return cbor(new Map(parts));
}

/** What one response says, if it differs from what an honest authenticator would say. */
export type Said = {
  origin?: string;
  rpId?: string;
  type?: string;
  challenge?: string;
  crossOrigin?: boolean;
  counter?: number;
  userVerified?: boolean;
  userPresent?: boolean;
  backupEligible?: boolean;
  backedUp?: boolean;
  userHandle?: string | null;
  publicKey?: Buffer;
  transports?: string[];
  aaguid?: string;
  /** `self` signs with the new key, as `packed` allows; any other format has a certificate that is none. */
  attestation?: "self" | "packed" | "android-key" | "android-safetynet" | "apple" | "fido-u2f" | "tpm";
};

export class SoftAuthenticator {
  readonly id = randomBytes(16);
  readonly algorithm: Algorithm;
  readonly synced: boolean;
  counter: number;
  userHandle = "";
  private readonly pair: { publicKey: KeyObject; privateKey: KeyObject };

  constructor({
    algorithm = -7,
    synced = true,
    counter = 0,
  }: { algorithm?: Algorithm; synced?: boolean; counter?: number } = {}) {
    this.algorithm = algorithm;
    this.synced = synced;
    this.counter = counter;
    this.pair = KINDS[`${algorithm}`]() as never;
  }

  get publicKey(): Buffer {
    return coseKey(this.algorithm, this.pair.publicKey);
  }

  /** The response of `navigator.credentials.create`. */
  create(options: CreationOptions, said: Said = {}) {
    this.userHandle = options.user.id;
    const aaguid = Buffer.from((said.aaguid ?? "0".repeat(32)).replaceAll("-", ""), "hex");
    const idLength = Buffer.from([this.id.length >> 8, this.id.length & 255]);
    const credential = Buffer.concat([aaguid, idLength, this.id, said.publicKey ?? this.publicKey]);
    const authData = Buffer.concat([this.authData(options.rp.id, said, 0x40), credential]);
    const clientDataJSON = this.clientData("webauthn.create", options.challenge, said);
    const format = said.attestation === "self" ? "packed" : (said.attestation ?? "none");
    const statement = new Map<string, Cbor>();
    if (format !== "none")
      statement.set("alg", this.algorithm).set("sig", this.signed(authData, clientDataJSON));
    if (format !== "none" && said.attestation !== "self") statement.set("x5c", [Buffer.from("certificate")]);
    const attestation = new Map<string, Cbor>([
      ["fmt", format],
      ["attStmt", statement],
      ["authData", authData],
    ]);
    return {
      ...this.ids(),
      response: {
        clientDataJSON,
        attestationObject: base64url(cbor(attestation)),
        transports: said.transports ?? ["internal"],
      },
    };
  }

  /** The response of `navigator.credentials.get`. */
  get(options: RequestOptions, said: Said = {}) {
    if (this.counter > 0) this.counter += 1;
    const authData = this.authData(options.rpId, said, 0);
    const clientDataJSON = this.clientData("webauthn.get", options.challenge, said);
    const userHandle = said.userHandle === undefined ? this.userHandle : said.userHandle;
    return {
      ...this.ids(),
      response: {
        clientDataJSON,
        authenticatorData: base64url(authData),
        signature: base64url(this.signed(authData, clientDataJSON)),
        ...(userHandle !== null && { userHandle }),
      },
    };
  }

  private signed(authData: Buffer, clientDataJSON: string): Buffer {
    const bytes = Buffer.concat([authData, sha256(Buffer.from(clientDataJSON, "base64url"))]);
    return sign(this.algorithm === -8 ? null : "sha256", bytes, this.pair.privateKey);
  }

  private ids() {
    const id = base64url(this.id);
    return { id, rawId: id, type: "public-key", clientExtensionResults: {} };
  }

  private authData(rpId: string, said: Said, flags: number): Buffer {
    const { userVerified = true, userPresent = true, counter = this.counter } = said;
    const { backupEligible = this.synced, backedUp = backupEligible } = said;
    const bits =
      (userPresent ? 1 : 0) | (userVerified ? 4 : 0) | (backupEligible ? 8 : 0) | (backedUp ? 16 : 0) | flags;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(said.rpId ?? rpId), Buffer.from([bits]), count]);
  }

  private clientData(type: string, challenge: string, said: Said): string {
    const { origin = "http://app.test", crossOrigin = false } = said;
    return base64url(
      JSON.stringify({
        type: said.type ?? type,
        challenge: said.challenge ?? challenge,
        origin,
        crossOrigin,
      }),
    );
  }
}

type CreationOptions = { challenge: string; rp: { id: string }; user: { id: string } };
type RequestOptions = { challenge: string; rpId: string };

export const PASSKEYS = "/api/profile/passkeys";

/** Adds a passkey to an account through the real routes; returns the response of the last one. */
export async function register(
  person: Caller,
  authenticator = new SoftAuthenticator(),
  { said = {}, name }: { said?: Said; name?: string } = {},
) {
  const { challengeToken, options } = expectStatus(await person.post(`${PASSKEYS}/options`), 200).body;
  const response = authenticator.create(options, said);
  return person.post(PASSKEYS, { challengeToken, response, ...(name !== undefined && { name }) });
}

/** An account with a passkey. */
export async function withPasskey(person: Caller, authenticator = new SoftAuthenticator()) {
  const { passkey, recoveryCodes } = expectStatus(await register(person, authenticator), 201).body;
  return { person, authenticator, passkey, recoveryCodes };
}

/** Begins a sign-in; returns the body that completes it. */
export async function assertion(browser: Caller, authenticator: SoftAuthenticator, said: Said = {}) {
  const { challengeToken, options } = expectStatus(await browser.post("/api/auth/passkey/options"), 200).body;
  return { challengeToken, response: authenticator.get(options, said) };
}

export const signIn = async (browser: Caller, authenticator: SoftAuthenticator, said: Said = {}) =>
  browser.post("/api/auth/passkey/verify", await assertion(browser, authenticator, said));

/** The proof of a re-authentication by a passkey. */
export async function passkeyProof(person: Caller, authenticator: SoftAuthenticator, said: Said = {}) {
  const { challengeToken, options } = expectStatus(
    await person.post("/api/profile/reauthenticate/options"),
    200,
  ).body;
  return { passkey: { challengeToken, response: authenticator.get(options, said) } };
}
