import { expect, test } from "bun:test";
import { jobKinds } from "../../../src/app/jobs.ts";
import { migrateJobs } from "../../../src/platform/jobs/migrate.ts";
import { COUNT_JOBS, COUNT_UNREADABLE_JOBS, RESUME_JOBS } from "../../../src/platform/jobs/pgboss-tables.ts";
import { race } from "../../support/race.ts";
import { startService } from "../../support/service.ts";

const t = await startService();

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
