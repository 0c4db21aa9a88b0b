import { expect, test } from "bun:test";
import { SQL } from "bun";
import { until } from "../support/cluster.ts";
import { runHere, spawnCommand } from "../support/commands.ts";
import { expectStatus, startService, uniqueEmail } from "../support/service.ts";
import { sameBrowser, tokenRows } from "../support/sessions.ts";
import { withTwoFactor } from "../support/two-factor.ts";

const t = await startService();

/** Runs `bun run admin`. */
const admin = (given: string[], { input = "", environment = {} } = {}) =>
  runHere("admin", given, { ...t.environment, ...environment }, input);

const user = async (email: string) =>
  (await t.sql("SELECT * FROM users WHERE email = $1", [email]))[0] ?? { is_platform_admin: null };

const grants = (email: string) =>
  t.sql(
    `SELECT a.actor_id, a.target_type FROM audit_events a JOIN users u ON u.id = a.target_id
     WHERE a.action = 'PLATFORM_ADMIN_GRANTED' AND u.email = $1`,
    [email],
  );
const oneGrant = [{ actor_id: null, target_type: "user" }];

test("`bun run admin` with a new email creates a platform administrator and mails a link to choose a password", async () => {
  const email = uniqueEmail();
  const { code, out } = await admin([email.toUpperCase()]);
  expect(code).toBe(0);
  expect(out).toContain(email);
  expect(await user(email)).toMatchObject({ is_platform_admin: true, password_hash: null });
  expect((await user(email)).email_verified_at).not.toBeNull();
  expect(await grants(email)).toEqual(oneGrant);

  const { token } = await t.linkTo(email, "/reset-password");
  const caller = t.anonymous();
  const password = "a new blue yonder";
  expectStatus(await caller.post("/api/auth/reset-password", { token, newPassword: password }), 204);
  expectStatus(await caller.post("/api/auth/login", { email, password }), 200);
  expect((await caller.get("/api/profile")).body.isPlatformAdmin).toBe(true);
});

test("`bun run admin` makes a verified account a platform administrator, keeps its password and sessions, and sends no mail", async () => {
  const person = await t.person();
  const before = await user(person.email);
  expect((await admin([person.email])).code).toBe(0);
  expect(await user(person.email)).toMatchObject({
    is_platform_admin: true,
    password_hash: before.password_hash,
    email_verified_at: before.email_verified_at,
  });
  expectStatus(await person.refresh(), 200);
  expect((await person.get("/api/profile")).body.isPlatformAdmin).toBe(true);
  expect(await t.mailTo(person.email)).toEqual([]);
});

test("if only platform administrators need a second factor, the sessions of a new one with a second factor end", async () => {
  const person = await t.person();
  await withTwoFactor(t, person);
  expect((await admin([person.email], { environment: { REQUIRE_TWO_FACTOR: "platform-admins" } })).code).toBe(
    0,
  );
  expect(await tokenRows(t, person.email)).toEqual([]);
  const revoked = await t.sql(
    "SELECT FROM audit_events WHERE action = 'SESSION_REVOKED' AND metadata ->> 'userId' = $1",
    [(await user(person.email)).id],
  );
  expect(revoked).toHaveLength(1);
});

test("a repeated `bun run admin` for the same account changes nothing and writes no second audit event", async () => {
  const person = await t.person();
  for (let calls = 0; calls < 2; calls += 1) expect((await admin([person.email])).code).toBe(0);
  expect(await grants(person.email)).toEqual(oneGrant);
});

test("`bun run admin` on an unverified account, which anybody may have registered, removes its password and sessions and mails a link", async () => {
  const person = await t.person();
  await t.sql("UPDATE users SET email_verified_at = NULL WHERE email = $1", [person.email]);
  const session = sameBrowser(person);
  expect((await admin([person.email])).code).toBe(0);
  expect(await user(person.email)).toMatchObject({ is_platform_admin: true, password_hash: null });
  expect(await tokenRows(t, person.email)).toEqual([]);
  expect((await session.refresh()).status).toBe(401);
  expect((await person.login()).body.code).toBe("INVALID_CREDENTIALS");
  const { token } = await t.linkTo(person.email, "/reset-password");
  expectStatus(
    await person.post("/api/auth/reset-password", { token, newPassword: "a new blue yonder" }),
    204,
  );
  expect(await grants(person.email)).toEqual(oneGrant);
});

const eventsOf = (email: string) =>
  t.sql(
    `SELECT action, actor_id = u.id AS is_own, a.organization_id FROM audit_events a JOIN users u ON u.email = $1
     WHERE a.target_id = u.id ORDER BY a.id`,
    [email],
  );

test("`bun run admin` records a new account as registered, and an unverified one as verified", async () => {
  const email = uniqueEmail();
  expect((await admin([email])).code).toBe(0);
  const own = { is_own: true, organization_id: null };
  const granted = { action: "PLATFORM_ADMIN_GRANTED", is_own: null, organization_id: null };
  expect(await eventsOf(email)).toEqual([{ action: "USER_REGISTERED", ...own }, granted]);

  const person = await t.unverifiedPerson();
  for (let calls = 0; calls < 2; calls += 1) expect((await admin([person.email])).code).toBe(0);
  expect(await eventsOf(person.email)).toEqual([
    { action: "USER_REGISTERED", ...own },
    { action: "EMAIL_VERIFIED", ...own },
    granted,
  ]);
  const { token } = await t.linkTo(person.email, "/reset-password");
  const newPassword = "a new blue yonder";
  expectStatus(await person.post("/api/auth/reset-password", { token, newPassword }), 204);
  expect((await eventsOf(person.email)).map(({ action }) => action)).toEqual([
    "USER_REGISTERED",
    "EMAIL_VERIFIED",
    "PLATFORM_ADMIN_GRANTED",
    "PASSWORD_RESET",
  ]);
});

test("if an unverified account named an organization at registration, `bun run admin` creates it once", async () => {
  const email = uniqueEmail();
  const body = { email, password: "wide blue yonder", firstName: "Ada", lastName: "Lovelace" };
  expectStatus(await t.anonymous().post("/api/auth/register", { ...body, organizationName: "Engines" }), 202);
  const { token } = await t.linkTo(email, "/verify-email");
  expect((await admin([email, "--password"], { input: "a new blue yonder" })).code).toBe(0);
  expectStatus(await t.anonymous().post("/api/auth/verify-email", { token }), 204);
  const caller = t.anonymous();
  expectStatus(await caller.post("/api/auth/login", { email, password: "a new blue yonder" }), 200);
  const { body: organizations } = await caller.get("/api/auth/organizations");
  expect(organizations).toMatchObject([{ name: "Engines", roles: ["ORG_ADMIN"] }]);
});

test("`bun run admin` rejects the email of a deleted account and does not change the account", async () => {
  const person = await t.person();
  await t.sql("UPDATE users SET is_deleted = true, deleted_at = now() WHERE email = $1", [person.email]);
  const { code, err } = await admin([person.email]);
  expect(code).toBe(1);
  expect(err).toContain("deleted account");
  expect(await user(person.email)).toMatchObject({ is_platform_admin: false, is_deleted: true });
  expect(await grants(person.email)).toEqual([]);
});

test("`bun run admin` uses an account that is created concurrently, and still refuses a deleted one", async () => {
  for (const [isDeleted, code, said] of [
    [false, 0, "is a platform administrator now"],
    [true, 1, "deleted account"],
  ] as const) {
    const email = uniqueEmail();
    const holder = new SQL({ url: t.databaseUrl, max: 1 });
    const other = await holder.reserve();
    await other.unsafe("BEGIN");
    await other.unsafe(
      `INSERT INTO users (email, first_name, last_name, language, email_verified_at, is_platform_admin, is_deleted)
       VALUES ($1, 'Platform', 'Administrator', 'EN', now(), true, $2)`,
      [email, isDeleted],
    );
    const calling = admin([email]);
    await until(async () => {
      const waiting = await t.sql(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return waiting.length > 0 ? true : null;
    });
    await other.unsafe("COMMIT");
    other.release();
    await holder.close();
    const response = await calling;
    expect([response.code, response.out + response.err]).toEqual([code, expect.stringContaining(said)]);
    expect(await grants(email)).toEqual([]);
  }
});

test("`bun run admin --password` reads the password of a new or unverified account from standard input", async () => {
  const unverified = await t.unverifiedPerson();
  const password = "μια γαλάζια θάλασσα";
  const first = uniqueEmail();
  const calls = [
    [first, await spawnCommand("admin", [first, "--password"], t.environment, `${password}\n`)],
    [unverified.email, await admin([unverified.email, "--password"], { input: password })],
  ] as const;
  for (const [email, { code, out, err }] of calls) {
    expect([code, err]).toEqual([0, ""]);
    expect(out).not.toContain(password);
    expectStatus(await t.anonymous().post("/api/auth/login", { email, password }), 200);
    const links = (await t.mailTo(email)).flatMap((mail) => mail.links);
    expect(links.filter((link) => link.includes("/reset-password"))).toEqual([]);
  }
});

test("`bun run admin` with invalid arguments exits with 1, prints the reason, and changes nothing", async () => {
  const email = uniqueEmail();
  const cases: [string[], string, string?][] = [
    [[], "Usage"],
    [[email, uniqueEmail()], "Usage"],
    [[email, "--pasword"], "Usage"],
    [["no-email"], "no email address"],
    [[email, "--password"], "10 characters", "short\n"],
    [[email, "--password"], "10 characters", ""],
    [[email, "--password"], "common", "1234567890\n"],
    [[email, "--password"], "email address", email],
    [[email, "--password"], "names alone", "platform-administrator-1"],
  ];
  for (const [given, reason, input] of cases) {
    const { code, err } = await admin(given, input === undefined ? {} : { input });
    expect(err).toContain(reason);
    expect(code).toBe(1);
  }
  const badly = await admin([email], { environment: { SMTP_HOST: "", JWT_SECRET: "" } });
  expect(badly.code).toBe(1);
  for (const key of ["SMTP_HOST", "JWT_SECRET"]) expect(badly.err).toContain(key);
  expect(await t.sql("SELECT 1 FROM users WHERE email = $1", [email])).toEqual([]);
});
