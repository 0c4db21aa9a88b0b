import * as audit from "#sql/audit";
import { type Service, systemCall } from "../../core/context.ts";
import { exactlyOne } from "../../platform/db/prepared-query.ts";
import { transaction } from "../../platform/db/transaction.ts";
import type { JobKind } from "../../platform/jobs/queue.ts";

/*
 * Events lie in partitions of one period each (migrations/0033_audit_periods.sql). Every partition makes each list more
 * expensive to plan, so there are about twelve of them, however long events are kept (docs/decisions/0023).
 */

const PERIODS_KEPT = 12;
const MONTHS_IF_KEPT = 12;
const DAY_MS = 24 * 3600 * 1000;

/** How many months a period has, if events are kept for so many months; null: for good. */
export const monthsOfPeriod = (retentionMonths: number | null): number =>
  retentionMonths === null ? MONTHS_IF_KEPT : Math.ceil(retentionMonths / PERIODS_KEPT);

/**
 * Once a day, begins the next period a month before its time, and drops the periods that ended
 * `RETENTION_AUDIT_MONTHS` ago (rules 16.18). If this does not run, events still find their place, in the last period.
 */
export const auditJobs: JobKind<Service>[] = [
  {
    queue: "audit.periods",
    schedule: "7 2 * * *",
    concurrency: 1,
    async run(service) {
      const { auditRetentionMonths: kept } = service.app.config;
      await beginPeriods(service, monthsOfPeriod(kept));
      if (kept !== null) await dropPeriods(service, kept);
    },
  },
];

async function beginPeriods(service: Service, months: number): Promise<void> {
  const begin = () =>
    transaction(
      systemCall(service),
      async (tx) => exactlyOne(await audit.beginPeriod.run({ months }, tx.db)).name,
    );
  while ((await begin()) !== null);
}

async function dropPeriods(service: Service, months: number): Promise<void> {
  const call = systemCall(service);
  const limit = new Date();
  limit.setUTCMonth(limit.getUTCMonth() - months);
  for (const { name, beginsAt, endsAt } of await audit.listPeriods.run(undefined, service.db)) {
    if (endsAt === null || endsAt > limit) break;
    const counts = await countByOrganization(service, beginsAt, endsAt);
    const owners = [...counts.keys()] as string[];
    const dropped = await transaction(call, async (tx) =>
      exactlyOne(await audit.dropPeriod.run({ name, months, owners, events: [...counts.values()] }, tx.db)),
    );
    const events = [...counts.values()].reduce((sum, count) => sum + count, 0);
    if (dropped.isDropped) service.log.info("audit events dropped", { period: name, endsAt, events });
  }
}

/** How many events a period has, by organization. Counted by day, so that each statement is short however many there are. */
async function countByOrganization(service: Service, beginsAt: Date | null, endsAt: Date) {
  const counts = new Map<string | null, number>();
  const begin = beginsAt ?? exactlyOne(await audit.findOldestEvent.run(undefined, service.db.lists)).time;
  for (let from = begin; from !== null && from < endsAt; ) {
    const until = new Date(Math.min(from.getTime() + DAY_MS, endsAt.getTime()));
    for (const { organizationId, events } of await audit.countEventsBetween.run(
      { from, until },
      service.db.lists,
    ))
      counts.set(organizationId, (counts.get(organizationId) ?? 0) + events);
    from = until;
  }
  return counts;
}
