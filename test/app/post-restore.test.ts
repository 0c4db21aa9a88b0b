import { expect, test } from "bun:test";
import { mkdir, rm, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { runHere } from "../support/commands.ts";
import { download, OWN_TICKETS, read, report } from "../support/helpdesk.ts";
import { isReplay, keyed, newKey } from "../support/idempotency.ts";
import { pngWith } from "../support/images.ts";
import { acceptNew, invited, listed } from "../support/invitations.ts";
import { createOrganization } from "../support/organizations.ts";
import { outcome } from "../support/outcomes.ts";
import { expectStatus, startService } from "../support/service.ts";
import { resetToken } from "../support/sessions.ts";
import { connect } from "../support/sso.ts";
import { ownStorage } from "../support/storage.ts";
import { challenge, verify, withTwoFactor } from "../support/two-factor.ts";

/* No backup is restored in these tests: rows from before a given time stand for those of a backup. */
const storage = await ownStorage();
const t = await startService(storage.environment);

const restored = (...given: string[]) => restoredWith(storage.environment, ...given);

async function restoredWith(environment: Record<string, string>, ...given: string[]) {
  const { code, out, err } = await runHere("restored", given, {
    DATABASE_URL: t.databaseUrl,
    ...environment,
  });
  // The counts, then an empty line and the steps that an operator must take.
  const [lines = "", advice = ""] = out.split("\n\n");
  return { code, lines: lines.trim().split("\n"), advice, problems: err };
}

const { admin } = await createOrganization(t);
const factor = await withTwoFactor(t);

/** Creates a session and one link of every kind. */
async function signedInWithLinks() {
  const person = await t.person();
  const { email } = await t.unverifiedPerson();
  const verification = (await t.linkTo(email, "/verify-email")).token;
  const reset = await resetToken(t, (await t.person()).email);
  const invitation = await invited(t, admin);
  const { browser, challengeToken } = await challenge(factor.person);
  /** Uses the session and each link; returns the outcomes. */
  async function used() {
    await factor.rewind();
    const responses = {
      session: person.refresh(),
      verification: t.anonymous().post("/api/auth/verify-email", { token: verification }),
      reset: t
        .anonymous()
        .post("/api/auth/reset-password", { token: reset, newPassword: "wide blue yonder" }),
      invitation: acceptNew(t, invitation.token),
      challenge: verify(browser, { challengeToken, code: factor.code() }),
    };
    const all = Object.entries(responses).map(async ([what, response]) => [what, outcome(await response)]);
    return Object.fromEntries(await Promise.all(all));
  }
  return { person, invitation, used };
}

/** Queues a failed mail, a waiting mail and a password reset; returns their recipients. */
async function queueMails() {
  const { email: failed } = await t.unverifiedPerson();
  await t.sql("UPDATE pgboss.job SET state = 'failed' WHERE name = 'mail.send' AND state = 'created'");
  const { email: waiting } = await t.unverifiedPerson();
  const { email: forgotten } = await t.person();
  await t.anonymous().post("/api/auth/forgot-password", { email: forgotten });
  return [failed, waiting, forgotten];
}

const retryAll = () =>
  t.sql("UPDATE pgboss.job SET state = 'retry', start_after = now() WHERE state = 'failed'");
const mailed = (addresses: string[]) => addresses.map((address) => t.inbox.mailsTo(address).length);

const tables = [
  ...["refresh_tokens", "email_verification_tokens", "password_reset_tokens", "user_invitations"],
  ...["two_factor_challenges", "pgboss.job"],
];
const stored = () => Promise.all(tables.map((table) => t.sql(`SELECT * FROM ${table} ORDER BY id`)));

test("`bun run restored` ends sessions, links and jobs from before the restore and keeps newer ones; a dry run only counts", async () => {
  const old = await signedInWithLinks();
  const sessions = await t.sql("SELECT FROM refresh_tokens WHERE revoked_at IS NULL");
  const oldKey = newKey();
  expectStatus(await admin.post("/api/todos", { title: "before" }, keyed(oldKey)), 201);
  await Bun.sleep(5);
  const [{ time } = { time: new Date() }] = await t.sql<{ time: Date }>("SELECT clock_timestamp() AS time");
  await Bun.sleep(5);
  // A refreshed session counts as old as its sign-in.
  expect((await old.person.refresh()).status).toBe(200);
  const fresh = await signedInWithLinks();
  const freshKey = newKey();
  expectStatus(await admin.post("/api/todos", { title: "since" }, keyed(freshKey)), 201);
  const oldMails = await queueMails();
  await t.sql(
    "UPDATE pgboss.job SET created_on = created_on - interval '1 hour' WHERE state IN ('created', 'failed')",
  );
  const freshMails = await queueMails();

  const counts = [
    ["sessions", sessions.length],
    ["two-factor challenges", 1],
    ["verification links", 1],
    ["password reset links", 1],
    ["changes of email", 0],
    ["invitation links", 1],
    ["setup links", 0],
    ["connected apps", 0],
    ["idempotency keys", 1],
    ["numberings of events", 0],
    ["checks of domains", 0],
    ["queued mails", 3],
  ];
  const before = await stored();
  const lines = (ended: string) => counts.map(([what, count]) => `${what}: ${count} ${ended}`);
  const dry = await restored(time.toISOString(), "--dry-run");
  expect(dry.lines.slice(0, -2)).toEqual(lines("would end"));
  expect([dry.code, await stored()]).toEqual([0, before]);
  const done = await restored(time.toISOString());
  expect([done.code, ...done.lines.slice(0, -2)]).toEqual([0, ...lines("ended")]);

  expect(await old.used()).toEqual({
    session: "401 INVALID_REFRESH_TOKEN",
    verification: "400 INVALID_OR_EXPIRED_TOKEN",
    reset: "400 INVALID_OR_EXPIRED_TOKEN",
    invitation: "400 INVALID_OR_EXPIRED_TOKEN",
    challenge: "401 UNAUTHENTICATED",
  });
  expect(await fresh.used()).toEqual({
    ...{ session: "200", verification: "204", reset: "204", invitation: "204", challenge: "200" },
  });
  await admin.login();
  const repeated = [
    await admin.post("/api/todos", { title: "before" }, keyed(oldKey)),
    await admin.post("/api/todos", { title: "since" }, keyed(freshKey)),
  ];
  expect(repeated.map(isReplay)).toEqual([false, true]);
  const { data } = await listed(admin);
  expect(data.map(({ id, expired }) => [id, expired])).toEqual([[old.invitation.id, true]]);
  await retryAll();
  await t.drain();
  expect([mailed(oldMails), mailed(freshMails)]).toEqual([
    [0, 0, 0],
    [1, 1, 1],
  ]);
});

test("`bun run restored` names the restored permissions, and ends newer sessions only with --all-sessions", async () => {
  const time = new Date().toISOString();
  await Bun.sleep(5);
  const person = await t.person();
  const [{ email } = { email: "" }] = await t.sql<{ email: string }>(
    "SELECT email FROM users WHERE is_platform_admin AND NOT is_deleted LIMIT 1",
  );
  const kept = await restored(time);
  expect([kept.code, kept.advice]).toEqual([0, expect.stringContaining("removed or demoted since")]);
  expect(kept.advice).toContain(`roles and platform administrators are those of ${time}`);
  expect(kept.advice).toMatch(new RegExp(`^Platform administrators: .*${email}`, "m"));
  const live = /^Sessions that began after that time: (\d+)\. --all-sessions ends them, too\.$/m.exec(
    kept.advice,
  );
  expect(Number(live?.[1])).toBeGreaterThan(0);
  expect((await person.refresh()).status).toBe(200);
  const dry = await restored(time, "--dry-run", "--all-sessions");
  expect(dry.lines[0]).toBe(`sessions: ${live?.[1]} would end`);
  expect((await person.refresh()).status).toBe(200);
  const all = await restored(time, "--all-sessions");
  expect([all.lines[0], all.advice.includes("Sessions that began")]).toEqual([
    `sessions: ${live?.[1]} ended`,
    false,
  ]);
  expect((await person.refresh()).status).toBe(401);
});

test("`bun run restored` with invalid arguments ends nothing", async () => {
  const before = await stored();
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  for (const given of [[], ["yesterday"], ["2026-01-01"], [tomorrow], ["2026-01-01T00:00:00Z", "--dry"]]) {
    const { code, problems } = await restored(...given);
    expect([given, code, problems]).toEqual([given, 1, expect.stringContaining("Usage: bun run restored")]);
    expect(problems.startsWith(`${tomorrow} is in the future\n`)).toBe(given[0] === tomorrow);
  }
  expect(await stored()).toEqual(before);
});

test("`bun run restored` deletes objects without a row and hides images without an object; recent objects and other files stay", async () => {
  const [now, who, folder] = [new Date().toISOString(), await t.person(), storage.folder];
  const ticket = await report(who, {}, [pngWith(), pngWith()]);
  const ids = ticket.messages[0]?.attachments.map(({ id }) => id) ?? [];
  const [kept, lost] = ids.map((id) => `helpdesk/${ticket.id}/${id}`) as [string, string];
  const put = async (key: string, hoursAgo: number) => {
    const [path, time] = [join(folder, key), Date.now() / 1_000 - hoursAgo * 3_600];
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, "x");
    await utimes(path, time, time);
    return key;
  };
  const newKey = () => `helpdesk/${crypto.randomUUID()}/${crypto.randomUUID()}`;
  const [orphan, partial] = [await put(newKey(), 2), await put(`${newKey()}.partial`, 2)];
  const [young, foreign] = [await put(newKey(), 0.5), await put("helpdesk/notes.txt", 2)];
  await rm(join(folder, lost));
  const all = [kept, orphan, partial, young, foreign].sort();

  const dry = await restored(now, "--dry-run");
  expect([dry.code, ...dry.lines.slice(-2)]).toEqual([
    ...[0, "objects without a row: 2 would be deleted", "images without an object: 1 would be hidden"],
  ]);
  expect(await storage.keys()).toEqual(all);
  const done = await restored(now);
  expect([done.code, ...done.lines.slice(-2)]).toEqual([
    ...[0, "objects without a row: 2 deleted", "images without an object: 1 hidden"],
  ]);
  expect(await storage.keys()).toEqual([foreign, kept, young].sort());
  await who.login();
  const shown = (await read(who, OWN_TICKETS, ticket.id)).messages[0]?.attachments.map(({ id }) => id);
  expect(shown).toEqual(ids.slice(0, 1));
  expect((await download(who, ids[0] ?? "")).status).toBe(200);
  const again = await restored(now);
  expect(again.lines.slice(-2)).toEqual([
    "objects without a row: 0 deleted",
    "images without an object: 0 hidden",
  ]);
});

test("`bun run restored` changes nothing in a storage that has no file of the database, or that is not configured", async () => {
  const who = await t.person();
  await report(who, {}, [pngWith()]);
  const [now, elsewhere] = [new Date().toISOString(), `${storage.folder}-elsewhere`];
  await mkdir(elsewhere);
  const wrong = await restoredWith({ STORAGE_DRIVER: "local", STORAGE_DIR: elsewhere }, now);
  expect([wrong.code, wrong.problems]).toEqual([1, expect.stringContaining("Nothing was changed in it")]);
  expect(await t.sql("SELECT FROM ticket_attachments WHERE is_deleted AND deleted_at > $1", [now])).toEqual(
    [],
  );
  const none = await restoredWith({}, now);
  expect([none.code, none.lines.at(-1)]).toEqual([0, expect.stringContaining("storage: not compared")]);
  await rm(elsewhere, { recursive: true });
});

test("`bun run restored` prints the sign-on policies and the connections that were changed since", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const before = new Date().toISOString();
  await connect(t, org, { issuer: "https://login.example.com" });
  await t.sql(
    `INSERT INTO sign_on_policies (organization_id, scope, announced_scope, announced_two_factor, enforce_from)
     VALUES ($1, 'domains', 'everyone', true, '2099-01-01')`,
    [org.id],
  );
  await t.sql("INSERT INTO sign_on_policies (organization_id) VALUES ($1)", [other.id]);
  const { name } = (await org.admin.get("/api/organization")).body;
  const { advice } = await restored(before, "--dry-run");
  expect(advice).toContain(
    `Sign-on policy of ${name}: single sign-on domains, second factor as in the service; from 2099-01-01T00:00:00.000Z on single sign-on everyone, second factor required\n`,
  );
  expect(advice).toContain(
    `Connection changed since: Acme of ${name} (ENABLED, https://login.example.com)\n`,
  );
  expect(advice.match(/^Sign-on policy/gm)).toHaveLength(1);
  expect((await restored(new Date().toISOString(), "--dry-run")).advice).not.toContain("Connection changed");
});
