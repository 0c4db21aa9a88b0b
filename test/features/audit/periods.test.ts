import { expect, test } from "bun:test";
import { ALL_EVENTS, eventPage, storeEvent } from "../../support/audit.ts";
import { layPeriods, periodsOf } from "../../support/audit-periods.ts";
import { createOrganization } from "../../support/organizations.ts";
import { WRONG_COUNTS } from "../../support/row-counts.ts";
import { type Service, startService } from "../../support/service.ts";

const t = await startService({ RETENTION_AUDIT_MONTHS: "3" });

async function runJob(service: Service = t) {
  await service.sql("INSERT INTO pgboss.job (name) VALUES ('audit.periods')");
  await service.drain();
}

/** Returns the 15th of the month that was `months` months ago. */
function monthsAgo(months: number): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 15)).toISOString();
}

/** Creates an organization with an event in each of these months; `seen` returns the stored ones. */
async function withEvents(service: Service, months: number[]) {
  const organization = await createOrganization(service);
  for (const ago of months)
    await storeEvent(service, {
      organizationId: organization.id,
      requestId: `ago-${ago}`,
      time: monthsAgo(ago),
    });
  const seen = async () => {
    const { data, total } = await eventPage(organization.admin, "search=ago-&pageSize=100");
    expect(total).toBe(data.length);
    const whole = await eventPage(organization.admin, "pageSize=100");
    expect(whole.total).toBe(whole.data.length);
    return data.map(({ requestId }) => requestId);
  };
  return { organization, seen };
}

test("partitions of the audit log that ended RETENTION_AUDIT_MONTHS ago are dropped, others are kept, and totals are updated", async () => {
  await layPeriods(t, [6, 5, 4, 3, 2, 1, 0]);
  const { seen } = await withEvents(t, [8, 6, 5, 4, 3, 2, 1]);
  const platform = await t.platformAdmin();
  await runJob();
  expect(await seen()).toEqual(["ago-1", "ago-2", "ago-3"]);
  expect(await t.sql(WRONG_COUNTS)).toEqual([]);
  const all = await eventPage(platform, "pageSize=100", { path: ALL_EVENTS });
  expect(all.total).toBe(all.data.length);
  const [first] = await periodsOf(t);
  expect(first?.beginsAt?.toISOString().slice(0, 7)).toBe(monthsAgo(3).slice(0, 7));
});

test("without RETENTION_AUDIT_MONTHS no audit event is dropped", async () => {
  const forGood = await startService();
  await layPeriods(forGood, [24, 12, 0]);
  const { seen } = await withEvents(forGood, [36, 13, 1]);
  await runJob(forGood);
  expect(await seen()).toEqual(["ago-1", "ago-13", "ago-36"]);
});

test("the database refuses to drop a partition of the audit log before its retention ends", async () => {
  await layPeriods(t, [2, 1, 0]);
  const { seen } = await withEvents(t, [1, 0]);
  for (const { name } of (await periodsOf(t)).slice(1)) {
    const [asked] = await t.sql(`SELECT drop_audit_period('${name}', 2, '{}', '{}') AS is_dropped`);
    expect(asked).toEqual({ is_dropped: false });
  }
  await expect(t.sql("SELECT drop_audit_period('audit_events_first', 0, '{}', '{}')")).rejects.toThrow();
  const [other] = await t.sql("SELECT drop_audit_period('users', 1, '{}', '{}') AS is_dropped");
  expect(other).toEqual({ is_dropped: false });
  expect(await seen()).toHaveLength(2);
});

test("if the job did not create partitions for months, events are still stored, and its next run creates them", async () => {
  await layPeriods(t, [7, 6]);
  const { seen } = await withEvents(t, [2, 1]);
  await runJob();
  // Both events stay in one partition, because they were stored in one.
  expect(await seen()).toEqual(["ago-1", "ago-2"]);
  const periods = await periodsOf(t);
  const last = periods.at(-1);
  expect(last?.endsAt).toBeNull();
  expect(Number(last?.beginsAt)).toBeGreaterThan(Date.now() + 28 * 24 * 3600 * 1000);
  await runJob();
  expect(await periodsOf(t)).toEqual(periods);
});

test("a new partition of the audit log has the same indexes, counters and append-only triggers as the others", async () => {
  await layPeriods(t, [6, 0]);
  await runJob();
  const described = await t.sql<{ indexes: number; triggers: string[] }>(
    `SELECT (SELECT count(*)::int FROM pg_index WHERE indrelid = name::regclass AND indisvalid) AS indexes,
       ARRAY(SELECT tgname::text FROM pg_trigger WHERE tgrelid = name::regclass ORDER BY tgname) AS triggers
     FROM audit_periods`,
  );
  expect(described.length).toBeGreaterThan(2);
  for (const period of described) expect(period).toEqual(described[0] as (typeof described)[0]);
  for (const { name } of await periodsOf(t))
    for (const statement of [`DELETE FROM ${name}`, `TRUNCATE ${name}`, `UPDATE ${name} SET ip = 'none'`])
      await expect(t.sql(statement)).rejects.toThrow("is append-only");
});

test("while partitions of the audit log are created and dropped, writes and reads of events succeed", async () => {
  await layPeriods(t, [6, 5, 4, 3, 2, 1]);
  const { organization } = await withEvents(t, [6, 5]);
  let isDone = false;
  const write = async () => {
    for (let number = 0; !isDone || number < 5; number += 1)
      expect(
        (await organization.admin.post("/api/units", { name: `Unit ${crypto.randomUUID()}`, parentId: null }))
          .status,
      ).toBe(201);
  };
  const read = async () => {
    for (let number = 0; !isDone || number < 5; number += 1)
      await eventPage(organization.admin, "pageSize=5");
  };
  const work = [write(), read()];
  await runJob();
  isDone = true;
  await Promise.all(work);
  expect(await t.sql(WRONG_COUNTS)).toEqual([]);
});
