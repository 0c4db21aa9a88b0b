import * as rowCounts from "#sql/row-counts";
import * as searchIndexes from "#sql/search-indexes";
import { type App, callOfJob } from "../core/context.ts";
import { exactlyOne } from "../platform/db/prepared-query.ts";
import { transaction } from "../platform/db/transaction.ts";
import type { JobKind } from "../platform/jobs/queue.ts";

/** So that each transaction is short, however much was written. */
const DELTAS_AT_ONCE = 10_000;

/**
 * Every minute, does what requests left undone so as not to wait for it: adds up what was counted, and sorts what was
 * written into the indexes of searches. Without it answers stay the same, and take the longer the more is left.
 */
export const upkeepJobs: JobKind<App>[] = [
  {
    queue: "upkeep.run",
    schedule: "* * * * *",
    async run(app) {
      const mergeSome = () =>
        transaction(callOfJob(app), async (tx) =>
          exactlyOne(await rowCounts.mergeDeltas.run({ max: DELTAS_AT_ONCE }, tx.db)),
        );
      while ((await mergeSome()).merged === DELTAS_AT_ONCE);
      await transaction(callOfJob(app), (tx) => searchIndexes.flushPendingEntries.run(undefined, tx.db));
    },
  },
];
