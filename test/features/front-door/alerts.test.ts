import { expect, test } from "bun:test";
import { SoftAuthenticator, signIn as signInByPasskey, withPasskey } from "../../support/authenticator.ts";
import { Caller } from "../../support/caller.ts";
import { counter } from "../../support/front-door.ts";
import { userIdOf } from "../../support/notifications.ts";
import { browser, startOidc, withProviders } from "../../support/oidc.ts";
import { createOrganization } from "../../support/organizations.ts";
import { race } from "../../support/race.ts";
import { expectStatus, sharedService, startService, uniqueEmail } from "../../support/service.ts";
import { confine, insertConnection } from "../../support/sign-on.ts";
import { challenge, withTwoFactor, wrongCode } from "../../support/two-factor.ts";

/* Each request sets its IP address by X-Forwarded-For, like a reverse proxy. */
const oidc = await startOidc();
const t = await startService({
  ...withProviders(oidc),
  SIGN_IN_ALERTS: "on",
  TRUST_PROXY: "1",
  METRICS_PORT: "0",
});
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const NEWER = FIREFOX.replaceAll("140.0", "141.0");
const CHROME =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36";
const WINDOWS = FIREFOX.replace("X11; Linux x86_64", "Windows NT 10.0; Win64; x64");
const HOME = "203.0.113.7";

type From = { agent?: string; ip?: string };
const headersOf = ({ agent = FIREFOX, ip = HOME }: From) => ({ "user-agent": agent, "x-forwarded-for": ip });

async function newPerson(): Promise<Caller> {
  const email = uniqueEmail();
  const person = await t.person({ email });
  await t.sql("DELETE FROM known_sign_ins WHERE user_id = $1", [userIdOf(person)]);
  return person;
}
async function login({ account }: Caller, from: From = {}): Promise<Caller> {
  const caller = new Caller(t.url, account);
  const { email, password } = account;
  expectStatus(await caller.post("/api/auth/login", { email, password }, { headers: headersOf(from) }), 200);
  return caller;
}
const alertsOf = (person: Caller) =>
  t.sql<{ data: Record<string, unknown> }>(
    "SELECT data FROM notifications WHERE type = 'NEW_SIGN_IN' AND user_id = $1 ORDER BY id",
    [userIdOf(person)],
  );
const count = async (person: Caller) => (await alertsOf(person)).length;

test("the first browser of an account is silent, a new one notifies and mails once, and a known one never", async () => {
  const person = await newPerson();
  await login(person);
  await login(person);
  expect(await count(person)).toBe(0);
  const session = await login(person, { agent: CHROME });
  await login(person, { agent: CHROME });
  await login(person);
  const [alert, ...more] = await alertsOf(person);
  expect(more).toEqual([]);
  const { sid } = JSON.parse(atob((session.accessToken ?? "").split(".")[1] ?? ""));
  expect(alert?.data).toEqual({
    sessionId: sid,
    ip: HOME,
    userAgent: CHROME,
    method: "password",
    provider: null,
  });
  const mails = await t.mailTo(person.email);
  expect(mails.map(({ subject }) => subject)).toEqual(["New sign-in to your account"]);
  expect(mails[0]?.text).toContain("Chrome on Linux, address 203.0.113.7");
  expect(mails[0]?.links.map((link) => new URL(link).pathname)).toContain("/profile");
  const shown = (await person.get("/api/notifications")).body.data;
  expect(shown[0]).toMatchObject({ type: "NEW_SIGN_IN", data: { method: "password" } });
});

test("a browser is its family, platform and network: another version or address of the network is the same one", async () => {
  const person = await newPerson();
  await login(person);
  await login(person, { agent: NEWER });
  await login(person, { ip: "203.0.113.250" });
  expect(await count(person)).toBe(0);
  await login(person, { ip: "203.0.114.7" });
  expect(await count(person)).toBe(1);
  await login(person, { agent: WINDOWS });
  expect(await count(person)).toBe(2);
  const other = await newPerson();
  await login(other, { ip: "2001:db8:1:1::1" });
  await login(other, { ip: "2001:db8:1:2::1" });
  expect(await count(other)).toBe(0);
  await login(other, { ip: "2001:db8:2:1::1" });
  expect(await count(other)).toBe(1);
});

test("an account gets at most three alerts in 24 hours, and a browser that was not used for 90 days is new again", async () => {
  const person = await newPerson();
  for (let network = 1; network <= 6; network += 1) await login(person, { ip: `198.51.${network}.1` });
  expect(await count(person)).toBe(3);
  await t.drain();
  expect(t.inbox.mailsTo(person.email)).toHaveLength(3);
  for (const { id } of expectStatus(await person.get("/api/notifications?pageSize=50"), 200).body.data)
    expectStatus(await person.delete(`/api/notifications/${id}`), 204);
  await login(person, { ip: "198.51.7.1" });
  expect(await count(person)).toBe(3);
  await t.age("notifications", { user_id: userIdOf(person) }, { hours: 25 });
  // The fourth browser was recorded, although it was not told.
  await login(person, { ip: "198.51.6.1" });
  expect(await count(person)).toBe(3);
  await t.age("known_sign_ins", { user_id: userIdOf(person) }, { days: 91 });
  await login(person, { ip: "198.51.6.1" });
  expect(await count(person)).toBe(4);
});

test("neither refresh, switch nor registration is told", async () => {
  const { admin } = await createOrganization(t);
  const elsewhere = headersOf({ agent: WINDOWS, ip: "192.0.2.1" });
  expectStatus(await admin.refresh({ headers: elsewhere }), 200);
  const [{ id } = { id: "" }] = (await admin.get("/api/auth/organizations")).body;
  expectStatus(
    await admin.post("/api/auth/organization", { organizationId: id }, { headers: elsewhere }),
    200,
  );
  expect(await count(admin)).toBe(0);
  const visitor = browser(t, oidc);
  await visitor.signIn(oidc.person());
  expect(await count(visitor.caller)).toBe(0);
});

test("of twenty sign-ins from one new browser at once one is told", async () => {
  const person = await newPerson();
  await login(person);
  await race(20, () => login(person, { agent: CHROME }).catch(() => null));
  expect(await count(person)).toBe(1);
  await t.drain();
  expect(t.inbox.mailsTo(person.email)).toHaveLength(1);
});

test("a sign-in is told when its second factor is right, with the method that began it", async () => {
  const { person, ...factor } = await withTwoFactor(t);
  const headers = headersOf({ agent: CHROME });
  const token = (await challenge(person)).challengeToken;
  const before = await count(person);
  const other = new Caller(t.url, person.account);
  const verifyFrom = (code: string) =>
    other.post("/api/auth/2fa/verify", { challengeToken: token, code }, { headers });
  expect((await verifyFrom(wrongCode(factor))).status).toBe(401);
  expect(await count(person)).toBe(before);
  expectStatus(await verifyFrom(factor.code()), 200);
  const alerts = await alertsOf(person);
  expect(alerts).toHaveLength(before + 1);
  expect(alerts.at(-1)?.data).toMatchObject({ method: "password", provider: null });
});

test("passkeys and providers are told with their method", async () => {
  const person = await newPerson();
  await login(person);
  const subject = oidc.person();
  await browser(t, oidc, await login(person)).link(subject);
  const visitor = browser(t, oidc);
  const callback = await oidc.visit(await visitor.begin(), subject);
  await visitor.finish(callback, headersOf({ agent: WINDOWS }));
  expect((await alertsOf(person)).at(-1)?.data).toMatchObject({ method: "provider", provider: "acme" });

  const owner = await newPerson();
  const { authenticator } = await withPasskey(owner, new SoftAuthenticator());
  await login(owner, { ip: "192.0.2.9" });
  const device = new Caller(t.url, owner.account);
  device.address = "198.51.100.77";
  expectStatus(await signInByPasskey(device, authenticator), 200);
  expect((await alertsOf(owner)).at(-1)?.data).toMatchObject({ method: "passkey", provider: null });
});

test("browsers that were not used for 90 days are deleted daily, and those of a deleted account at once; alerts are counted", async () => {
  const person = await newPerson();
  await login(person);
  await login(person, { agent: CHROME });
  const rows = () => t.sql("SELECT FROM known_sign_ins WHERE user_id = $1", [userIdOf(person)]);
  expect(await rows()).toHaveLength(2);
  await t.sql(
    "UPDATE known_sign_ins SET last_seen_at = now() - interval '91 days' WHERE ctid = (SELECT min(ctid) FROM known_sign_ins WHERE user_id = $1)",
    [userIdOf(person)],
  );
  await t.running.app.jobs.send(t.running.db, "sessions.clean-up", {});
  await t.drain();
  expect(await rows()).toHaveLength(1);
  const caller = await login(person);
  expectStatus(await caller.post("/api/profile/delete", { password: person.account.password }), 204);
  expect(await rows()).toHaveLength(0);
  expect((await counter(t, "sign_in_alerts_total"))[""]).toBeGreaterThan(0);
});

test("without SIGN_IN_ALERTS nothing is recorded or mailed", async () => {
  const off = await sharedService();
  const person = await off.person();
  for (const agent of [FIREFOX, CHROME])
    await off.anonymous().post("/api/auth/login", person.account, { headers: { "user-agent": agent } });
  expect(await off.sql("SELECT FROM known_sign_ins WHERE user_id = $1", [userIdOf(person)])).toEqual([]);
  expect(await off.mailTo(person.email)).toEqual([]);
});

test("the first proof of the account's own in a confined session is told like a sign-in, a later one is not", async () => {
  const organization = await createOrganization(t);
  const account = await newPerson();
  await organization.add(account, { role: "MEMBER" });
  await login(account);
  const connectionId = await insertConnection(t, organization);
  const confined = await login(account);
  await confine(t, confined, connectionId);
  expectStatus(await confined.refresh(), 200);
  const reauthenticate = (from: From) => {
    const { password } = account.account;
    return confined.post("/api/profile/reauthenticate", { password }, { headers: headersOf(from) });
  };
  expectStatus(await reauthenticate({ agent: CHROME }), 204);
  const [alert, ...more] = await alertsOf(account);
  expect(more).toEqual([]);
  expect(alert?.data).toMatchObject({ userAgent: CHROME, method: "password", provider: null });
  expectStatus(await reauthenticate({ agent: WINDOWS }), 204);
  expectStatus(await confined.refresh(), 200);
  expectStatus(await reauthenticate({ agent: WINDOWS }), 204);
  expect(await count(account)).toBe(1);
});
