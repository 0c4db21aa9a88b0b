import { exactlyOne, type Queryable } from "#kit";
import * as seals from "#sql/audit-seals";
import { chainOf, PLATFORM_CHAIN } from "./chain.ts";
import { BatchCheck, type Seal } from "./verify-batches.ts";
import { DroppedPeriods, type Report, reportEvent, type SavedHead } from "./verify-report.ts";

type Options = {
  /** The chain to verify; null for all chains. */
  chain: string | null;
  /** The retention time of events in months; null if it is not known. */
  retentionMonths: number | null;
  saved: SavedHead[];
};

const SEALS_AT_ONCE = 200;
const EVENTS_AT_ONCE = 2_500;
/** The maximum number of reported events, for each kind of difference and each period. */
const MAX_NAMED = 1_000;

/**
 * Compares all events with their seals, a few thousand at a time, and reports differences (rules 16.21). Returns
 * how many events and batches were compared. Only reads, and keeps no transaction open, so that the service can run
 * at the same time.
 */
export async function verifyChains(db: Queryable, options: Options, report: Report) {
  const { chain, retentionMonths, saved } = options;
  const dropped = new DroppedPeriods(db, retentionMonths, report);
  await dropped.read();
  const batches = new BatchCheck(db, dropped, saved, report);
  for await (const some of sealsOf(db, chain)) await batches.check(some);
  batches.reportMissing();
  await checkUnsealed(db, chain, dropped, report);
  const unsealed = exactlyOne(await seals.countUnsealed.run({ chain }, db));
  return {
    ...batches.counts,
    droppedUntil: dropped.until,
    unsealed: unsealed.events,
    oldest: unsealed.oldest,
  };
}

/** Reads all batches in chain order, in groups of about as many events as are compared at once. */
async function* sealsOf(db: Queryable, chain: string | null): AsyncGenerator<Seal[]> {
  let after = { afterChain: PLATFORM_CHAIN, afterNumber: 0 };
  for (;;) {
    const page = await seals.listSeals.run({ chain, ...after, max: SEALS_AT_ONCE }, db);
    for (let left = page; left.length > 0; ) {
      const part = firstOf(left);
      yield part;
      left = left.slice(part.length);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < SEALS_AT_ONCE) return;
    after = { afterChain: last.chain, afterNumber: last.number };
  }
}

function firstOf(batches: Seal[]): Seal[] {
  let events = 0;
  const end = batches.findIndex(({ eventIds }) => {
    events += eventIds.length;
    return events > EVENTS_AT_ONCE;
  });
  return end === -1 ? batches : batches.slice(0, Math.max(1, end));
}

/**
 * Reports events that were never sealed: inserted without the table's triggers, or removed from the queue before
 * they were sealed.
 */
async function checkUnsealed(
  db: Queryable,
  chain: string | null,
  dropped: DroppedPeriods,
  report: Report,
): Promise<void> {
  for (const { beginsAt, endsAt } of await dropped.read()) {
    const window = { from: beginsAt, until: endsAt, chain, max: MAX_NAMED };
    for (const event of await seals.listNeverSealed.run(window, db))
      reportEvent(
        report,
        "inserted",
        chainOf(event.organizationId),
        event,
        "is in no batch and waits for none",
      );
  }
  for (const { eventId, time, organizationId } of await seals.listVanished.run({ chain, max: MAX_NAMED }, db))
    if (!dropped.has(time))
      reportEvent(report, "removed", chainOf(organizationId), { id: eventId, time }, "before it was sealed");
}
