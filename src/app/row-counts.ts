import * as rowCounts from "#sql/row-counts";
import { type App, callOfJob } from "../core/context.ts";
import { exactlyOne } from "../platform/db/prepared-query.ts";
import { transaction } from "../platform/db/transaction.ts";
import type { JobKind } from "../platform/jobs/queue.ts";

/** So that each transaction is short, however much was written. */
const DELTAS_AT_ONCE = 10_000;

/** Every minute, adds up what was counted since: totals are exact without it, and take the longer the more there is. */
export const rowCountJobs: JobKind<App>[] = [
  {
    queue: "row-counts.merge",
    schedule: "* * * * *",
    async run(app) {
      const mergeSome = () =>
        transaction(callOfJob(app), async (tx) =>
          exactlyOne(await rowCounts.mergeDeltas.run({ max: DELTAS_AT_ONCE }, tx.db)),
        );
      while ((await mergeSome()).merged === DELTAS_AT_ONCE);
    },
  },
];
