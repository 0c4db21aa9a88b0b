import { expect, test } from "bun:test";
import { jobKinds } from "../../../src/app/jobs.ts";
import { migrateJobs } from "../../../src/platform/jobs/migrate.ts";
import { startService } from "../../support/service.ts";

const t = await startService();

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
