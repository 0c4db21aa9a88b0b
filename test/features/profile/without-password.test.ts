import { expect, test } from "bun:test";
import {
  PASSKEYS,
  passkeyProof,
  register,
  SoftAuthenticator,
  signIn,
  withPasskey,
} from "../../support/authenticator.ts";
import { Caller } from "../../support/caller.ts";
import { browser, sharedOidc } from "../../support/oidc.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus } from "../../support/service.ts";
import { stale } from "../../support/sessions.ts";
import { codeOfStep, currentStep, fromBase32 } from "../../support/two-factor.ts";

/* Accounts without a password, by default: REAUTHENTICATION_MINUTES is unset. */

const { t, oidc: acme, other: globex } = await sharedOidc();
const REFUSED = "403 REAUTHENTICATION_REQUIRED";
const REAUTHENTICATE = "/api/profile/reauthenticate";
const LINK = "/api/profile/identities/other";

/** An account that its owner signs in to with a provider only, and the owner's browser. */
async function ofProvider() {
  const owner = browser(t, acme);
  const subject = acme.person();
  await owner.signIn(subject);
  return { owner, subject, person: owner.caller };
}

/** An account that its owner signs in to with a passkey only. */
async function ofPasskey() {
  const { person, authenticator } = await withPasskey(await t.person());
  await t.sql("UPDATE users SET password_hash = NULL WHERE id = $1", [idOf(person)]);
  return { person, authenticator };
}

const ADDITIONS: Record<string, (person: Caller) => ReturnType<Caller["post"]>> = {
  setUp: (person) => person.post("/api/profile/2fa/setup", {}),
  link: (person) => person.post(LINK, {}),
  passkey: (person) => person.post(`${PASSKEYS}/options`),
};

async function expectAdditions(person: Caller, expected: string) {
  for (const [name, add] of Object.entries(ADDITIONS))
    expect([name, outcome(await add(person))]).toEqual([name, expected]);
}

test("without a password, a method is added only after a recent proof by a method that the account has", async () => {
  const { owner, subject, person } = await ofProvider();
  await expectAdditions(person, "200");
  await stale(t, person);
  await expectAdditions(person, REFUSED);
  expect((await person.post("/api/profile/2fa/setup", {})).body.details).toEqual({
    methods: ["provider:acme"],
    maxAgeSeconds: 600,
  });
  // A password in the body proves nothing.
  expect(outcome(await person.post("/api/profile/2fa/setup", { password: "anything at all" }))).toBe(REFUSED);
  await owner.signIn(subject);
  await expectAdditions(person, "200");

  const device = await ofPasskey();
  await expectAdditions(await stale(t, device.person), REFUSED);
  const proof = await passkeyProof(device.person, device.authenticator);
  expectStatus(await device.person.post(REAUTHENTICATE, proof), 204);
  await expectAdditions(device.person, "200");
});

test("without a password, deletion and export need a recent proof, or a passkey in the body", async () => {
  for (const what of ["export", "delete"]) {
    const path = `/api/profile/${what}`;
    const done = what === "export" ? "200" : "204";
    const provided = await ofProvider();
    expect(outcome(await (await stale(t, provided.person)).post(path, {}))).toBe(REFUSED);
    await provided.owner.signIn(provided.subject);
    expect(outcome(await provided.person.post(path, {}))).toBe(done);

    const { person, authenticator } = await ofPasskey();
    expect(outcome(await (await stale(t, person)).post(path, {}))).toBe(REFUSED);
    expect(outcome(await person.post(path, await passkeyProof(person, authenticator)))).toBe(done);
  }
});

test("an export for which nothing was shown is no proof, so it does not renew one", async () => {
  for (const { person } of [await ofProvider(), await ofPasskey()]) {
    const older = async (minutes: number) => {
      await t.sql(
        "UPDATE session_proofs SET proved_at = proved_at - make_interval(mins => $2) WHERE user_id = $1",
        [idOf(person), minutes],
      );
      expectStatus(await person.refresh(), 200);
    };
    await older(6);
    expectStatus(await person.post("/api/profile/export", {}), 200);
    await older(6);
    await expectAdditions(person, REFUSED);
  }
});

test("a shorter REAUTHENTICATION_MINUTES holds for accounts without a password whatever its classes are", async () => {
  const settings = { REAUTHENTICATION_MINUTES: "5", REAUTHENTICATION_FOR: "platform" };
  const strict = await t.beside(settings);
  const { person } = await ofProvider();
  const elsewhere = person.at(strict.url);
  const six = "UPDATE session_proofs SET proved_at = now() - interval '6 minutes' WHERE user_id = $1";
  await t.sql(six, [idOf(person)]);
  expectStatus(await elsewhere.refresh(), 200);
  await expectAdditions(elsewhere, REFUSED);
});

test("a stolen session does not take over an account without a password", async () => {
  const { owner, subject, person } = await ofProvider();
  await stale(t, person);
  // The thief has the access token and the refresh cookie.
  const thief = browser(t, globex, person.at(t.url));
  const code = (secret: string) => codeOfStep(fromBase32(secret), currentStep());
  const offered = await thief.caller.post("/api/profile/2fa/setup", {});
  expect(outcome(offered)).toBe(REFUSED);
  const made = code("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567");
  expect(outcome(await thief.caller.post("/api/profile/2fa/enable", { code: made }))).toBe("409 CONFLICT");
  expect(outcome(await thief.caller.post(REAUTHENTICATE, { code: made }))).toBe("409 CONFLICT");
  expect(outcome(await thief.caller.post(LINK, {}))).toBe(REFUSED);
  expect(outcome(await thief.caller.post(`${REAUTHENTICATE}/other`))).toBe("404 NOT_FOUND");
  expect(outcome(await thief.caller.post(`${PASSKEYS}/options`))).toBe(REFUSED);
  expect(outcome(await thief.caller.post("/api/profile/email", { email: "thief@example.org" }))).toBe(
    REFUSED,
  );
  // The provider of the owner asks who is there, and the thief is somebody else.
  const asked = expectStatus(await thief.caller.post(`${REAUTHENTICATE}/acme`), 200);
  expect(asked.body.url).toContain("max_age=0");
  expect((await person.get("/api/profile")).body).toMatchObject({ passkeyCount: 0, twoFactorEnabled: false });
  expect((await person.get("/api/profile/identities")).body).toHaveLength(1);
  await owner.signIn(subject);
  expectStatus(await register(person), 201);
});

test("a secret that the owner set up and did not confirm is of no use to a stolen session", async () => {
  const { person, authenticator } = await ofPasskey();
  expectStatus(await person.post("/api/profile/2fa/setup", {}), 200);
  const thief = (await stale(t, person)).at(t.url);
  expect(outcome(await thief.post("/api/profile/2fa/enable", { code: "000000" }))).toBe(
    "400 INVALID_TWO_FACTOR_CODE",
  );
  const other = new SoftAuthenticator();
  const proof = await passkeyProof(thief, other);
  for (const path of ["/api/profile/2fa/enable", REAUTHENTICATE])
    expect(outcome(await thief.post(path, proof))).toBe("400 INVALID_PASSKEY");
  expect(outcome(await signIn(new Caller(t.url), authenticator))).toBe("200");
});
