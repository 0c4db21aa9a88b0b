import { expect, test } from "bun:test";
import { PgBoss } from "pg-boss";
import { jobKinds } from "../../../src/app/jobs.ts";
import { systemCall } from "../../../src/core/context.ts";
import { mail } from "../../../src/core/effects/mail.ts";
import { transaction } from "../../../src/platform/db/transaction.ts";
import { migrateJobs } from "../../../src/platform/jobs/migrate.ts";
import {
  COUNT_JOBS,
  COUNT_UNREADABLE_JOBS,
  PGBOSS_SCHEMA_VERSION,
  RESUME_JOBS,
} from "../../../src/platform/jobs/pgboss-tables.ts";
import { insertJob } from "../../../src/platform/jobs/send.ts";
import { until } from "../../support/cluster.ts";
import { race } from "../../support/race.ts";
import { startService, uniqueEmail } from "../../support/service.ts";

const t = await startService();
const db = { query: (text: string, values: unknown[]) => t.sql(text, values) };

/** Returns all columns of a job except its id and those that depend on the time of insertion. */
async function stored(id: string): Promise<Record<string, unknown>> {
  const [row] = await t.sql<{ job: Record<string, unknown>; kept: string; isDue: boolean }>(
    `SELECT to_jsonb(j) - '{id,created_on,start_after,keep_until}'::text[] AS job,
       keep_until - created_on AS kept, start_after = created_on AS "isDue"
     FROM pgboss.job j WHERE id = $1`,
    [id],
  );
  return { ...row?.job, kept: row?.kept, isDue: row?.isDue };
}

async function lastOf(queue: string): Promise<string> {
  const [job] = await t.sql<{ id: string }>(
    "SELECT id FROM pgboss.job WHERE name = $1 ORDER BY created_on DESC LIMIT 1",
    [queue],
  );
  return job?.id ?? "";
}

test("a job is stored in every column as pg-boss itself stores it", async () => {
  const boss = new PgBoss({ connectionString: t.databaseUrl, schema: "pgboss", migrate: false, max: 1 });
  boss.on("error", () => {});
  await boss.start();
  const data = { sealed: "something", label: "a kind" };
  for (const { queue } of jobKinds) {
    await insertJob(db, queue, data);
    const own = await stored(await lastOf(queue));
    expect(own).toEqual(await stored((await boss.send(queue, data)) ?? ""));
    expect(own).toMatchObject({ name: queue, state: "created", isDue: true, data });
  }
  await boss.stop({ graceful: false });
  await t.sql("DELETE FROM pgboss.job");
});

test("inserting a job into a missing queue is an error", async () => {
  const failure = await insertJob(db, "nobody.listens", {}).catch((error) => error);
  expect(failure).toMatchObject({ errno: "23502" });
});

test("the migration removes the schedules of queues that no longer exist, and keeps the others", async () => {
  const names = () => t.sql("SELECT name FROM pgboss.schedule ORDER BY name");
  const before = await names();
  expect(before.length).toBeGreaterThan(1);
  await migrateJobs(t.databaseUrl, [
    ...jobKinds,
    { queue: "gone.run", schedule: "* * * * *", run: async () => {} },
  ]);
  expect(await names()).toContainEqual({ name: "gone.run" });
  await migrateJobs(t.databaseUrl, jobKinds);
  expect(await names()).toEqual(before);
});

test("many queued mails are sent once each, at most 100 per second and instance", async () => {
  const recipients = Array.from({ length: 150 }, uniqueEmail);
  await transaction(systemCall(t.running), async (tx) => {
    for (const to of recipients)
      await mail(tx, { kind: "passwordReset", to, language: "en", data: { token: "a" } });
  });
  const [instance] = await t.cluster(1);
  const left = "SELECT FROM pgboss.job WHERE name = 'mail.send' AND state <> 'completed'";
  await until(async () => ((await t.sql(left)).length === 0 ? true : null), { seconds: 240 });
  const [taken] = await t.sql<{ seconds: number }>(
    "SELECT extract(epoch FROM max(started_on) - min(started_on))::float AS seconds FROM pgboss.job WHERE name = 'mail.send'",
  );
  // Six batches of 25 mails; the last one starts after the time slots of the five before.
  expect(taken?.seconds).toBeGreaterThan(1.2);
  expect(recipients.map((to) => t.inbox.mailsTo(to).length)).toEqual(recipients.map(() => 1));
  await instance?.stop();
});

/** The statement with which pg-boss looks for jobs of crashed workers every few seconds. */
const LEFT = `SELECT FROM pgboss.job_common WHERE state = 'active' AND heartbeat_seconds IS NOT NULL
  AND heartbeat_on + heartbeat_seconds * interval '1 second' < now() AND name = ANY ('{mail.send,sessions.clean-up}')`;

test("job maintenance reads no completed jobs", async () => {
  await t.sql(
    `INSERT INTO pgboss.job_common (name, data, state, completed_on, keep_until)
     SELECT 'mail.send', '{"sealed": "somebody''s"}', 'completed', now(), now() + interval '7 days'
     FROM generate_series(1, 20000)`,
  );
  await t.sql("ANALYZE pgboss.job_common");
  for (const statement of [RESUME_JOBS, COUNT_UNREADABLE_JOBS.replace("$1", "'{ours}'"), LEFT]) {
    const plan = await t.sql<{ "QUERY PLAN": string }>(`EXPLAIN (COSTS OFF) ${statement}`);
    const lines = plan.map((line) => line["QUERY PLAN"]).join("\n");
    expect(lines).toContain("unfinished_jobs");
    expect(lines).not.toContain("Seq Scan");
  }
});

test("failed jobs are counted without reading completed jobs", async () => {
  const plan = await t.sql<{ "QUERY PLAN": string }>(`EXPLAIN (COSTS OFF) ${COUNT_JOBS}`);
  const lines = plan.map((line) => line["QUERY PLAN"]).join("\n");
  expect(lines).toContain("unfinished_jobs");
  expect(lines).toContain("failed_jobs");
  expect(lines).not.toContain("Seq Scan");
});

test("the job queue can be migrated repeatedly and concurrently", async () => {
  await t.sql("DROP INDEX pgboss.unfinished_jobs");
  await race(3, () => migrateJobs(t.databaseUrl, jobKinds));
  expect(await t.sql("SELECT FROM pg_indexes WHERE indexname = 'unfinished_jobs'")).toHaveLength(1);
});

// During a rollout or rollback, instances of the old release restart on the schema of the new one.
test("an instance starts on a newer queue schema, runs jobs, and leaves the schema unchanged", async () => {
  await t.sql("UPDATE pgboss.version SET version = $1", [PGBOSS_SCHEMA_VERSION + 1]);
  await t.cluster(1);
  const person = await t.unverifiedPerson();
  await until(async () => ((await t.inbox.mailsTo(person.email)).length === 1 ? true : null));
  expect(await t.sql("SELECT version FROM pgboss.version")).toEqual([{ version: PGBOSS_SCHEMA_VERSION + 1 }]);
});
