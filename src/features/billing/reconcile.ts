import { setTimeout } from "node:timers/promises";
import { type Job, type JobKind, type Service, systemCall, transaction } from "#kit";
import * as subscriptions from "#sql/billing";
import { updateCopy } from "./update-copy.ts";

const QUEUE = "billing.reconcile";
/**
 * The number of customers per job. A failed job is repeated as a whole, and a job must end long before the queue's
 * timeout.
 */
const CUSTOMERS_AT_ONCE = 50;
/**
 * Limits the calls to ten per second: the provider allows 25 in its test mode and 100 otherwise, including
 * checkouts.
 */
const PAUSE_MS = 100;

/** The id after which this job continues with the next customers; null for the first job of the day. */
type Batch = Job<{ after: string } | null>;

/**
 * Reconciles the subscriptions of all customers with the provider once a day (rules 19.17). Each job handles a few
 * customers and queues the next job.
 */
export const reconcileJobs: JobKind<Service>[] = [
  {
    queue: QUEUE,
    schedule: "43 4 * * *",
    concurrency: 1,
    run: (service, job: Batch) => reconcile(service, job.payload?.after ?? ""),
    onFinalFailure: ({ app }, { id, queue }, err) =>
      app.log.error("the subscriptions are not reconciled before tomorrow", { queue, jobId: id, err }),
  },
];

async function reconcile(service: Service, after: string): Promise<void> {
  const { payments, config } = service.app;
  if (payments === null || config.billing.plans === null) return;
  const call = systemCall(service);
  const found = await subscriptions.findCustomersAfter.run({ after, max: CUSTOMERS_AT_ONCE }, service.db);
  let changed = 0;
  for (const { customerId } of found) {
    try {
      const outcome = await updateCopy(call, payments, { customerId, eventId: null });
      if (outcome === "applied") changed += 1;
    } catch (error) {
      if (!payments.isAboutCustomer(error)) throw error;
      // A failing customer is skipped: otherwise the customers after it would never be reconciled.
      service.log.error("a subscription cannot be reconciled", { customerId, err: error });
    }
    await setTimeout(PAUSE_MS);
  }
  service.log.info("subscriptions reconciled", { checked: found.length, changed });
  const last = found.at(-1)?.customerId;
  if (last === undefined || found.length < CUSTOMERS_AT_ONCE) return;
  await transaction(call, (tx) => service.app.jobs.send(tx.db, QUEUE, { after: last }));
}
