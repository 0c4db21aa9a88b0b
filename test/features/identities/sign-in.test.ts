import { expect, test } from "bun:test";
import { claimsOf } from "../../support/caller.ts";
import { userIdOf } from "../../support/notifications.ts";
import { browser, startOidc, withProviders } from "../../support/oidc.ts";
import { createOrganization } from "../../support/organizations.ts";
import { expectStatus, startService, uniqueEmail } from "../../support/service.ts";
import { liveRows } from "../../support/sessions.ts";

const oidc = await startOidc();
const t = await startService(withProviders(oidc));

const accounts = (email: string) =>
  t.sql<{ id: string; password_hash: string | null; email_verified_at: Date | null }>(
    "SELECT * FROM users WHERE email = $1",
    [email],
  );
const events = (email: string) =>
  t.sql<{ action: string; actor_id: string | null; metadata: Record<string, unknown> }>(
    `SELECT action, actor_id, metadata FROM audit_events
     WHERE target_id = (SELECT id FROM users WHERE email = $1) OR metadata->>'email' = $1 ORDER BY id`,
    [email],
  );
const actions = async (email: string) => (await events(email)).map(({ action }) => action);

test("the configured identity providers are listed without secrets", async () => {
  const response = await t.anonymous().get("/api/auth/providers");
  expect([response.status, response.body]).toEqual([200, [{ key: "acme", name: "The acme" }]]);
});

test("a service without identity providers returns an empty list of them", async () => {
  const bare = await startService();
  expect((await bare.anonymous().get("/api/auth/providers")).body).toEqual([]);
  expect((await bare.anonymous().get("/api/auth/oidc/acme")).status).toBe(404);
});

test("a third-party sign-in redirects to the provider with PKCE, a new state and a new nonce", async () => {
  const visits = [];
  for (let count = 0; count < 2; count += 1)
    visits.push(new URL(await browser(t, oidc).begin()).searchParams);
  for (const query of visits) {
    expect(Object.fromEntries(query)).toMatchObject({
      response_type: "code",
      client_id: "service",
      redirect_uri: "http://app.test/api/auth/oidc/acme/callback",
      scope: "openid email profile",
      code_challenge_method: "S256",
    });
    for (const name of ["state", "nonce", "code_challenge"]) expect(query.get(name)).toMatch(/^[\w-]{40,}$/);
  }
  for (const name of ["state", "nonce", "code_challenge"])
    expect(new Set(visits.map((query) => query.get(name))).size).toBe(2);
});

test("a third-party sign-in with a verified email that has no account creates an account and signs in", async () => {
  const subject = oidc.person();
  const email = oidc.emailOf(subject);
  const visitor = browser(t, oidc);
  expect(Object.keys(await visitor.signIn(subject))).toEqual(["token"]);

  const profile = (await visitor.caller.get("/api/profile")).body;
  expect(profile).toMatchObject({ email, firstName: "Grace", lastName: "Hopper", language: "en" });
  expect([profile.isPlatformAdmin, profile.emailVerifiedAt]).toEqual([false, profile.createdAt]);
  const [account] = await accounts(email);
  expect(account?.password_hash).toBeNull();
  expect(await events(email)).toEqual([
    { action: "USER_REGISTERED", actor_id: profile.id, metadata: { provider: "acme" } },
    { action: "LOGIN_SUCCEEDED", actor_id: profile.id, metadata: { amr: [] } },
  ]);
  const notifications = (await visitor.caller.get("/api/notifications")).body.data;
  expect(notifications.map(({ type }: { type: string }) => type)).toEqual(["WELCOME"]);
  expect(await t.mailTo(email)).toEqual([]);
  const identities = (await visitor.caller.get("/api/profile/identities")).body;
  expect(identities).toMatchObject([{ provider: "acme", name: "The acme", email }]);
  expect((await visitor.caller.refresh()).status).toBe(200);
});

test("an account without a password cannot sign in by password", async () => {
  const subject = oidc.person();
  const visitor = browser(t, oidc);
  await visitor.signIn(subject);
  for (const password of ["", "null", "wide blue yonder"]) {
    const response = await t.anonymous().post("/api/auth/login", { email: oidc.emailOf(subject), password });
    expect([400, 401]).toContain(response.status);
  }
});

test("a provider identity signs in to the same account again, even if its name has changed", async () => {
  const subject = oidc.person();
  const first = browser(t, oidc);
  await first.signIn(subject);
  const email = oidc.emailOf(subject);
  for (const changed of [{ email: uniqueEmail() }, { email_verified: false }, { email: undefined }]) {
    oidc.people.set(subject, { ...oidc.people.get(subject), given_name: "Other", ...changed });
    const again = browser(t, oidc);
    expect(Object.keys(await again.signIn(subject))).toEqual(["token"]);
    expect(userIdOf(again.caller)).toBe(userIdOf(first.caller));
    expect((await again.caller.get("/api/profile")).body).toMatchObject({ email, firstName: "Grace" });
  }
  expect(await actions(email)).toEqual(["USER_REGISTERED", ...new Array(4).fill("LOGIN_SUCCEEDED")]);
});

test("a third-party sign-in ends the browser's previous session", async () => {
  const person = await t.person();
  const visitor = browser(t, oidc, person.at(t.url));
  await visitor.signIn(oidc.person());
  expect(await liveRows(t, person.email)).toEqual([]);
  expect((await person.refresh()).status).toBe(401);
});

test("third-party sign-in creates no account from a missing, invalid or unverified email; `email_verified` must be true", async () => {
  const email = uniqueEmail();
  const unverified: Record<string, unknown>[] = [
    { email_verified: false },
    { email_verified: "false" },
    { email_verified: "TRUE" },
    { email_verified: 1 },
    { email_verified: undefined },
    { email_verified: null },
    { email: undefined },
    { email: "" },
    { email: "no address" },
    { email: ["a@b.test"] },
    { email: "Kelvin@\u212Aelvin.test" },
    { email: `${"a".repeat(250)}@b.test` },
  ];
  for (const claims of unverified) {
    const visitor = browser(t, oidc);
    expect([claims, await visitor.signIn(oidc.person({ email, ...claims }))]).toEqual([
      claims,
      { error: "EMAIL_NOT_VERIFIED" },
    ]);
    expect(visitor.caller.cookie).toBeNull();
  }
  expect(await accounts(email)).toEqual([]);
  const failures = await events(email);
  expect(failures).toHaveLength(6);
  expect(failures[0]).toEqual({
    action: "LOGIN_FAILED",
    actor_id: null,
    metadata: { email, reason: "email_not_verified" },
  });
});

test("a third-party sign-in is not linked to an existing account with the same email, ignoring case", async () => {
  const person = await t.person();
  for (const email of [person.email, person.email.toUpperCase(), ` ${person.email} `]) {
    const visitor = browser(t, oidc);
    expect(await visitor.signIn(oidc.person({ email }))).toEqual({ error: "ACCOUNT_EXISTS" });
    expect([visitor.caller.cookie, visitor.caller.accessToken]).toEqual([null, null]);
  }
  expect((await person.get("/api/profile/identities")).body).toEqual([]);
  expect((await person.login()).status).toBe(200);
  expect((await events(person.email)).filter(({ action }) => action === "LOGIN_FAILED")).toHaveLength(3);
});

test("the owner's third-party sign-in does not verify an account that somebody else registered with the same email", async () => {
  const attacker = await t.unverifiedPerson();
  expect(await browser(t, oidc).signIn(oidc.person({ email: attacker.email }))).toEqual({
    error: "ACCOUNT_EXISTS",
  });
  expect((await attacker.login()).body.code).toBe("EMAIL_NOT_VERIFIED");
  expect((await accounts(attacker.email))[0]?.email_verified_at).toBeNull();
});

test("a third-party sign-in does not restore a deleted account, and its email stays taken", async () => {
  const admin = await t.platformAdmin();
  const subject = oidc.person();
  const visitor = browser(t, oidc);
  await visitor.signIn(subject);
  expectStatus(await admin.delete(`/api/users/${userIdOf(visitor.caller)}`), 204);
  expect(await browser(t, oidc).signIn(subject)).toEqual({ error: "EMAIL_UNAVAILABLE" });
  const other = oidc.person({ email: oidc.emailOf(subject) });
  expect(await browser(t, oidc).signIn(other)).toEqual({ error: "EMAIL_UNAVAILABLE" });
  expect((await visitor.caller.get("/api/profile/identities")).status).toBe(401);

  oidc.people.set(subject, { ...oidc.people.get(subject), email: uniqueEmail() });
  expect(Object.keys(await browser(t, oidc).signIn(subject))).toEqual(["token"]);
});

test("a session started by third-party sign-in works like any other", async () => {
  const organization = await createOrganization(t);
  const subject = oidc.person();
  const visitor = browser(t, oidc);
  await visitor.signIn(subject);
  expect(claimsOf(visitor.caller.accessToken ?? "").organization).toBeNull();
  await organization.addUser(userIdOf(visitor.caller), { role: "MEMBER" });
  await visitor.signIn(subject);
  expect(claimsOf(visitor.caller.accessToken ?? "").organization.id).toBe(organization.id);
  expect(claimsOf(visitor.caller.accessToken ?? "").roles).toEqual(["MEMBER"]);

  await t.sql("UPDATE users SET is_platform_admin = true WHERE id = $1", [userIdOf(visitor.caller)]);
  await visitor.signIn(subject);
  expect(claimsOf(visitor.caller.accessToken ?? "")).toMatchObject({
    isPlatformAdmin: true,
    organization: null,
    roles: [],
    permissions: [],
    unitGrants: [],
  });
});

test("an account gets a first and a last name of 1 to 100 characters, whatever names the provider sends", async () => {
  const called: [Record<string, unknown>, string, string][] = [
    [{ given_name: " Ada ", family_name: "Lovelace" }, "Ada", "Lovelace"],
    [{ name: "Ada King Lovelace" }, "Ada King", "Lovelace"],
    [{ given_name: "Ada", name: "Ada Lovelace" }, "Ada", "Lovelace"],
    [{ name: "Cher" }, "Cher", "Cher"],
    [{ given_name: "A\u0000d\u202ea\n", family_name: "\u200b" }, "Ada", "ada.l"],
    [{ given_name: 7, family_name: { x: 1 }, name: [] }, "ada.l", "ada.l"],
    [{}, "ada.l", "ada.l"],
    [{ given_name: "😀".repeat(150), family_name: `${"x".repeat(99)} y` }, "😀".repeat(100), "x".repeat(99)],
    [{ given_name: "\ud800x", family_name: "y" }, "\ufffdx", "y"],
  ];
  for (const [claims, firstName, lastName] of called) {
    const email = `ada.l@${crypto.randomUUID()}.test`;
    const subject = oidc.person({ given_name: undefined, family_name: undefined, email, ...claims });
    const visitor = browser(t, oidc);
    await visitor.signIn(subject);
    expect((await visitor.caller.get("/api/profile")).body).toMatchObject({ email, firstName, lastName });
  }
});

test("a new account's language is the provider's `locale`, if supported", async () => {
  for (const [locale, language] of [
    ["el-GR", "el"],
    ["EN_us", "en"],
    ["fr", "en"],
    [{}, "en"],
  ]) {
    const visitor = browser(t, oidc);
    await visitor.signIn(oidc.person({ locale }));
    expect((await visitor.caller.get("/api/profile")).body.language).toBe(language);
  }
});

test("the email is read from the ID token, or else from userinfo", async () => {
  const email = uniqueEmail();
  const told = { email: email.toUpperCase(), email_verified: true, given_name: "Ida" };
  const visitor = browser(t, oidc);
  const subject = oidc.person();
  await oidc.lying(told, () => visitor.signIn(subject));
  expect((await visitor.caller.get("/api/profile")).body).toMatchObject({ email, firstName: "Ida" });

  const unverified = { email: uniqueEmail() };
  // `email_verified` counts only from the same source as the email.
  expect(await oidc.lying(unverified, () => browser(t, oidc).signIn(oidc.person()))).toEqual({
    error: "EMAIL_NOT_VERIFIED",
  });
});

test("the development page at /auth/callback is not part of the service", async () => {
  for (const path of ["/auth/callback", "/auth/callback.js"])
    expect((await t.anonymous().get(path)).status).toBe(404);
});

test("all routes of an unknown identity provider are 404", async () => {
  const person = await t.person();
  for (const key of ["other", "ACME", "acme%2F..", "constructor", "%F0%9F%98%80"]) {
    for (const path of [`/api/auth/oidc/${key}`, `/api/auth/oidc/${key}/callback?code=x&state=y`])
      expect([path, (await t.anonymous().get(path)).status]).toEqual([path, 404]);
    const path = `/api/profile/identities/${key}`;
    expect((await person.post(path, { password: person.account.password })).status).toBe(404);
    expect((await person.delete(path)).status).toBe(404);
  }
});

test("`email_verified` as the text `true` counts; without the claim, the operator's word for the provider does", async () => {
  const asText = oidc.person({ email_verified: "true" });
  expect(Object.keys(await browser(t, oidc).signIn(asText))).toEqual(["token"]);

  const trusting = await startService({ ...withProviders(oidc), OIDC_ACME_EMAILS: "verified" });
  for (const email_verified of [undefined, null])
    expect(Object.keys(await browser(trusting, oidc).signIn(oidc.person({ email_verified })))).toEqual([
      "token",
    ]);
  for (const claims of [{ email_verified: false }, { email_verified: "false" }, { email: undefined }])
    expect([claims, await browser(trusting, oidc).signIn(oidc.person(claims))]).toEqual([
      claims,
      { error: "EMAIL_NOT_VERIFIED" },
    ]);
});
