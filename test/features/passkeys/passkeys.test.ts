import { expect, test } from "bun:test";
import {
  type Algorithm,
  assertion,
  PASSKEYS,
  passkeyProof,
  register,
  SoftAuthenticator,
  signIn,
  withPasskey,
} from "../../support/authenticator.ts";
import { Caller, claimsOf } from "../../support/caller.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService, startService } from "../../support/service.ts";
import { inAnotherBrowser } from "../../support/sessions.ts";
import { codeOfStep, currentStep, fromBase32, withTwoFactor } from "../../support/two-factor.ts";

const t = await sharedService();
const REFUSED = "401 INVALID_PASSKEY";
const visitor = () => new Caller(t.url);
const subjects = async (email: string) => (await t.mailTo(email)).map(({ subject }) => subject);

test("a passkey signs in without password and code, whatever the account has", async () => {
  for (const algorithm of [-7, -8, -257] as Algorithm[]) {
    const { person, authenticator, passkey } = await withPasskey(
      await t.person(),
      new SoftAuthenticator({ algorithm }),
    );
    expect(passkey).toMatchObject({
      name: "Passkey 1",
      status: "ACTIVE",
      backupEligible: true,
      backedUp: true,
    });
    const browser = visitor();
    const signedIn = await signIn(browser, authenticator);
    expect(outcome(signedIn)).toBe("200");
    expect(signedIn.cookie).toBeString();
    expect(claimsOf(browser.accessToken ?? "")).toMatchObject({
      sub: idOf(person),
      amr: ["swk", "user", "mfa"],
      acr: "2",
    });
    expectStatus(await browser.get("/api/profile"), 200);
  }
  const { person } = await withTwoFactor(t);
  const { authenticator } = await withPasskey(person);
  expect(outcome(await signIn(visitor(), authenticator))).toBe("200");
});

test("adding a passkey is audited, notified and mailed; it does not turn two-factor on", async () => {
  const person = await t.person();
  const said = { aaguid: "ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4" };
  const { passkey, recoveryCodes } = expectStatus(
    await register(person, new SoftAuthenticator(), { said }),
    201,
  ).body;
  expect(recoveryCodes).toBeNull();
  expect(passkey).toMatchObject({
    name: "Google Password Manager",
    authenticator: "Google Password Manager",
  });
  expect((await person.get("/api/profile")).body).toMatchObject({ passkeyCount: 1, twoFactorEnabled: false });
  expect((await person.get("/api/profile/2fa")).body.methods).toEqual(["passkey"]);
  const events = await t.sql(
    "SELECT actor_id, target_type, metadata FROM audit_events WHERE target_id = $1",
    [passkey.id],
  );
  expect(events).toEqual([
    {
      actor_id: idOf(person),
      target_type: "passkey",
      metadata: { name: "Google Password Manager", authenticator: "Google Password Manager" },
    },
  ]);
  expect(await subjects(person.email)).toContain(
    "You can now sign in with Passkey “Google Password Manager”",
  );
});

test("everything that is wrong with a response has one body, and gives no session", async () => {
  const { authenticator } = await withPasskey(
    await t.person(),
    new SoftAuthenticator({ synced: false, counter: 5 }),
  );
  const other = await t.person();
  const otherHandle = Buffer.from(idOf(other).replaceAll("-", ""), "hex").toString("base64url");
  const faults = {
    unknown: () => signIn(visitor(), new SoftAuthenticator()),
    origin: () => signIn(visitor(), authenticator, { origin: "https://evil.test" }),
    rpId: () => signIn(visitor(), authenticator, { rpId: "evil.test" }),
    type: () => signIn(visitor(), authenticator, { type: "webauthn.create" }),
    crossOrigin: () => signIn(visitor(), authenticator, { crossOrigin: true }),
    challenge: () => signIn(visitor(), authenticator, { challenge: "c29tZXRoaW5nIGVsc2U" }),
    unverified: () => signIn(visitor(), authenticator, { userVerified: false }),
    absent: () => signIn(visitor(), authenticator, { userPresent: false }),
    eligible: () => signIn(visitor(), authenticator, { backupEligible: true }),
    handle: () => signIn(visitor(), authenticator, { userHandle: otherHandle }),
    async key() {
      const stranger = new SoftAuthenticator();
      Object.assign(stranger, { id: authenticator.id });
      return signIn(visitor(), stranger);
    },
  };
  const bodies = [];
  for (const [name, send] of Object.entries(faults)) {
    const response = await send();
    expect([name, outcome(response), response.cookie]).toEqual([name, REFUSED, null]);
    bodies.push(JSON.stringify({ ...response.body, requestId: "" }));
  }
  expect(new Set(bodies).size).toBe(1);
  expect(outcome(await signIn(visitor(), authenticator))).toBe("200");
});

test("a challenge proves once, for its purpose, account and session", async () => {
  const { person, authenticator } = await withPasskey(await t.person());
  const body = await assertion(visitor(), authenticator);
  const send = (sent: object) => visitor().post("/api/auth/passkey/verify", sent);
  const both = await Promise.all([send(body), send(body)]);
  expect(both.map(outcome).sort()).toEqual(["200", "401 UNAUTHENTICATED"]);

  const proof = await passkeyProof(person, authenticator);
  expect(outcome(await send({ ...proof.passkey }))).toBe("401 UNAUTHENTICATED");
  const elsewhere = visitor();
  expectStatus(await signIn(elsewhere, authenticator), 200);
  expect(outcome(await elsewhere.post("/api/profile/reauthenticate", proof))).toBe("400 INVALID_PASSKEY");
  const stranger = await withPasskey(await t.person());
  expect(outcome(await stranger.person.post("/api/profile/reauthenticate", proof))).toBe(
    "400 INVALID_PASSKEY",
  );
  expect(outcome(await person.post("/api/profile/reauthenticate", proof))).toBe("204");
  expect(outcome(await person.post("/api/profile/reauthenticate", proof))).toBe("400 INVALID_PASSKEY");
  const forSignIn = await assertion(visitor(), authenticator);
  expect(outcome(await person.post("/api/profile/reauthenticate", { passkey: forSignIn }))).toBe(
    "400 INVALID_PASSKEY",
  );
  // A token of another kind of the service is no challenge, and a challenge is no access token.
  expect(outcome(await send({ ...forSignIn, challengeToken: person.accessToken }))).toBe(
    "401 UNAUTHENTICATED",
  );
  const holder = new Caller(t.url);
  holder.accessToken = forSignIn.challengeToken;
  expect(outcome(await holder.get("/api/profile"))).toBe("401 UNAUTHENTICATED");
});

test("a repeated assertion does not block a device-bound passkey", async () => {
  const bound = new SoftAuthenticator({ synced: false, counter: 10 });
  const { person } = await withPasskey(await t.person(), bound);
  const body = await assertion(visitor(), bound);
  const send = () => visitor().post("/api/auth/passkey/verify", body);
  const both = await Promise.all([send(), send()]);
  expect(both.map(outcome).sort()).toEqual(["200", "401 UNAUTHENTICATED"]);
  const proof = await passkeyProof(person, bound);
  const prove = () => person.post("/api/profile/reauthenticate", proof);
  expect((await Promise.all([prove(), prove()])).map(outcome).sort()).toEqual(["204", "400 INVALID_PASSKEY"]);
  expect(outcome(await send())).toBe("401 UNAUTHENTICATED");
  expect((await person.get(PASSKEYS)).body[0].status).toBe("ACTIVE");
  expect(outcome(await signIn(visitor(), bound))).toBe("200");
});

test("a device-bound passkey whose counter does not grow is blocked; a synced one keeps its maximum", async () => {
  const bound = new SoftAuthenticator({ synced: false, counter: 10 });
  const { person, passkey } = await withPasskey(await t.person(), bound);
  expectStatus(await signIn(visitor(), bound), 200);
  const [one, two] = [
    await assertion(visitor(), bound, { counter: 20 }),
    await assertion(visitor(), bound, { counter: 20 }),
  ];
  const verify = (body: object) => visitor().post("/api/auth/passkey/verify", body);
  const both = await Promise.all([verify(one), verify(two)]);
  expect(both.map(outcome).sort()).toEqual(["200", REFUSED]);
  expect(outcome(await signIn(visitor(), bound, { counter: 99 }))).toBe(REFUSED);
  expect((await person.get(PASSKEYS)).body[0]).toMatchObject({ id: passkey.id, status: "BLOCKED" });
  expect(await subjects(person.email)).toContain("A passkey of your account was blocked");
  const events = await t.sql("SELECT action FROM audit_events WHERE target_id = $1 ORDER BY time", [
    passkey.id,
  ]);
  expect(events.map(({ action }) => action)).toEqual(["PASSKEY_ADDED", "PASSKEY_BLOCKED"]);

  const synced = new SoftAuthenticator({ counter: 10 });
  const owner = await withPasskey(await t.person(), synced);
  expectStatus(await signIn(visitor(), synced, { counter: 50 }), 200);
  expectStatus(await signIn(visitor(), synced, { counter: 3 }), 200);
  const [row] = await t.sql("SELECT sign_count::int FROM passkeys WHERE id = $1", [owner.passkey.id]);
  expect(row).toEqual({ sign_count: 50 });
});

test("a passkey is a second factor without user verification; wrong ones count among the ten", async () => {
  const { person } = await withTwoFactor(t);
  const { authenticator } = await withPasskey(person);
  const browser = visitor();
  const begin = async () =>
    (await browser.post("/api/auth/login", { email: person.email, password: person.account.password })).body;
  const { challengeToken, methods } = await begin();
  expect(methods).toEqual(["code", "recoveryCode", "passkey"]);
  const { options } = expectStatus(
    await browser.post("/api/auth/2fa/passkey/options", { challengeToken }),
    200,
  ).body;
  expect(options).toMatchObject({
    userVerification: "preferred",
    allowCredentials: [{ type: "public-key" }],
  });
  const wrong = { response: authenticator.get(options, { origin: "https://evil.test" }) };
  expect(outcome(await browser.post("/api/auth/2fa/verify", { challengeToken, passkey: wrong }))).toBe(
    REFUSED,
  );
  const [counted] = await t.sql("SELECT count(*)::int FROM failed_attempts WHERE user_id = $1", [
    idOf(person),
  ]);
  expect(counted).toEqual({ count: 1 });

  const second = await begin();
  const replayed = { response: authenticator.get(options, { userVerified: false }) };
  expect(
    outcome(
      await browser.post("/api/auth/2fa/verify", {
        challengeToken: second.challengeToken,
        passkey: replayed,
      }),
    ),
  ).toBe(REFUSED);
  expect(outcome(await browser.post("/api/auth/2fa/verify", { challengeToken, passkey: replayed }))).toBe(
    "200",
  );
  expect(claimsOf(browser.accessToken ?? "")).toMatchObject({ amr: ["pwd", "swk", "mfa"], acr: "2" });
  expect(outcome(await browser.post("/api/auth/2fa/verify", { challengeToken, passkey: replayed }))).toBe(
    "401 UNAUTHENTICATED",
  );
});

test("without a recent proof nothing about passkeys changes; a passkey is such a proof", async () => {
  const { person, authenticator, passkey } = await withPasskey(await t.person());
  await t.sql("UPDATE session_proofs SET proved_at = now() - interval '11 minutes' WHERE user_id = $1", [
    idOf(person),
  ]);
  expectStatus(await person.refresh(), 200);
  const refused = await person.post(`${PASSKEYS}/options`);
  expect([outcome(refused), refused.body.details]).toEqual([
    "403 REAUTHENTICATION_REQUIRED",
    { methods: ["passkey", "password"], maxAgeSeconds: 600 },
  ]);
  for (const send of [
    () => person.post(PASSKEYS, {}),
    () => person.patch(`${PASSKEYS}/${passkey.id}`, {}),
    () => person.delete(`${PASSKEYS}/${passkey.id}`),
    () => person.post("/api/profile/email", {}),
  ])
    expect(outcome(await send())).toBe("403 REAUTHENTICATION_REQUIRED");
  expectStatus(await person.get(PASSKEYS), 200);
  expectStatus(
    await person.post("/api/profile/reauthenticate", await passkeyProof(person, authenticator)),
    204,
  );
  expectStatus(await person.patch(`${PASSKEYS}/${passkey.id}`, { name: "Laptop" }), 200);
  expectStatus(await person.delete(`${PASSKEYS}/${passkey.id}`), 204);
  expect(outcome(await signIn(visitor(), authenticator))).toBe(REFUSED);
});

test("the last way in stays, also of two passkeys that are removed at once", async () => {
  const { person, passkey } = await withPasskey(await t.person());
  await t.sql("UPDATE users SET password_hash = NULL WHERE id = $1", [idOf(person)]);
  expect(outcome(await person.delete(`${PASSKEYS}/${passkey.id}`))).toBe("409 CONFLICT");
  const second = expectStatus(await register(person), 201).body.passkey;
  const both = await Promise.all([passkey, second].map(({ id }) => person.delete(`${PASSKEYS}/${id}`)));
  expect(both.map(outcome).sort()).toEqual(["204", "409 CONFLICT"]);
});

test("a credential belongs to one account, and an account has at most 20", async () => {
  const { authenticator } = await withPasskey(await t.person());
  const other = await t.person();
  expect(outcome(await register(other, authenticator))).toBe("409 PASSKEY_EXISTS");
  for (let count = 0; count < 20; count += 1) expectStatus(await register(other), 201);
  expect(outcome(await other.post(`${PASSKEYS}/options`))).toBe("409 CONFLICT");
});

test("a key that could never verify is refused when it is added", async () => {
  const person = await t.person();
  const { publicKey } = new SoftAuthenticator();
  const offCurve = Buffer.from(publicKey);
  offCurve[offCurve.length - 1] = (offCurve.at(-1) ?? 0) ^ 1;
  const odd = Buffer.from([0xa1, 0x01, 0x02]);
  const es384 = Buffer.from(publicKey.toString("hex").replace("0326", "033822"), "hex");
  for (const key of [offCurve, odd, es384, Buffer.alloc(0), Buffer.from([0xbf]), Buffer.alloc(70, 0x9b)])
    expect(outcome(await register(person, new SoftAuthenticator(), { said: { publicKey: key } }))).toBe(
      "400 INVALID_PASSKEY",
    );
  for (const said of [{ userPresent: false }, { origin: "https://evil.test" }, { crossOrigin: true }])
    expect(outcome(await register(person, new SoftAuthenticator(), { said }))).toBe("400 INVALID_PASSKEY");
  expect((await person.get(PASSKEYS)).body).toEqual([]);
});

test("a new passkey comes without certificates, so that none of the caller's is looked into", async () => {
  const person = await t.person();
  const formats = ["packed", "android-key", "android-safetynet", "apple", "fido-u2f", "tpm"] as const;
  for (const attestation of formats)
    expect(outcome(await register(person, new SoftAuthenticator(), { said: { attestation } }))).toBe(
      "400 INVALID_PASSKEY",
    );
  expectStatus(await register(person, new SoftAuthenticator(), { said: { attestation: "self" } }), 201);
});

test("the second factor can be a passkey alone, which then stays; recovery codes still work", async () => {
  const { person, authenticator, passkey } = await withPasskey(await t.person());
  const enabled = await person.post("/api/profile/2fa/enable", await passkeyProof(person, authenticator));
  const { recoveryCodes } = expectStatus(enabled, 200).body;
  expect((await person.get("/api/profile/2fa")).body).toMatchObject({ enabled: true, methods: ["passkey"] });
  expect(outcome(await person.delete(`${PASSKEYS}/${passkey.id}`))).toBe("409 CONFLICT");
  const browser = visitor();
  const { challengeToken, methods } = (
    await browser.post("/api/auth/login", { email: person.email, password: person.account.password })
  ).body;
  expect(methods).toEqual(["recoveryCode", "passkey"]);
  expectStatus(
    await browser.post("/api/auth/2fa/verify", { challengeToken, recoveryCode: recoveryCodes[0] }),
    200,
  );
  const off = await person.post("/api/profile/2fa/disable", await passkeyProof(person, authenticator));
  expect(outcome(off)).toBe("204");
  expectStatus(await person.delete(`${PASSKEYS}/${passkey.id}`), 204);
});

test("where the second factor is required, the first passkey turns it on", async () => {
  const strict = await startService({ REQUIRE_TWO_FACTOR: "all" }, { databaseUrl: t.databaseUrl });
  const person = await strict.person();
  expect(claimsOf(person.accessToken ?? "").mustEnableTwoFactor).toBe(true);
  const { password } = person.account;
  const { secret } = expectStatus(await person.post("/api/profile/2fa/setup", { password }), 200).body;
  const { authenticator, recoveryCodes } = await withPasskey(person);
  expect(recoveryCodes).toHaveLength(10);
  expectStatus(await person.refresh(), 200);
  expect(claimsOf(person.accessToken ?? "").mustEnableTwoFactor).toBeUndefined();
  const browser = new Caller(strict.url);
  expect(outcome(await signIn(browser, authenticator))).toBe("200");
  const login = await browser.post("/api/auth/login", {
    email: person.email,
    password: person.account.password,
  });
  expect(login.body.twoFactorRequired).toBe(true);

  // A secret that was offered before, and never confirmed, is no second factor.
  expect((await person.get("/api/profile/2fa")).body.methods).toEqual(["passkey"]);
  const { challengeToken } = login.body;
  const code = codeOfStep(fromBase32(secret), currentStep());
  expect((await browser.post("/api/auth/2fa/verify", { challengeToken, code })).status).toBe(401);
});

test("a platform administrator removes the passkeys of others, which ends the sessions that they proved", async () => {
  const root = await t.platformAdmin();
  const { person, authenticator, passkey } = await withPasskey(await t.person());
  const elsewhere = visitor();
  expectStatus(await signIn(elsewhere, authenticator), 200);
  const path = (who: Caller) => `/api/users/${idOf(who)}/passkeys`;
  expect(outcome(await root.delete(path(root)))).toBe("409 CONFLICT");
  expect(outcome(await person.delete(path(person)))).toBe("403 PLATFORM_ADMIN_REQUIRED");
  // A session that a passkey proved later ends, too.
  const proven = await inAnotherBrowser(person);
  expectStatus(
    await proven.post("/api/profile/reauthenticate", await passkeyProof(proven, authenticator)),
    204,
  );
  expect(outcome(await root.delete(path(person)))).toBe("204");
  expect(outcome(await root.delete(path(person)))).toBe("204");
  expect(outcome(await proven.refresh())).toBe("401 INVALID_REFRESH_TOKEN");
  const events = await t.sql(
    "SELECT actor_id, metadata->>'userId' AS owner FROM audit_events WHERE action = 'PASSKEY_REMOVED' AND target_id = $1",
    [passkey.id],
  );
  expect(events).toEqual([{ actor_id: idOf(root), owner: idOf(person) }]);
  expect(outcome(await elsewhere.refresh())).toBe("401 INVALID_REFRESH_TOKEN");
  expect(outcome(await person.refresh())).toBe("200");
  expect(outcome(await signIn(visitor(), authenticator))).toBe(REFUSED);
  expect(await subjects(person.email)).toContain("You can no longer sign in with Passkey “Passkey 1”");
});
