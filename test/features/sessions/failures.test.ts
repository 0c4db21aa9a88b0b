import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { expectStatus, startService, uniqueEmail } from "../../support/service.ts";
import { resetToken } from "../../support/sessions.ts";

/* Each request names its own address, as a proxy would. */
const t = await startService({ TRUST_PROXY: "1" });
const HOME = "203.0.113.7";
const RIGHT = "wide blue yonder";

const signIn = (email: string, password: string, ip: string) =>
  t.anonymous().post("/api/auth/login", { email, password }, { headers: { "x-forwarded-for": ip } });

/** A hundred failures in this hour, without the time that they would take. */
const fail = (email: string, failures = 100) =>
  t.sql(
    `INSERT INTO sign_in_failures (email_digest, failures) VALUES (encode(sha256($1::bytea), 'hex'), $2)
     ON CONFLICT (email_digest) DO UPDATE SET failures = $2, started_at = now()`,
    [Buffer.from(email), failures],
  );

/** An account whose only session is at home. */
async function personAtHome(): Promise<Caller> {
  const person = await t.person();
  await t.sql("UPDATE refresh_tokens SET ip = $1 WHERE user_id = (SELECT id FROM users WHERE email = $2)", [
    HOME,
    person.email,
  ]);
  return person;
}

test("the hundredth failure in an hour is 401, the next sign-in 429 from every other address, right or wrong", async () => {
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

test("an email without account is refused in the same way", async () => {
  const email = uniqueEmail();
  expect((await signIn(email, RIGHT, HOME)).status).toBe(401);
  await fail(email);
  const refused = await signIn(email, RIGHT, HOME);
  expect([refused.status, refused.body.code]).toEqual([429, "TOO_MANY_REQUESTS"]);
});

test("the owner is not locked out at an address of the account's sessions, an IPv6 address counting by /64", async () => {
  const person = await personAtHome();
  await fail(person.email);
  expect((await signIn(person.email, "not this one", HOME)).status).toBe(401);
  expectStatus(await signIn(person.email, RIGHT, HOME), 200);

  await t.sql("UPDATE refresh_tokens SET ip = '2001:db8:1:2::5'");
  expect((await signIn(person.email, RIGHT, "2001:db8:1:3::5")).status).toBe(429);
  expectStatus(await signIn(person.email, RIGHT, "2001:db8:1:2:ffff::9"), 200);
});

test("another account's address is not known for this one", async () => {
  const person = await personAtHome();
  const other = await t.person();
  await t.sql(
    "UPDATE refresh_tokens SET ip = '198.51.100.9' WHERE user_id = (SELECT id FROM users WHERE email = $1)",
    [other.email],
  );
  await fail(person.email);
  expect((await signIn(person.email, RIGHT, "198.51.100.9")).status).toBe(429);
});

test("a password reset lets the owner in again, and keeps doing so however many guesses follow", async () => {
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

test("parallel failures are all counted, and right passwords are not", async () => {
  const { email } = await personAtHome();
  await Promise.all([1, 2].map((n) => signIn(email, "not this one", `198.51.100.${n}`)));
  expectStatus(await signIn(email, RIGHT, "198.51.100.5"), 200);
  expect(
    await t.sql(
      "SELECT failures FROM sign_in_failures WHERE email_digest = encode(sha256($1::bytea), 'hex')",
      [Buffer.from(email)],
    ),
  ).toEqual([{ failures: 2 }]);
});

test("counts of long ago are deleted", async () => {
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
