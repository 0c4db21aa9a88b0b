import * as rowCounts from "#sql/row-counts";
import * as searchIndexes from "#sql/search-indexes";
import { type Service, systemCall } from "../core/context.ts";
import { exactlyOne } from "../platform/db/prepared-query.ts";
import { transaction } from "../platform/db/transaction.ts";
import type { JobKind } from "../platform/jobs/queue.ts";

/** The number of rows per transaction. It keeps each transaction short, for any number of written rows. */
const DELTAS_AT_ONCE = 10_000;

/**
 * A job that runs every minute and does work that requests postpone in order to be fast: it merges the deltas of
 * totals, and flushes the pending lists of search indexes. If it does not run, results stay correct, but queries
 * become slower.
 */
export const maintenanceJobs: JobKind<Service>[] = [
  {
    queue: "maintenance.run",
    schedule: "* * * * *",
    async run(service) {
      const mergeSome = () =>
        transaction(systemCall(service), async (tx) =>
          exactlyOne(await rowCounts.mergeDeltas.run({ max: DELTAS_AT_ONCE }, tx.db)),
        );
      while ((await mergeSome()).merged === DELTAS_AT_ONCE);
      await transaction(systemCall(service), (tx) => searchIndexes.flushPendingEntries.run(undefined, tx.db));
    },
  },
];
