import { exactlyOne, type JobKind, type Service, systemCall, transaction } from "#kit";
import * as audit from "#sql/audit";

/*
 * Events are stored in partitions of one period each (migrations/0015_audit.sql). Every partition makes each list
 * more expensive to plan. So the length of a period depends on the retention time: there are always about twelve
 * partitions (docs/decisions/0023).
 */

const PERIODS_KEPT = 12;
const MONTHS_IF_KEPT = 12;
const DAY_MS = 24 * 3600 * 1000;

/**
 * Returns the number of months in a period, for a retention time in months; null means that events are kept for
 * ever.
 */
export const monthsOfPeriod = (retentionMonths: number | null): number =>
  retentionMonths === null ? MONTHS_IF_KEPT : Math.ceil(retentionMonths / PERIODS_KEPT);

/**
 * A daily job that creates the partition of the next period a month ahead, and drops the periods that ended
 * `RETENTION_AUDIT_MONTHS` ago (rules 16.18). If the job does not run, events are stored in the last partition.
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
  const limit = monthsAgo(months);
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

export function monthsAgo(months: number): Date {
  const date = new Date();
  date.setUTCMonth(date.getUTCMonth() - months);
  return date;
}

/**
 * Counts the events of a period by organization. Counts each day separately, so that each statement is short for any
 * number of events.
 */
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
