import { expect, test } from "bun:test";
import { join } from "node:path";
import { SQL } from "bun";
import { grantToApiRole } from "../../src/platform/db/grant.ts";
import { createApiRole } from "../support/api-role.ts";
import { until } from "../support/cluster.ts";
import { runHere, spawnCommand } from "../support/commands.ts";
import { invited } from "../support/invitations.ts";
import { createOrganization } from "../support/organizations.ts";
import { expectStatus, startService } from "../support/service.ts";

/*
 * The service connects as a database role that owns nothing. With TEST_API_ROLE=true all other tests run in the same
 * way.
 */
const t = await startService({}, { asApiRole: true });
const apiUrl = t.environment.DATABASE_URL ?? "";

/** Returns the SQLSTATE with which the statement fails for the API's role, or null. */
async function refusalOf(statement: string): Promise<string | null> {
  const sql = new SQL({ url: apiUrl, max: 1 });
  const refused = await sql.unsafe(statement).then(
    () => null,
    (error) => String(error.errno),
  );
  await sql.close();
  return refused;
}

test("the service works with a database role that owns nothing", async () => {
  const acme = await createOrganization(t);
  const person = await t.registeredPerson();
  await invited(t, acme.admin);
  const { id } = expectStatus(await acme.admin.post("/api/todos", { title: "Read" }), 201).body;
  expectStatus(await acme.admin.patch(`/api/todos/${id}`, { completed: true }), 200);
  const ticket = { subject: "Empty", category: "BUG", message: "Since today." };
  expectStatus(await person.post("/api/support/tickets", ticket), 201);
  expectStatus(await acme.admin.get("/api/organization/audit-events?search=todo"), 200);
  expectStatus(await person.refresh(), 200);
  expectStatus(await person.post("/api/profile/delete", { password: person.account.password }), 204);
  for (const name of ["maintenance.run", "audit.seal", "retention.run"])
    await t.sql("INSERT INTO pgboss.job (name) SELECT name FROM pgboss.queue WHERE name = $1", [name]);
  await t.drain();
  expect(await t.sql("SELECT FROM audit_unsealed")).toEqual([]);
  expect((await t.sql("SELECT FROM audit_seals")).length).toBeGreaterThan(0);
});

test("an instance with a role that owns nothing runs jobs and keeps their schedule", async () => {
  const [instance] = await t.cluster(1, {});
  await t.sql("INSERT INTO pgboss.job (name) VALUES ('maintenance.run')");
  await until(async () =>
    (await t.sql("SELECT FROM pgboss.job WHERE name = 'maintenance.run' AND state = 'completed'")).length > 0
      ? true
      : null,
  );
  // Waits for two intervals of pg-boss's supervision.
  await Bun.sleep(6_000);
  expect(
    instance
      ?.log()
      // Readiness may have been checked while the instance was starting.
      .filter((line) => !line.includes('"not ready"'))
      .filter((line) => /"level":"(error|warn)"|permission denied|must be owner/.test(line)),
  ).toEqual([]);
});

test("the API's role can neither change the audit log nor remove its protection", async () => {
  const statements = [
    "UPDATE audit_events SET action = 'UNIT_CREATED'",
    "DELETE FROM audit_events",
    "TRUNCATE audit_events",
    "UPDATE audit_seals SET number = 0",
    "DELETE FROM audit_seals",
    "DROP TABLE audit_events",
    "DROP TRIGGER audit_events_append_only ON audit_events",
    "ALTER TABLE audit_events DISABLE TRIGGER ALL",
    "ALTER TABLE audit_events ADD COLUMN note text",
    "CREATE OR REPLACE FUNCTION refuse_change_of_append_only_table() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
    "CREATE TRIGGER mine BEFORE INSERT ON audit_events FOR EACH ROW EXECUTE FUNCTION refuse_change_of_append_only_table()",
    "SET session_replication_role = replica",
    "UPDATE events SET type = 'x'",
    "DELETE FROM events",
    "UPDATE event_outbox SET type = 'x'",
    "DELETE FROM retired_emails",
    "INSERT INTO retired_emails (digest, user_id) SELECT sha256(email::bytea), id FROM users",
    "DELETE FROM account_emails",
    "UPDATE email_changes SET old_confirmed_at = now()",
    "UPDATE email_changes SET new_confirmed_at = now(), session_id = uuidv7()",
    "UPDATE email_changes SET completed_at = now(), undo_until = now() + interval '1 day'",
    "UPDATE email_changes SET new_email = 'eve@example.com'",
    "INSERT INTO email_changes (user_id, old_email, new_email, needs_old, old_token_hash, new_token_hash, expires_at, new_confirmed_at) SELECT id, email, 'eve@example.com', false, 'a', 'b', now(), now() FROM users",
    "DELETE FROM email_changes",
    "SELECT pseudonymise_deleted_accounts(2, 10)",
    "UPDATE users SET email = email || 'x'",
    "UPDATE users SET id = uuidv7()",
    "DELETE FROM users",
    "TRUNCATE users CASCADE",
    "DROP TABLE pgboss.job CASCADE",
    "CREATE TABLE public.mine ()",
    "INSERT INTO migrations (name, run_on) VALUES ('9999_mine', now())",
  ];
  const refused = await Promise.all(statements.map(refusalOf));
  expect(Object.fromEntries(statements.map((statement, index) => [statement, refused[index]]))).toEqual(
    Object.fromEntries(statements.map((statement) => [statement, "42501"])),
  );
});

test("the API's role cannot change an account's email by setting a search path, and no role can store an invalid email", async () => {
  const { email } = await t.person();
  const sql = new SQL({ url: apiUrl, max: 1 });
  await sql.unsafe(
    "CREATE TEMP TABLE pg_class AS SELECT 'users'::regclass AS oid, current_user::regrole AS relowner",
  );
  await sql.unsafe("SET search_path = pg_temp, pg_catalog, public");
  const change = () => sql.unsafe("UPDATE public.users SET email = 'x' || email WHERE email = $1", [email]);
  const refused = await change().then(null, (error) => error.errno);
  const word = sql.unsafe(
    "INSERT INTO public.users (email, first_name, last_name, language) VALUES ('ACTIVE', 'A', 'B', 'EN')",
  );
  expect([refused, await word.then(null, (error) => error.errno)]).toEqual(["42501", "23514"]);
  await sql.close();
});

test("the API's role cannot update, delete or truncate partitions of an append-only table, also those created later", async () => {
  await t.sql(`CREATE TABLE kept (id int, time date) PARTITION BY RANGE (time)`);
  await t.sql(`CREATE TRIGGER kept_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON kept
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_append_only_table()`);
  await t.sql("CREATE TABLE kept_1 PARTITION OF kept FOR VALUES FROM ('2026-01-01') TO ('2026-02-01')");
  const { role, drop } = await createApiRole(t.databaseUrl);
  await t.sql("CREATE TABLE kept_2 PARTITION OF kept FOR VALUES FROM ('2026-02-01') TO ('2026-03-01')");
  const may = async (table: string) => {
    const [row] = await t.sql(
      `SELECT string_agg(privilege, ' ') AS granted FROM unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE}'::text[]) privilege
       WHERE has_table_privilege($1, $2, privilege)`,
      [role, table],
    );
    return row?.granted;
  };
  expect(await Promise.all(["kept", "kept_1", "kept_2", "users"].map(may))).toEqual([
    "SELECT INSERT",
    null,
    "SELECT INSERT",
    "SELECT INSERT UPDATE DELETE",
  ]);
  await drop();
});

test("`bun run migrate` grants privileges to the role in DATABASE_API_ROLE, repeatedly and concurrently", async () => {
  const { role, url, drop } = await createApiRole(t.databaseUrl);
  await t.sql(`REVOKE ALL ON users, todos FROM ${role}`);
  const runs = await Promise.all(
    [1, 2].map(() => spawnCommand("migrate", [], { DATABASE_URL: t.databaseUrl, DATABASE_API_ROLE: role })),
  );
  expect(runs.map(({ code, err }) => ({ code, err }))).toEqual(runs.map(() => ({ code: 0, err: "" })));
  expect(runs[0]?.out).toContain("the role of DATABASE_API_ROLE has its privileges");
  const sql = new SQL({ url, max: 1 });
  expect([...(await sql.unsafe("SELECT count(*) > 0 AS there FROM users"))]).toEqual([{ there: true }]);
  await sql.close();
  await drop();
});

test.each([
  ["that does not exist", "nobody_of_that_name", "does not exist"],
  ["that owns the tables", "", "must not be a superuser or own the tables"],
])("`bun run migrate` refuses a role %s", async (_, name, problem) => {
  const role = name || new URL(t.databaseUrl).username;
  const environment = { DATABASE_URL: t.databaseUrl, DATABASE_API_ROLE: role };
  const { code, err } = await runHere("migrate", [], environment);
  expect(code).not.toBe(0);
  expect(err).toContain(problem);
});

const OWNER = "must not be a superuser or own the tables, their schemas or the database";
test.each([
  ["owns the schema", "ALTER SCHEMA pgboss OWNER TO $role", OWNER],
  ["owns the database", "ALTER DATABASE $database OWNER TO $role", OWNER],
  ["is a member of a superuser", "GRANT $superuser TO $role", OWNER],
  [
    "may create functions, as everybody",
    "GRANT CREATE ON SCHEMA public TO PUBLIC",
    "CREATE on schema public",
  ],
  [
    "may change events, as everybody",
    "GRANT UPDATE (ip), TRUNCATE ON audit_events TO PUBLIC",
    "UPDATE on audit_events",
  ],
  ["may write everywhere", "GRANT pg_write_all_data TO $role", "DELETE on audit_events"],
])("a role that %s gets nothing granted", async (_, statement, problem) => {
  const role = `api_${crypto.randomUUID().slice(0, 8)}`;
  const superuser = `super_${role}`;
  const database = new URL(t.databaseUrl).pathname.slice(1);
  const [{ owner }] = (await t.sql("SELECT current_user AS owner")) as [{ owner: string }];
  await t.sql(`CREATE ROLE ${role}`);
  await t.sql(`CREATE ROLE ${superuser} SUPERUSER`);
  await t.sql(
    statement.replace("$role", role).replace("$superuser", superuser).replace("$database", `"${database}"`),
  );
  await expect(grantToApiRole(t.databaseUrl, role)).rejects.toThrow(problem);
  await t.sql("REVOKE CREATE ON SCHEMA public FROM PUBLIC");
  await t.sql("REVOKE UPDATE (ip), TRUNCATE ON audit_events FROM PUBLIC");
  await t.sql(`REASSIGN OWNED BY ${role} TO ${owner}`);
  await t.sql(`DROP OWNED BY ${role}`);
  await t.sql(`DROP ROLE ${role}, ${superuser}`);
});

test("no function that runs as its owner may be executed by everybody, and the API's role has those that the service calls", async () => {
  const role = new URL(apiUrl).username;
  const functions = await t.sql<{ name: string; is_for_all: boolean; is_granted: boolean }>(
    `SELECT p.oid::regprocedure::text AS name, has_function_privilege('public', p.oid, 'EXECUTE') AS is_for_all,
       has_function_privilege($1, p.oid, 'EXECUTE') AS is_granted
     FROM pg_proc p WHERE p.prosecdef AND p.pronamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)`,
    [role],
  );
  expect(functions.filter(({ is_for_all }) => is_for_all)).toEqual([]);
  const sources = new Bun.Glob("sql/**/*.sql").scanSync(join(import.meta.dir, "../.."));
  const texts = await Promise.all(
    [...sources]
      .filter((file) => !file.endsWith("schema.sql"))
      .map((file) => Bun.file(join(import.meta.dir, "../..", file)).text()),
  );
  const calls = texts.join("\n");
  const called = functions.filter(({ name }) => {
    const [bare = "", parameters = ""] = name.split(/[()]/);
    const count = parameters === "" ? 0 : parameters.split(",").length;
    const all = [...calls.matchAll(new RegExp(`\\b${bare}\\(([^()]*)\\)`, "g"))];
    return all.some(([, given = ""]) => (given === "" ? 0 : given.split(",").length) === count);
  });
  expect(called.length).toBeGreaterThan(5);
  expect(
    functions
      .filter(({ is_granted }) => is_granted)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(called.map(({ name }) => name).sort());
});

test("a role without any privilege executes no function that runs as its owner", async () => {
  const role = `bi_${crypto.randomUUID().slice(0, 8)}`;
  await t.sql(`CREATE ROLE ${role} LOGIN PASSWORD '${role}'`);
  const sql = new SQL({
    url: Object.assign(new URL(apiUrl), { username: role, password: role }).href,
    max: 1,
  });
  for (const call of [
    "pseudonymise_deleted_accounts(2, 10)",
    "drop_event_days(4)",
    "flush_search_indexes()",
    "change_account_email(uuidv7())",
    "confirm_account_email(uuidv7(), '', NULL)",
  ])
    expect([call, await sql.unsafe(`SELECT ${call}`).then(null, (error) => error.errno)]).toEqual([
      call,
      "42501",
    ]);
  await sql.close();
  await t.sql(`DROP ROLE ${role}`);
});
