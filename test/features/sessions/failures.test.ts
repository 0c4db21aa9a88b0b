import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { expectStatus, sharedService, uniqueEmail } from "../../support/service.ts";
import { resetToken } from "../../support/sessions.ts";

/* Each request sets its IP address by X-Forwarded-For, like a reverse proxy. */
const t = await sharedService({ TRUST_PROXY: "1" });
const HOME = "203.0.113.7";
const RIGHT = "wide blue yonder";

const signIn = (email: string, password: string, ip: string) =>
  t.anonymous().post("/api/auth/login", { email, password }, { headers: { "x-forwarded-for": ip } });

/** Stores this number of failed sign-ins for an email in the current hour. */
const fail = (email: string, failures = 100) =>
  t.sql(
    `INSERT INTO sign_in_failures (email_digest, failures) VALUES (encode(sha256($1::bytea), 'hex'), $2)
     ON CONFLICT (email_digest) DO UPDATE SET failures = $2, started_at = now()`,
    [Buffer.from(email), failures],
  );

/** Creates an account whose only session has the IP address HOME. */
async function personAtHome(): Promise<Caller> {
  const person = await t.person();
  await t.sql("UPDATE refresh_tokens SET ip = $1 WHERE user_id = (SELECT id FROM users WHERE email = $2)", [
    HOME,
    person.email,
  ]);
  return person;
}

test("after a hundred failed sign-ins of an account in an hour, sign-ins from unknown IP addresses are 429, right or wrong", async () => {
  const { email } = await personAtHome();
  await fail(email, 99);
  expect((await signIn(email, "not this one", "198.51.100.1")).status).toBe(401);
  for (const password of ["not this one", RIGHT]) {
    const refused = await signIn(email, password, "198.51.100.2");
    expect([refused.status, refused.body.code]).toEqual([429, "TOO_MANY_REQUESTS"]);
    const seconds = Number(refused.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(3_000);
    expect(seconds).toBeLessThanOrEqual(3_600);
  }
  await t.age("sign_in_failures", {}, { minutes: 61 });
  expect((await signIn(email, "not this one", "198.51.100.2")).status).toBe(401);
  expectStatus(await signIn(email, RIGHT, "198.51.100.2"), 200);
});

/** Stores this number of failed sign-ins for an email from one IP address in the current hour. */
const failFrom = (email: string, address: string, failures: number) =>
  t.sql(
    `INSERT INTO sign_in_failures (email_digest, failures, failures_by_address)
     VALUES (encode(sha256($1::bytea), 'hex'), $3, jsonb_build_object($2::text, $3::int))`,
    [Buffer.from(email), address, failures],
  );

test("after twenty failed sign-ins of an account from one IP address in an hour, its sign-ins with that email are 429, right or wrong", async () => {
  const person = await personAtHome();
  const other = await t.person();
  await failFrom(person.email, HOME, 18);
  expect((await signIn(person.email, "not this one", HOME)).status).toBe(401);
  expect((await signIn(person.email, "not this one", HOME)).status).toBe(401);
  for (const password of ["not this one", RIGHT]) {
    const refused = await signIn(person.email, password, HOME);
    expect([refused.status, refused.body.code]).toEqual([429, "TOO_MANY_REQUESTS"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(3_000);
  }
  expectStatus(await signIn(other.email, RIGHT, HOME), 200);
  expectStatus(await signIn(person.email, RIGHT, "198.51.100.1"), 200);
  await t.age("sign_in_failures", {}, { minutes: 61 });
  expectStatus(await signIn(person.email, RIGHT, HOME), 200);
});

test("IP addresses of one IPv6 /64 share the limit of twenty failed sign-ins", async () => {
  const email = uniqueEmail();
  await failFrom(email, "2001:db8:7:8::/64", 19);
  expect((await signIn(email, RIGHT, "2001:db8:7:8::1")).status).toBe(401);
  expect((await signIn(email, RIGHT, "2001:db8:7:8:ffff::2")).status).toBe(429);
  expect((await signIn(email, RIGHT, "2001:db8:7:9::1")).status).toBe(401);
});

test("a password reset also resets the limit of failed sign-ins of an IP address", async () => {
  const { email } = await t.person();
  await failFrom(email, HOME, 20);
  expect((await signIn(email, RIGHT, HOME)).status).toBe(429);
  const token = await resetToken(t, email);
  const newPassword = "deep green forest";
  expectStatus(await t.anonymous().post("/api/auth/reset-password", { token, newPassword }), 204);
  expectStatus(await signIn(email, newPassword, HOME), 200);
});

test("the first sign-in that is refused by the limit in each hour is audited", async () => {
  const { email } = await personAtHome();
  const nobody = uniqueEmail();
  const audited = (address: string) =>
    t.sql(
      `SELECT actor_id, target_type, target_id = (SELECT id FROM users WHERE email = $1) AS is_theirs, organization_id, ip
       FROM audit_events WHERE action = 'LOGIN_FAILED' AND metadata = jsonb_build_object('email', $1::text, 'reason', 'limited')`,
      [address],
    );
  const event = { actor_id: null, target_type: "user", is_theirs: true, organization_id: null };
  await fail(email);
  await failFrom(nobody, HOME, 20);
  const refuse = async (address: string, ip: string) =>
    expect((await signIn(address, RIGHT, ip)).status).toBe(429);
  await refuse(email, "198.51.100.6");
  await refuse(email, "198.51.100.7");
  expect(await audited(email)).toEqual([{ ...event, ip: "198.51.100.6" }]);
  await Promise.all([1, 2, 3].map(() => refuse(nobody, HOME)));
  expect(await audited(nobody)).toEqual([{ ...event, target_type: null, is_theirs: null, ip: HOME }]);

  await t.age("sign_in_failures", {}, { minutes: 61 });
  expect((await signIn(email, "not this one", "198.51.100.6")).status).toBe(401);
  expect(await audited(email)).toHaveLength(1);
  await t.sql("UPDATE sign_in_failures SET failures = 100");
  await refuse(email, "198.51.100.7");
  await refuse(email, "198.51.100.6");
  expect(await audited(email)).toHaveLength(2);
});

test("the limit of failed sign-ins applies in the same way to an email without an account", async () => {
  const email = uniqueEmail();
  expect((await signIn(email, RIGHT, HOME)).status).toBe(401);
  await fail(email);
  const refused = await signIn(email, RIGHT, HOME);
  expect([refused.status, refused.body.code]).toEqual([429, "TOO_MANY_REQUESTS"]);
});

test("the limit of an account does not apply to IP addresses of its sessions; IPv6 addresses are compared by /64", async () => {
  const person = await personAtHome();
  await fail(person.email);
  expect((await signIn(person.email, "not this one", HOME)).status).toBe(401);
  expectStatus(await signIn(person.email, RIGHT, HOME), 200);

  await t.sql("UPDATE refresh_tokens SET ip = '2001:db8:1:2::5'");
  expect((await signIn(person.email, RIGHT, "2001:db8:1:3::5")).status).toBe(429);
  expectStatus(await signIn(person.email, RIGHT, "2001:db8:1:2:ffff::9"), 200);
});

test("the IP address of another account's session does not exempt from an account's limit", async () => {
  const person = await personAtHome();
  const other = await t.person();
  await t.sql(
    "UPDATE refresh_tokens SET ip = '198.51.100.9' WHERE user_id = (SELECT id FROM users WHERE email = $1)",
    [other.email],
  );
  await fail(person.email);
  expect((await signIn(person.email, RIGHT, "198.51.100.9")).status).toBe(429);
});

test("after a password reset its IP address is exempt from the account's limit, however many failures follow", async () => {
  const { email } = await personAtHome();
  await fail(email);
  const token = await resetToken(t, email);
  const newPassword = "deep green forest";
  const from = { headers: { "x-forwarded-for": "198.51.100.3" } };
  expectStatus(await t.anonymous().post("/api/auth/reset-password", { token, newPassword }, from), 204);
  expect((await signIn(email, "not this one", "198.51.100.4")).status).toBe(401);
  await fail(email);
  expect((await signIn(email, newPassword, "198.51.100.4")).status).toBe(429);
  expectStatus(await signIn(email, newPassword, "198.51.100.3"), 200);
});

test("concurrent failed sign-ins are all counted, and successful ones are not", async () => {
  const { email } = await personAtHome();
  await Promise.all([1, 2].map((n) => signIn(email, "not this one", `198.51.100.${n}`)));
  expectStatus(await signIn(email, RIGHT, "198.51.100.5"), 200);
  expect(
    await t.sql(
      "SELECT failures, failures_by_address FROM sign_in_failures WHERE email_digest = encode(sha256($1::bytea), 'hex')",
      [Buffer.from(email)],
    ),
  ).toEqual([{ failures: 2, failures_by_address: { "198.51.100.1": 1, "198.51.100.2": 1 } }]);
});

test("counts of failed sign-ins are deleted after 24 hours", async () => {
  await fail(uniqueEmail());
  await t.age("sign_in_failures", {}, { hours: 23 });
  await t.sql("INSERT INTO pgboss.job (name) VALUES ('sessions.clean-up')");
  await t.drain();
  expect((await t.sql("SELECT FROM sign_in_failures")).length).toBeGreaterThan(0);
  await t.age("sign_in_failures", {}, { hours: 1 });
  await t.sql("INSERT INTO pgboss.job (name) VALUES ('sessions.clean-up')");
  await t.drain();
  expect(await t.sql("SELECT FROM sign_in_failures")).toEqual([]);
});
