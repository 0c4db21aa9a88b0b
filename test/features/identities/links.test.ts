import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { userIdOf } from "../../support/notifications.ts";
import { browser, sharedOidc } from "../../support/oidc.ts";
import { outcome } from "../../support/outcomes.ts";
import { expectStatus, uniqueEmail } from "../../support/service.ts";
import { inAnotherBrowser, sameBrowser } from "../../support/sessions.ts";

const { t, oidc, other } = await sharedOidc();

const PATH = "/api/profile/identities";
const list = async (person: Caller) => (await person.get(PATH)).body;
const told = async (person: Caller) =>
  (await person.get("/api/notifications")).body.data
    .filter(({ type }: { type: string }) => type.startsWith("SIGN_IN"))
    .map(({ type, data }: { type: string; data: unknown }) => [type, data])
    .reverse();
const audited = (person: Caller) =>
  t.sql(
    `SELECT action, actor_id AS actor, target_type, target_id AS target, organization_id AS organization, metadata
     FROM audit_events WHERE actor_id = $1 AND action LIKE 'SIGN_IN%' ORDER BY id`,
    [userIdOf(person)],
  );
const INVALID = { error: "INVALID_STATE" };
const IN_USE = { error: "IDENTITY_IN_USE" };

test("a user can link a provider identity with any email, and can then sign in with it", async () => {
  const person = await t.person();
  const subject = oidc.person({ email_verified: false });
  const cookie = person.cookie;
  expect(await browser(t, oidc, person).link(subject)).toEqual({ linked: "acme" });
  expect(person.cookie).toBe(cookie);

  const [identity] = await list(person);
  expect(identity).toMatchObject({ provider: "acme", name: "The acme", email: oidc.emailOf(subject) });
  expect(Math.abs(Date.parse(identity.linkedAt) - Date.now())).toBeLessThan(600_000);
  expect((await person.get("/api/profile")).body.email).toBe(person.email);

  const visitor = browser(t, oidc);
  expect(Object.keys(await visitor.signIn(subject))).toEqual(["token"]);
  expect(userIdOf(visitor.caller)).toBe(userIdOf(person));
});

test("a provider identity without an email can be linked, and is listed without one", async () => {
  const person = await t.person();
  await browser(t, oidc, person).link(oidc.person({ email: undefined }));
  expect((await list(person))[0].email).toBeNull();
});

test("linking and unlinking an identity write an audit event and a notification, and mail the user in their language", async () => {
  for (const [language, added, removed] of [
    ["en", "You can now sign in with The acme", "You can no longer sign in with The acme"],
    ["el", "Μπορείτε πλέον να συνδέεστε μέσω The acme", "Δεν μπορείτε πλέον να συνδέεστε μέσω The acme"],
  ] as const) {
    const person = await t.person({ language });
    await browser(t, oidc, person).link(oidc.person());
    expectStatus(await person.delete(`${PATH}/acme`), 204);
    expect(await list(person)).toEqual([]);
    const id = userIdOf(person);
    const event = { actor: id, target_type: "user", target: id, organization: null };
    expect(await audited(person)).toEqual([
      { action: "SIGN_IN_METHOD_ADDED", ...event, metadata: { provider: "acme" } },
      { action: "SIGN_IN_METHOD_REMOVED", ...event, metadata: { provider: "acme" } },
    ]);
    expect(await told(person)).toEqual([
      ["SIGN_IN_METHOD_ADDED", { provider: "acme" }],
      ["SIGN_IN_METHOD_REMOVED", { provider: "acme" }],
    ]);
    const mails = await t.mailTo(person.email);
    expect(mails.map(({ subject }) => subject)).toEqual([added, removed]);
    expect(mails.flatMap(({ links }) => links)).toEqual([
      "http://app.test/profile",
      "http://app.test/forgot-password",
    ]);
  }
});

test("linking an already linked identity again changes nothing", async () => {
  const person = await t.person();
  const subject = oidc.person();
  const visitor = browser(t, oidc, person);
  await visitor.link(subject);
  expect(await visitor.link(subject)).toEqual({ linked: "acme" });
  expect(await list(person)).toHaveLength(1);
  expect(await told(person)).toHaveLength(1);
});

test("an account can link only one identity per provider", async () => {
  const person = await t.person();
  await browser(t, oidc, person).link(oidc.person());
  expect(await browser(t, oidc, person).link(oidc.person())).toEqual(IN_USE);
  expect(await browser(t, other, person).link(other.person())).toEqual({ linked: "other" });
  const providers = (await list(person)).map(({ provider }: { provider: string }) => provider);
  expect(providers).toEqual(["acme", "other"]);
});

test("an identity of another account cannot be linked", async () => {
  const holder = browser(t, oidc);
  const subject = oidc.person();
  await holder.signIn(subject);
  const person = await t.person();
  expect(await browser(t, oidc, person).link(subject)).toEqual(IN_USE);
  expect([await list(person), await told(person)]).toEqual([[], []]);
  expect(await list(holder.caller)).toHaveLength(1);
});

test("linking an identity needs the password if the account has one; a wrong password does not redirect", async () => {
  const person = await t.person();
  const link = (body?: unknown) => person.post(`${PATH}/acme`, body);
  for (const body of [undefined, {}]) {
    expect((await link(body)).body.errors).toEqual([{ path: "password", message: "password is required" }]);
  }
  for (const body of [{ password: "" }, { password: 7 }, { password: null }, { code: "1" }])
    expect((await link(body)).body.code).toBe("VALIDATION_FAILED");
  const wrong = await link({ password: "wrong" });
  expect([wrong.status, wrong.body.code, wrong.headers.getSetCookie()]).toEqual([
    400,
    "INVALID_CREDENTIALS",
    [],
  ]);
  expect((await link({ password: person.account.password })).status).toBe(200);
});

test("linking an unknown provider is 404: after validation, before wrong passwords count, and not for deleted accounts", async () => {
  const person = await t.person();
  const { password } = person.account;
  const link = (body: unknown) => person.post(`${PATH}/unknown`, body);
  expect(outcome(await link({}))).toBe("400 VALIDATION_FAILED");
  for (let count = 0; count < 10; count += 1)
    expect(outcome(await link({ password: "x" }))).toBe("404 NOT_FOUND");
  expectStatus(await person.post("/api/profile/delete", { password }), 204);
  expect(outcome(await link({ password }))).toBe("401 UNAUTHENTICATED");
});

test("wrong passwords when linking an identity share the limit of password checks in the profile", async () => {
  const person = await t.person();
  const wrong = { password: "wrong" };
  for (let count = 0; count < 5; count += 1) {
    expect((await person.post(`${PATH}/acme`, wrong)).status).toBe(400);
    expect((await person.post("/api/profile/2fa/setup", wrong)).status).toBe(400);
  }
  const refused = await person.post(`${PATH}/acme`, { password: person.account.password });
  expect([refused.status, refused.body.code]).toEqual([429, "TOO_MANY_REQUESTS"]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
});

test("an account without a password links an identity without one", async () => {
  const visitor = browser(t, oidc);
  await visitor.signIn(oidc.person());
  const second = browser(t, other, visitor.caller);
  expect(await second.link(other.person())).toEqual({ linked: "other" });
});

test("linking an identity cannot be finished in a browser with another user's session, or without one", async () => {
  const person = await t.person();
  const visitor = browser(t, oidc, person);
  const [mine, session] = [person.cookie, person.accessToken];
  const stranger = await t.person();
  for (const cookie of [null, "garbage", stranger.cookie]) {
    const subject = oidc.person();
    const callback = await oidc.visit(await visitor.beginLink(), subject);
    person.cookie = cookie;
    expect(await visitor.finish(callback)).toEqual(INVALID);
    Object.assign(person, { cookie: mine, accessToken: session });
  }
  expect([await list(person), await list(stranger)]).toEqual([[], []]);
});

test("linking an identity can be finished in any live session of the user, but not in an ended one", async () => {
  const person = await t.person();
  const visitor = browser(t, oidc, person);
  const mine = person.cookie;
  const second = await inAnotherBrowser(person);
  const third = await inAnotherBrowser(person);
  const replaced = (await inAnotherBrowser(person)).at(t.url);
  await replaced.at(t.url).refresh();
  await third.at(t.url).post("/api/auth/logout");
  for (const cookie of [third.cookie, replaced.cookie]) {
    const callback = await oidc.visit(await visitor.beginLink(), oidc.person());
    person.cookie = cookie;
    expect(await visitor.finish(callback)).toEqual(INVALID);
    person.cookie = mine;
  }
  const callback = await oidc.visit(await visitor.beginLink(), oidc.person());
  person.cookie = second.cookie;
  expect(await visitor.finish(callback)).toEqual({ linked: "acme" });
  // At this callback, a replaced refresh cookie is ignored and does not count as token reuse.
  expect((await replaced.get("/api/profile/sessions")).body).toHaveLength(3);
});

test("a flow that was started to link an identity cannot sign in, and one started to sign in cannot link", async () => {
  const person = await t.person();
  const visitor = browser(t, oidc, person);
  const subject = oidc.person();
  const callback = await oidc.visit(await visitor.beginLink(), subject);
  person.cookie = null;
  expect(await visitor.finish(callback)).toEqual(INVALID);
  expect(person.cookie).toBeNull();
  await person.login();
  expect(Object.keys(await visitor.signIn(subject))).toEqual(["token"]);
  expect((await visitor.caller.get("/api/profile")).body.email).toBe(oidc.emailOf(subject));
});

test("canceling at the provider while linking redirects with the error, and links nothing", async () => {
  const person = await t.person();
  expect(await browser(t, oidc, person).link(null)).toEqual({ error: "ACCESS_DENIED" });
  expect(await list(person)).toEqual([]);
});

test("the only sign-in method cannot be unlinked until the account has a password", async () => {
  const visitor = browser(t, oidc);
  const subject = oidc.person();
  await visitor.signIn(subject);
  const person = visitor.caller;
  const refused = await person.delete(`${PATH}/acme`);
  expect([refused.status, refused.body.code]).toEqual([409, "CONFLICT"]);
  expect(await list(person)).toHaveLength(1);
  expect(await told(person)).toEqual([]);

  await browser(t, other, person).link(other.person());
  expect((await person.delete(`${PATH}/acme`)).status).toBe(204);
  expect((await person.delete(`${PATH}/other`)).status).toBe(409);

  const email = oidc.emailOf(subject);
  await t.anonymous().post("/api/auth/forgot-password", { email });
  const { token } = await t.linkTo(email, "/reset-password");
  const newPassword = "a longer blue yonder";
  expectStatus(await t.anonymous().post("/api/auth/reset-password", { token, newPassword }), 204);
  const owner = t.anonymous();
  expectStatus(await owner.post("/api/auth/login", { email, password: newPassword }), 200);
  expect((await owner.delete(`${PATH}/other`)).status).toBe(204);
});

test("an unlinked identity cannot sign in", async () => {
  const person = await t.person();
  const subject = oidc.person({ email: person.email });
  await browser(t, oidc, person).link(subject);
  expect((await person.delete(`${PATH}/acme`)).status).toBe(204);
  expect((await person.delete(`${PATH}/acme`)).status).toBe(404);
  expect(await browser(t, oidc).signIn(subject)).toEqual({ error: "ACCOUNT_EXISTS" });
  const another = await t.person();
  expect(await browser(t, oidc, another).link(subject)).toEqual({ linked: "acme" });
});

test("an identity of a provider that is no longer configured is listed by its key and can be unlinked, but is no sign-in method", async () => {
  const visitor = browser(t, other);
  await visitor.signIn(other.person());
  const person = visitor.caller;
  await browser(t, oidc, person).link(oidc.person());
  const fewer = await t.beside({ OIDC_PROVIDERS: "acme" });
  const there = person.at(fewer.url);
  expect((await list(there)).map(({ name }: { name: string }) => name)).toEqual(["other", "The acme"]);
  expect((await there.delete(`${PATH}/acme`)).status).toBe(409);
  expect((await there.delete(`${PATH}/other`)).status).toBe(204);
});

test("after an account is deleted, its identity can be used by another account, but its email cannot", async () => {
  const visitor = browser(t, oidc);
  const subject = oidc.person();
  await visitor.signIn(subject);
  expectStatus(await visitor.caller.post("/api/profile/delete", {}), 204);
  expect(await browser(t, oidc).signIn(subject)).toEqual({ error: "EMAIL_UNAVAILABLE" });
  const person = await t.person();
  expect(await browser(t, oidc, person).link(subject)).toEqual({ linked: "acme" });
});

test("linking an identity is not completed if the account is deleted meanwhile", async () => {
  const visitor = browser(t, oidc);
  await visitor.signIn(oidc.person());
  const person = visitor.caller;
  const second = browser(t, other, person.at(t.url));
  const subject = other.person({ email: uniqueEmail() });
  const callback = await other.visit(await second.beginLink(), subject);
  expectStatus(await person.post("/api/profile/delete", {}), 204);
  expect(await second.finish(callback)).toEqual(INVALID);
  expect(Object.keys(await browser(t, other).signIn(subject))).toEqual(["token"]);
});

test("an ended session can neither link nor unlink identities", async () => {
  const person = await t.person();
  await browser(t, oidc, person).link(oidc.person());
  const held = sameBrowser(person);
  expectStatus(await person.post("/api/auth/logout"), 204);
  const { password } = person.account;
  expect(outcome(await held.post(`${PATH}/other`, { password }))).toBe("401 UNAUTHENTICATED");
  expect(outcome(await held.delete(`${PATH}/acme`))).toBe("401 UNAUTHENTICATED");
  expect(await list(held)).toHaveLength(1);
});
