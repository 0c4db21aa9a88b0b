import { expect, test } from "bun:test";
import { PgBoss } from "pg-boss";
import { jobKinds } from "../../../src/app/jobs.ts";
import { insertJob } from "../../../src/platform/jobs/insert.ts";
import { startService } from "../../support/service.ts";

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
