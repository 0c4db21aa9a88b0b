import { expect, test } from "bun:test";
import { SQL } from "bun";
import type { Caller } from "../../support/caller.ts";
import { until } from "../../support/cluster.ts";
import { expectStatus, startService, uniqueEmail } from "../../support/service.ts";
import { resetToken, sameBrowser } from "../../support/sessions.ts";

const t = await startService();

type Event = Record<string, unknown> & { action: string; metadata: Record<string, unknown> };

/** Returns the audit events that one request wrote. */
const eventsOf = (requestId: string) =>
  t.sql<Event>(
    `SELECT action, actor_id, target_type, target_id, organization_id, metadata, ip, request_id
     FROM audit_events WHERE request_id = $1 ORDER BY id`,
    [requestId],
  );

const idOf = async (email: string) => (await t.sql("SELECT id FROM users WHERE email = $1", [email]))[0]?.id;

const newRequest = () => {
  const id = `test-${crypto.randomUUID()}`;
  return { id, headers: { "x-request-id": id } };
};

test("a registration, a verification, a login and a reset write events with actor, target, IP address and request id", async () => {
  const person = await t.unverifiedPerson();
  const userId = await idOf(person.email);
  const token = (await t.linkTo(person.email, "/verify-email")).token;
  const reset = await resetToken(t, person.email);
  const newPassword = "a new blue yonder";
  const steps = [
    ["EMAIL_VERIFIED", "/api/auth/verify-email", { token }],
    ["LOGIN_SUCCEEDED", "/api/auth/login", person.account],
    ["PASSWORD_RESET", "/api/auth/reset-password", { token: reset, newPassword }],
  ] as const;
  for (const [action, path, body] of steps) {
    const { id, headers } = newRequest();
    expect((await t.anonymous().post(path, body, { headers })).status).toBeLessThan(300);
    expect(await eventsOf(id)).toEqual([
      {
        action,
        actor_id: userId,
        target_type: "user",
        target_id: userId,
        organization_id: null,
        metadata: action === "LOGIN_SUCCEEDED" ? { amr: ["pwd"] } : {},
        ip: "127.0.0.1",
        request_id: id,
      },
    ]);
  }
  const registered = await t.sql(
    "SELECT * FROM audit_events WHERE action = 'USER_REGISTERED' AND target_id = $1",
    [userId],
  );
  expect(registered).toEqual([
    expect.objectContaining({ actor_id: userId, target_type: "user", metadata: {}, ip: "127.0.0.1" }),
  ]);
});

test("the event of a failed login has no actor, but the email address and the reason", async () => {
  const person = await t.person();
  const unverified = await t.unverifiedPerson();
  const unknown = uniqueEmail();
  const cases = [
    [
      person.email,
      "the password alone does not get past the second factor",
      "wrong_password",
      await idOf(person.email),
    ],
    [unverified.email, unverified.account.password, "email_not_verified", await idOf(unverified.email)],
    [
      unverified.email,
      "the password alone does not get past the second factor",
      "wrong_password",
      await idOf(unverified.email),
    ],
    [unknown, "the password alone does not get past the second factor", "unknown_email", null],
  ] as const;
  for (const [email, password, reason, targetId] of cases) {
    const { id, headers } = newRequest();
    await t.anonymous().post("/api/auth/login", { email: email.toUpperCase(), password }, { headers });
    expect(await eventsOf(id)).toEqual([
      {
        action: "LOGIN_FAILED",
        actor_id: null,
        target_type: targetId === null ? null : "user",
        target_id: targetId,
        organization_id: null,
        metadata: { email, reason },
        ip: "127.0.0.1",
        request_id: id,
      },
    ]);
  }
});

test("refresh, logout, resend, forgot-password and rejected links write no audit event", async () => {
  const person = await t.person();
  const quiet: [string, Parameters<Caller["post"]>[1]][] = [
    ["/api/auth/refresh", undefined],
    ["/api/auth/logout", undefined],
    ["/api/auth/resend-verification", { email: person.email }],
    ["/api/auth/forgot-password", { email: person.email }],
    ["/api/auth/verify-email", { token: "never issued" }],
    ["/api/auth/reset-password", { token: "never issued", newPassword: "a new blue yonder" }],
  ];
  const before = await t.sql("SELECT id FROM audit_events");
  for (const [path, body] of quiet) await person.post(path, body);
  await t.drain();
  expect(await t.sql("SELECT id FROM audit_events")).toHaveLength(before.length);
});

test("no audit event contains a password or a token", async () => {
  const person = await t.person();
  const stale = sameBrowser(person);
  const { cookie } = stale;
  await person.refresh();
  await person.refresh();
  await stale.refresh();
  await person.login("a secret that is wrong");
  const rows = await t.sql<{ text: string }>("SELECT a::text AS text FROM audit_events a");
  const everything = rows.map(({ text }) => text).join("\n");
  for (const secret of [cookie, person.account.password, "a secret that is wrong"])
    expect(everything).not.toContain(secret ?? "none");
});

test("the database refuses to update, delete or truncate audit events, even for the owner of the tables", async () => {
  await t.person();
  const before = await t.sql("SELECT * FROM audit_events ORDER BY id");
  const statements = [
    "UPDATE audit_events SET action = 'NOTHING'",
    "UPDATE audit_events SET action = 'NOTHING' WHERE false",
    "DELETE FROM audit_events",
    "TRUNCATE audit_events",
    "TRUNCATE users CASCADE; TRUNCATE audit_events CASCADE",
    "MERGE INTO audit_events a USING (SELECT 1) s ON true WHEN MATCHED THEN DELETE",
    "INSERT INTO audit_events (id, action, time) SELECT id, action, time FROM audit_events ON CONFLICT (id, time) DO UPDATE SET action = 'NOTHING'",
  ];
  const connection = new SQL({ url: t.databaseUrl, max: 1 });
  for (const statement of statements) {
    const failure = await connection
      .unsafe(statement)
      .simple()
      .then(
        () => null,
        (error: Error) => error,
      );
    // TRUNCATE … CASCADE may fail at another table of the audit log first.
    expect(failure?.message).toMatch(/audit_\w+ is append-only/);
  }
  await connection.close();
  expect(await t.sql("SELECT * FROM audit_events ORDER BY id")).toEqual(before);
});

test("a sign-in waits about a second for its audit event, and then continues without it", async () => {
  const person = await t.person();
  const [instance] = await t.cluster(1);
  const caller = person.at(instance?.url ?? "");
  const holder = new SQL({ url: t.databaseUrl, max: 1 });
  const lock = await holder.reserve();
  await lock.unsafe("BEGIN");
  await lock.unsafe("LOCK TABLE audit_events IN EXCLUSIVE MODE");
  const started = performance.now();
  const [right, wrong] = await Promise.all([
    caller.post("/api/auth/login", person.account),
    t.anonymous(instance?.url).post("/api/auth/login", {
      email: person.email,
      password: "the password alone does not get past the second factor",
    }),
  ]);
  // Without the one-second limit, both would wait a minute for the lock.
  expect([right.status, wrong.status]).toEqual([200, 401]);
  expect(performance.now() - started).toBeWithin(900, 30_000);
  await lock.unsafe("ROLLBACK");
  lock.release();
  await holder.close();

  expectStatus(await caller.refresh(), 200);
  for (const action of ["LOGIN_SUCCEEDED", "LOGIN_FAILED"]) {
    await until(() =>
      instance?.log().some((line) => line.includes("audit event not written") && line.includes(action))
        ? true
        : null,
    );
  }
});
