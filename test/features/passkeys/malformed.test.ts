import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import {
  assertion,
  PASSKEYS,
  register,
  SoftAuthenticator,
  withPasskey,
} from "../../support/authenticator.ts";
import { Caller } from "../../support/caller.ts";
import { outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();
const VERIFY = "/api/auth/passkey/verify";
// biome-ignore lint/suspicious/noExplicitAny: a response that is broken on purpose
type Broken = any;

/** Refused responses use no challenge up, so that they can share one. */
const ROUNDS_OF_CHALLENGE = 10;

const { person, authenticator } = await withPasskey(await t.person());
const visitor = () => new Caller(t.url);

/** The same numbers at each run (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

test("a response of another form is 400, and uses no challenge up", async () => {
  const body = await assertion(visitor(), authenticator);
  const changes: ((response: Broken) => void)[] = [
    (response) => (response.id = "not base64url!"),
    (response) => (response.type = "password"),
    (response) => (response.extra = 1),
    (response) => (response.response.extra = 1),
    (response) => delete response.response.signature,
    (response) => (response.response.clientDataJSON = ""),
    (response) => (response.response.authenticatorData = 5),
    (response) => (response.clientExtensionResults = { large: "x".repeat(70_000) }),
  ];
  for (const change of changes) {
    const broken = structuredClone(body);
    change(broken.response);
    expect(outcome(await visitor().post(VERIFY, broken))).toBe("400 VALIDATION_FAILED");
  }
  const extended: Broken = structuredClone(body);
  extended.response.clientExtensionResults = { credProps: { rk: true }, unknown: [1] };
  extended.response.authenticatorAttachment = "platform";
  expect(outcome(await visitor().post(VERIFY, extended))).toBe("200");
});

test("a new credential that could not be stored is 400", async () => {
  for (const transports of [["\u0000"], ["USB"], [""]])
    expect(outcome(await register(person, new SoftAuthenticator(), { said: { transports } }))).toBe(
      "400 VALIDATION_FAILED",
    );
  const withId = (length: number) => Object.assign(new SoftAuthenticator(), { id: randomBytes(length) });
  expect(outcome(await register(person, withId(1_024)))).toBe("400 INVALID_PASSKEY");
  const { passkey } = expectStatus(await register(person, withId(1_023)), 201).body;
  expectStatus(await person.delete(`${PASSKEYS}/${passkey.id}`), 204);
});

test("bytes that no authenticator writes are refused, never a 500", async () => {
  const next = numbers(20_261_123);
  const rounds = Number(process.env.PASSKEY_ROUNDS ?? 300);
  const seen = new Set<string>();
  for (let round = 0; round < rounds; round += ROUNDS_OF_CHALLENGE) {
    const options = await person.post(`${PASSKEYS}/options`);
    const creation = () => ({
      challengeToken: options.body.challengeToken,
      response: new SoftAuthenticator().create(options.body.options),
    });
    const begun = expectStatus(await visitor().post("/api/auth/passkey/options"), 200).body;
    const send = async (number: number) => {
      const isAssertion = number % 2 === 0;
      const path = isAssertion ? VERIFY : PASSKEYS;
      const body: Broken = isAssertion
        ? { challengeToken: begun.challengeToken, response: authenticator.get(begun.options) }
        : creation();
      const field = isAssertion
        ? ["authenticatorData", "signature", "clientDataJSON"][number % 3]
        : ["attestationObject", "clientDataJSON"][number % 3 === 0 ? 1 : 0];
      body.response.response[field ?? ""] = mutated(body.response.response[field ?? ""], next);
      const response = await (isAssertion ? visitor() : person).post(path, body);
      expect(response.status).toBeLessThan(500);
      seen.add(`${path} ${outcome(response)}`);
      // Nobody signs an attestation, so a flipped bit may make another credential, which is added.
      if (response.status === 201)
        expectStatus(await person.delete(`${PASSKEYS}/${response.body.passkey.id}`), 204);
    };
    await Promise.all(Array.from({ length: ROUNDS_OF_CHALLENGE }, (_, index) => send(round + index)));
  }
  expect(seen).toContain(`${VERIFY} 401 INVALID_PASSKEY`);
  expect(seen).toContain(`${PASSKEYS} 400 INVALID_PASSKEY`);
  expect([...seen].filter((one) => one.startsWith(VERIFY) && one.endsWith("200"))).toEqual([]);
}, 1_800_000);

/** Cuts, lengthens, flips or replaces bytes; CBOR that says it is huge among them. */
function mutated(text: string, next: () => number): string {
  const bytes = Buffer.from(text, "base64url");
  const at = Math.floor(next() * bytes.length);
  const kinds = [
    () => bytes.subarray(0, at),
    () => Buffer.concat([bytes, bytes]),
    () =>
      Buffer.concat([bytes.subarray(0, at), Buffer.from([0x9b, 0xff, 0xff, 0xff, 0xff]), bytes.subarray(at)]),
    () => Buffer.concat([bytes.subarray(0, at), Buffer.from([0xbf, 0x5f, 0x81, 0x81]), bytes.subarray(at)]),
    () => Buffer.alloc(40_000, 0x81),
    () => {
      bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(next() * 8));
      return bytes;
    },
  ];
  const changed = (kinds[Math.floor(next() * kinds.length)] ?? kinds[0])?.() ?? bytes;
  return changed.length === 0 ? "AA" : changed.toString("base64url");
}
