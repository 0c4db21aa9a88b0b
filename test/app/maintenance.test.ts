import { expect, test } from "bun:test";
import { createOrganization } from "../support/organizations.ts";
import { WRONG_COUNTS } from "../support/row-counts.ts";
import { startService } from "../support/service.ts";

const t = await startService();

/** Queues the maintenance job, as its schedule would, and runs it. */
async function runMaintenance() {
  await t.sql("INSERT INTO pgboss.job (name) VALUES ('maintenance.run')");
  await t.drain();
}

const write = (events: number) =>
  t.sql(
    `INSERT INTO audit_events (action, ip, request_id)
     SELECT 'UNIT_CREATED', '203.0.113.7', gen_random_uuid() FROM generate_series(1, $1::int)`,
    [events],
  );

/** Flushes the pending list of the GIN index of the current partition of audit events; returns its size in megabytes. */
async function flushPending() {
  const [flushed] = await t.sql<{ pages: string }>(
    `SELECT gin_clean_pending_list(indexrelid) AS pages FROM pg_index JOIN pg_inherits ON inhrelid = indexrelid
     WHERE inhparent = 'audit_events_search_requests'::regclass AND indrelid = 'audit_events_first'::regclass`,
  );
  return (Number(flushed?.pages) * 8) / 1024;
}

test("the maintenance job is scheduled every minute", async () => {
  expect(await t.sql("SELECT cron FROM pgboss.schedule WHERE name = 'maintenance.run'")).toEqual([
    { cron: "* * * * *" },
  ]);
});

test("the maintenance job merges all counter rows, and totals stay the same", async () => {
  await createOrganization(t);
  // Inserts more rows than one statement merges.
  await t.sql("INSERT INTO row_count_deltas (list, rows) SELECT 'users', 0 FROM generate_series(1, 20100)");
  await runMaintenance();
  expect(await t.sql("SELECT FROM row_count_deltas")).toEqual([]);
  expect(await t.sql(WRONG_COUNTS)).toEqual([]);
});

test("pending entries of GIN indexes are flushed by the maintenance job, not by writes", async () => {
  // Autovacuum is off, because it would flush the pending lists as well.
  await t.sql("ALTER TABLE audit_events_first SET (autovacuum_enabled = false)");
  await flushPending();
  // Writes twice as much as PostgreSQL keeps in a pending list by default before it flushes it.
  for (let count = 0; count < 10; count += 1) await write(1_000);
  expect(await flushPending()).toBeGreaterThan(8);

  await write(100);
  await runMaintenance();
  expect(await flushPending()).toBe(0);
});
