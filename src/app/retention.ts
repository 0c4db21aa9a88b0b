import { deleteOldKeys } from "#sql/idempotency";
import { PRODUCT_ACTOR } from "../core/access/access.ts";
import type { Feature } from "../core/api/feature.ts";
import { type Service, systemCall } from "../core/context.ts";
import type { RetentionQuery } from "../core/retention.ts";
import { transaction } from "../platform/db/transaction.ts";
import type { JobKind } from "../platform/jobs/queue.ts";
import { features } from "./features.ts";

/** The number of rows per transaction. It keeps each transaction short, for any number of expired rows. */
const BATCH_SIZE = 10_000;

const all: readonly Feature[] = features;

/**
 * Jobs that delete expired rows. Once a day: sessions and links after 30 days (rules 5.13), and rows that only
 * counted for limits. Every hour: stored responses (rules 27.8).
 */
export const cleanUpJobs: JobKind<Service>[] = [
  {
    queue: "sessions.clean-up",
    schedule: "17 3 * * *",
    async run(service) {
      for (const { retention = [] } of all) {
        const queries = typeof retention === "function" ? retention(service.app.config) : retention;
        for (const query of queries) await deleteAll(service, query);
      }
    },
  },
  {
    queue: "idempotency.clean-up",
    schedule: "7 * * * *",
    async run(service) {
      const hours = service.app.config.idempotencyHours;
      await deleteAll(service, {
        run: ({ max }, db) => deleteOldKeys.run({ hours, max, productId: PRODUCT_ACTOR.id }, db),
      });
    },
  },
];

/** Runs a query that deletes expired rows, batch after batch, until no more rows are expired. */
async function deleteAll(service: Service, query: RetentionQuery): Promise<void> {
  const deleteBatch = () =>
    transaction(systemCall(service), async (tx) => (await query.run({ max: BATCH_SIZE }, tx.db)).length);
  while ((await deleteBatch()) === BATCH_SIZE);
}
