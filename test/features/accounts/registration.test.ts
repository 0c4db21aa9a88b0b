import { expect, test } from "bun:test";
import { holdUserLock } from "../../support/locks.ts";
import { FEWER_ROUNDS, race } from "../../support/race.ts";
import { expectStatus, sharedService, uniqueEmail } from "../../support/service.ts";
import { resetToken } from "../../support/sessions.ts";

const t = await sharedService();

const details = (email = uniqueEmail()) => ({
  email,
  password: "wide blue yonder",
  firstName: "Ada",
  lastName: "Lovelace",
});
const register = (body: object) => t.anonymous().post("/api/auth/register", body);
const verify = (token: string) => t.anonymous().post("/api/auth/verify-email", { token });

test("registering returns 202 with only the email, mails one link, and starts no session", async () => {
  const body = details();
  const response = expectStatus(await register({ ...body, email: `  ${body.email.toUpperCase()} ` }), 202);
  expect(response.body).toEqual({ email: body.email });
  expect(response.cookie).toBeNull();
  const [user] = await t.sql("SELECT * FROM users WHERE email = $1", [body.email]);
  expect(user).toMatchObject({ first_name: "Ada", language: "EN", email_verified_at: null });
  expect(user?.password_hash).toStartWith("$argon2id$v=19$m=19456,t=2,p=1$");
  expect(await t.mailTo(body.email)).toHaveLength(1);
  expect(await t.sql("SELECT FROM refresh_tokens WHERE user_id = $1", [user?.id])).toEqual([]);
  const welcomes = await t.sql("SELECT type, data FROM notifications WHERE user_id = $1", [user?.id]);
  expect(welcomes).toEqual([{ type: "WELCOME", data: {} }]);
});

test("an email address is taken if an unverified, verified or deleted account has it, ignoring case and surrounding spaces", async () => {
  const unverified = await t.unverifiedPerson();
  const verified = await t.person();
  const deleted = await t.person();
  await t.sql("UPDATE users SET is_deleted = true, deleted_at = now() WHERE email = $1", [deleted.email]);
  for (const { email } of [unverified, verified, deleted]) {
    for (const written of [email, email.toUpperCase(), ` ${email}\u00a0`]) {
      expect((await register(details(written))).body.code).toBe("EMAIL_TAKEN");
    }
    await t.drain();
    expect(t.inbox.mailsTo(email).length).toBeLessThanOrEqual(1);
  }
});

// The test fails without ON CONFLICT DO NOTHING on users_email_unique in insertUser (sql/accounts.sql).
test("of parallel registrations of one email address exactly one is accepted and mailed", async () => {
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const body = details();
    const responses = await race(6, (index) => register({ ...body, firstName: `Ada ${index}` }));
    // The other registrations are 409, or 429 if two registrations of the address already wait for their password hash.
    const [accepted, ...others] = responses.map(({ status }) => status).sort();
    expect(accepted).toBe(202);
    for (const status of others) expect([409, 429]).toContain(status);
    expect(await t.mailTo(body.email)).toHaveLength(1);
  }
});

test("a verification link works only once", async () => {
  const person = await t.unverifiedPerson();
  const { token } = await t.linkTo(person.email, "/verify-email");
  const response = expectStatus(await verify(token), 204);
  expect(response.cookie).toBeNull();
  expect((await verify(token)).body.code).toBe("INVALID_OR_EXPIRED_TOKEN");
  expectStatus(await person.login(), 200);
});

test("of parallel uses of one verification link exactly one succeeds, with one audit event", async () => {
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const person = await t.unverifiedPerson();
    const { token } = await t.linkTo(person.email, "/verify-email");
    const responses = await race(6, () => verify(token));
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 400, 400, 400, 400, 400]);
    const events = await t.sql(
      `SELECT 1 FROM audit_events a JOIN users u ON u.id = a.target_id
       WHERE action = 'EMAIL_VERIFIED' AND u.email = $1`,
      [person.email],
    );
    expect(events).toHaveLength(1);
  }
});

test("a verification link is invalid after 24 hours, and after a newer one was mailed", async () => {
  const person = await t.unverifiedPerson();
  const first = await t.linkTo(person.email, "/verify-email");
  await t.age("email_verification_tokens", {}, { hours: 23, minutes: 59 });
  expectStatus(await t.anonymous().post("/api/auth/resend-verification", { email: person.email }), 202);
  const second = await t.linkTo(person.email, "/verify-email");
  expect(second.token).not.toBe(first.token);
  expect((await verify(first.token)).body.code).toBe("INVALID_OR_EXPIRED_TOKEN");
  await t.age("email_verification_tokens", {}, { hours: 24 });
  expect((await verify(second.token)).body.code).toBe("INVALID_OR_EXPIRED_TOKEN");
  expect((await person.login()).body.code).toBe("EMAIL_NOT_VERIFIED");
});

test("every invalid verification link gets the same response, whatever the reason", async () => {
  const person = await t.unverifiedPerson();
  const { token } = await t.linkTo(person.email, "/verify-email");
  expectStatus(await verify(token), 204);
  const responses = [await verify(token), await verify("never issued"), await verify("x".repeat(512))];
  for (const { status, body } of responses) {
    expect([status, body.code, body.message]).toEqual([
      400,
      "INVALID_OR_EXPIRED_TOKEN",
      responses[0]?.body.message,
    ]);
  }
});

test("a GET with a valid token, as sent by mail scanners, does not consume the verification link", async () => {
  const person = await t.unverifiedPerson();
  const { token } = await t.linkTo(person.email, "/verify-email");
  const reset = await resetToken(t, person.email);
  for (const path of [`/api/auth/verify-email?token=${token}`, `/api/auth/reset-password?token=${reset}`]) {
    for (const method of ["GET", "HEAD"]) expect((await fetch(t.url + path, { method })).status).toBe(404);
  }
  expectStatus(await verify(token), 204);
  const newPassword = "a new blue yonder";
  expectStatus(await t.anonymous().post("/api/auth/reset-password", { token: reset, newPassword }), 204);
});

test("only the digest of a verification link's token is stored", async () => {
  const person = await t.unverifiedPerson();
  const { token } = await t.linkTo(person.email, "/verify-email");
  expect(token).toMatch(/^[\w-]{43}$/);
  const digest = new Bun.CryptoHasher("sha256").update(token).digest("hex");
  expect(await t.sql("SELECT 1 FROM email_verification_tokens WHERE token_hash = $1", [digest])).toHaveLength(
    1,
  );
  const rows = await t.sql("SELECT 1 FROM email_verification_tokens e WHERE e::text LIKE '%' || $1 || '%'", [
    token,
  ]);
  expect(rows).toEqual([]);
});

// The test fails unless useVerification runs after lockUsers (src/features/accounts/verify-email.ts).
test("a verification link is invalid if a resend supersedes it while the request waits for the lock", async () => {
  const person = await t.unverifiedPerson();
  const { token } = await t.linkTo(person.email, "/verify-email");
  const lock = await holdUserLock(t, person.email);
  const verifying = verify(token);
  await lock.waiting(1);
  await t.sql(
    "UPDATE email_verification_tokens SET is_deleted = true, deleted_at = now() WHERE used_at IS NULL",
  );
  await lock.release();
  expect((await verifying).body.code).toBe("INVALID_OR_EXPIRED_TOKEN");
});

test("an account has the language sent at registration, or the default language", async () => {
  const greek = await t.unverifiedPerson({ language: "el" });
  const none = await t.unverifiedPerson();
  const languages = await t.sql("SELECT email, language FROM users WHERE email = ANY($1::text[])", [
    `{${greek.email},${none.email}}`,
  ]);
  expect(new Map(languages.map((row) => [row.email, row.language]))).toEqual(
    new Map([
      [greek.email, "EL"],
      [none.email, "EN"],
    ]),
  );
});
