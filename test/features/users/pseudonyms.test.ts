import { expect, test } from "bun:test";
import { userJobs } from "../../../src/features/users/pseudonymise.ts";
import { auditCommand, seal } from "../../support/audit-chains.ts";
import { Caller } from "../../support/caller.ts";
import { until } from "../../support/cluster.ts";
import { SETUP_LINKS } from "../../support/connections.ts";
import { DOMAINS, newName } from "../../support/domains.ts";
import { report } from "../../support/helpdesk.ts";
import { keyed, newKey } from "../../support/idempotency.ts";
import { accept, invite, tokenFor } from "../../support/invitations.ts";
import { createOrganization, type Organization, userIdOf } from "../../support/organizations.ts";
import { outcome } from "../../support/outcomes.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { insertConnection } from "../../support/sign-on.ts";

const t = await startService({ RETENTION_DELETED_ACCOUNTS_DAYS: "30" });

async function runJob() {
  await t.sql("INSERT INTO pgboss.job (name) VALUES ('accounts.pseudonymise')");
  await t.drain();
}

/** Returns all tables that contain a text in any column, ignoring case. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await t.sql<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
  );
  const found: string[] = [];
  for (const { name } of tables)
    if (
      (await t.sql(`SELECT FROM ${name} a WHERE strpos(lower(a::text), lower($1)) > 0 LIMIT 1`, [text]))
        .length > 0
    )
      found.push(name);
  return found;
}

const remove = async (person: Caller) =>
  expectStatus(await person.post("/api/profile/delete", { password: person.account.password }), 204);

const NAME = { firstName: "Philomena", lastName: "Quarterstaff" };

/** Sends a setup link to an address, adds a domain with it and finishes; a sign-in with the address is refused, too. */
async function setUpSignOn(org: Organization, email: string): Promise<void> {
  expectStatus(await org.admin.post(SETUP_LINKS, { email, what: ["domains"] }), 201);
  const setter = t.anonymous();
  setter.accessToken = (await t.linkTo(email, "/sign-on-setup")).token;
  expectStatus(await setter.post(DOMAINS, { domain: newName() }), 201);
  expectStatus(await setter.post("/api/auth/sign-on-setup/finish"), 204);
  const connectionId = await insertConnection(t, org);
  await t.sql(
    `INSERT INTO audit_events (action, target_type, target_id, organization_id, metadata, is_above_units)
     VALUES ('SSO_SIGN_IN_FAILED', 'connection', $1, $2, $3, true)`,
    [connectionId, org.id, { connectionId, email, reason: "domain_mismatch" }],
  );
}

/** Creates an account whose email and name are stored in as many tables as possible, deleted `days` days ago. */
async function deleted({ days }: { days: number }) {
  const org = await createOrganization(t);
  const email = `philomena.quarterstaff-${crypto.randomUUID().slice(0, 8)}@example.com`;
  const person = new Caller(t.url, { email, password: "wide blue yonder" });
  await person.login();
  expectStatus(await invite(org.admin, { email, ...keyed(newKey()) }), 201);
  const token = await tokenFor(t, email);
  expectStatus(await accept(t.anonymous(), { token, password: "wide blue yonder", ...NAME }), 204);
  await person.login("not the password");
  await person.login();
  await setUpSignOn(org, email);
  await report(person, {
    subject: `From ${NAME.firstName} ${NAME.lastName}`,
    message: `Write to ${email.toUpperCase()}`,
  });
  const id = await userIdOf(t, person);
  await t.drain();
  await remove(person);
  await t.sql("UPDATE users SET deleted_at = now() - make_interval(days => $2) WHERE id = $1", [id, days]);
  return { org, email, id };
}

test("30 days after an account's deletion, no table contains its email or name, only a pseudonym", async () => {
  const { org, email, id } = await deleted({ days: 31 });
  expect(await tablesWith(email)).toEqual(
    expect.arrayContaining(["public.notifications", "public.idempotency_keys"]),
  );
  await runJob();
  const left = await tablesWith(email);
  expect(left).toEqual([]);
  expect(await tablesWith("quarterstaff")).toEqual([]);
  const pseudonym = `deleted-${id}@deleted.invalid`;
  const { body } = await org.admin.get(`/api/organization/audit-events?actorId=${id}&pageSize=100`);
  expect(body.data.length).toBeGreaterThan(0);
  for (const event of body.data) expect(event.actor).toEqual({ id, email: pseudonym });
  const platform = await t.platformAdmin();
  const [failed] = (await platform.get(`/api/audit-events?targetId=${id}&action=LOGIN_FAILED`)).body.data;
  expect(failed.metadata).toEqual({ email: pseudonym, reason: "wrong_password" });
});

test("pseudonymization replaces the email and name as whole words, not as parts of other words", async () => {
  const [text] = await t.sql<{ text: string }>(
    `SELECT without_traces('Essential lines of Al Li: nina@example.com, a@example.com.au, A@example.com.',
       'a@example.com', 'Al', 'Li', 'gone') AS text`,
  );
  expect(text?.text).toBe("Essential lines of gone: nina@example.com, a@example.com.au, gone.");
});

test("an account cannot be created with an email whose pseudonymization is running", async () => {
  const { email } = await deleted({ days: 31 });
  const given = t.sql("SELECT pseudonymise_deleted_accounts(2, 1000), pg_sleep(2) FROM (SELECT 1) AS once");
  await until(
    async () =>
      (
        await t.sql(
          "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'",
        )
      )[0] ?? null,
  );
  const created = await t.sql(
    `INSERT INTO users (email, first_name, last_name, language) VALUES ($1, 'A', 'B', 'EN')
     ON CONFLICT (email) DO NOTHING RETURNING id`,
    [email],
  );
  await given;
  expect(created).toEqual([]);
});

test("one statement that creates 2,000 accounts takes at most 256 advisory locks", async () => {
  const [held] = await t.sql<{ locks: number }>(
    `WITH created AS (
       INSERT INTO users (email, first_name, last_name, language)
       SELECT 'imported-' || n || '@import.example', 'A', 'B', 'EN' FROM generate_series(1, 2000) n RETURNING id
     ) SELECT locks.n::int AS locks FROM (SELECT count(*) FROM created) AS done (n)
       CROSS JOIN LATERAL (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory' AND done.n > 0) AS locks (n)`,
  );
  expect(held?.locks).toBeGreaterThan(0);
  expect(held?.locks).toBeLessThanOrEqual(256);
});

test("the email of a pseudonymized account cannot be used again, by registration or invitation", async () => {
  const { org, email } = await deleted({ days: 31 });
  await runJob();
  const again = { email, password: "wide blue yonder", firstName: "Ada", lastName: "Again" };
  expect(outcome(await t.anonymous().post("/api/auth/register", again))).toBe("409 EMAIL_TAKEN");
  expectStatus(await invite(org.admin, { email }), 201);
  const token = await tokenFor(t, email);
  const taken = await accept(t.anonymous(), { token, password: "wide blue yonder", ...NAME });
  expect(outcome(taken)).toBe("409 EMAIL_UNAVAILABLE");
});

test("if another account uses a deleted account's pseudonym as its email, the other account's email is renamed", async () => {
  const { id, email } = await deleted({ days: 31 });
  const pseudonym = `deleted-${id}@deleted.invalid`;
  // Accounts from before the addresses of .invalid were refused may have such an address.
  const squatter = await t.person();
  const squatterId = await userIdOf(t, squatter);
  await t.sql("UPDATE users SET email = $1 WHERE id = $2", [pseudonym, squatterId]);
  await runJob();
  expect(await tablesWith(email)).toEqual([]);
  const rows = await t.sql<{ id: string; email: string }>(
    "SELECT id, email FROM users WHERE id = ANY ($1::text::uuid[]) ORDER BY id",
    [`{${[id, squatterId]}}`],
  );
  expect(rows).toEqual([
    { id, email: pseudonym },
    { id: squatterId, email: expect.stringMatching(/^moved-[0-9a-f-]{36}@deleted\.invalid$/) },
  ]);
});

test("an account whose pseudonymization fails is logged and does not prevent that of others", async () => {
  const [failing, other] = [await deleted({ days: 33 }), await deleted({ days: 32 })];
  await t.sql(`CREATE FUNCTION refuse_for_test() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'refused for the test'; END $$`);
  await t.sql(`CREATE TRIGGER refuse_for_test BEFORE UPDATE ON users
    FOR EACH ROW WHEN (OLD.id = '${failing.id}') EXECUTE FUNCTION refuse_for_test()`);
  const logged: unknown[] = [];
  const log = {
    ...t.running.app.log,
    error: (msg: string, fields?: object) => void logged.push({ msg, ...fields }),
  };
  const job = userJobs.find(({ queue }) => queue === "accounts.pseudonymise");
  await expect(job?.run({ ...t.running, log }, {} as never)).rejects.toThrow(
    "1 deleted accounts were not pseudonymised",
  );
  expect(await tablesWith(other.email)).toEqual([]);
  expect(await tablesWith(failing.email)).toContain("public.users");
  expect(logged).toMatchObject([{ msg: "deleted account not pseudonymised", userId: failing.id }]);
  // The previous version calls the function without the stored idempotent responses, which expire within hours.
  const another = await deleted({ days: 31 });
  await t.sql("SELECT pseudonymise_deleted_accounts(30, 1)");
  expect(await tablesWith(another.email)).toEqual(["public.idempotency_keys"]);
  await t.sql("DROP TRIGGER refuse_for_test ON users");
  await runJob();
  expect(await tablesWith(failing.email)).toEqual([]);
});

test("a deleted account keeps its email and name until 30 days after the deletion", async () => {
  const { email } = await deleted({ days: 29 });
  await runJob();
  expect(await tablesWith(email)).toContain("public.users");
});

test("the pseudonymization setting allows no other change of audit events, and none for accounts that are not deleted", async () => {
  const { id, email } = await deleted({ days: 31 });
  const pseudonym = `deleted-${id}@deleted.invalid`;
  const asked = (statement: string) =>
    t.sql(`DO $$ BEGIN PERFORM set_config('service.pseudonymised', '${id}', true); ${statement}; END $$`);
  const mine = `actor_id = '${id}' OR target_id = '${id}'`;
  for (const statement of [
    `UPDATE audit_events SET ip = 'none' WHERE ${mine}`,
    `UPDATE audit_events SET metadata = '{}' WHERE ${mine}`,
    `UPDATE audit_events SET metadata = with_pseudonym(metadata, '${email}', 'somebody') WHERE ${mine}`,
    `UPDATE audit_events SET metadata = with_pseudonym(metadata, '${email}', '${pseudonym}'), time = now() WHERE ${mine}`,
    `UPDATE audit_events_first SET action = 'NONE' WHERE ${mine}`,
    `DELETE FROM audit_events WHERE ${mine}`,
    "TRUNCATE audit_events",
    "TRUNCATE audit_events_first",
  ])
    await expect(asked(statement)).rejects.toThrow("is append-only");
  const live = await t.person();
  const liveId = await userIdOf(t, live);
  await live.login("not the password");
  await expect(
    t.sql(`DO $$ BEGIN PERFORM set_config('service.pseudonymised', '${liveId}', true);
      UPDATE audit_events SET metadata = with_pseudonym(metadata, '${live.email}', pseudonym_of('${liveId}')) WHERE target_id = '${liveId}'; END $$`),
  ).rejects.toThrow("is append-only");
  await expect(t.sql("SELECT pseudonymise_deleted_accounts(1, 10)")).rejects.toThrow("two days");
});

test("all emails that an account had get its pseudonym, and the chains of the audit log still verify", async () => {
  const person = await t.person();
  const id = await userIdOf(t, person);
  const former = person.email;
  const email = `later-${crypto.randomUUID()}@example.com`;
  expectStatus(await person.post("/api/profile/email", { email }), 202);
  const old = await t.linkTo(former, "/confirm-email-change");
  expectStatus(await t.anonymous().post("/api/auth/confirm-email-change", { token: old.token }), 200);
  const { token } = await t.linkTo(email, "/confirm-email-change");
  expectStatus(await person.post("/api/auth/confirm-email-change", { token }), 200);
  await remove(person);
  await seal(t);
  await t.sql("UPDATE users SET deleted_at = now() - interval '31 days' WHERE id = $1", [id]);
  await runJob();
  expect([...(await tablesWith(former)), ...(await tablesWith(email))]).toEqual([]);
  const [changed] = await t.sql(
    "SELECT metadata FROM audit_events WHERE target_id = $1 AND action = 'EMAIL_CHANGED'",
    [id],
  );
  const pseudonym = `deleted-${id}@deleted.invalid`;
  expect(changed?.metadata).toEqual({ from: pseudonym, to: pseudonym });
  const verified = await auditCommand(t, ["verify"]);
  expect([verified.code, verified.named]).toEqual([0, {}]);
  const account = { password: "wide blue yonder", firstName: "Ada", lastName: "Lovelace" };
  for (const taken of [former, email])
    expect(outcome(await t.anonymous().post("/api/auth/register", { email: taken, ...account }))).toBe(
      "409 EMAIL_TAKEN",
    );
});
