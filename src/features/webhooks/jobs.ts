import { type JobKind, type Service, systemCall, transaction } from "#kit";
import * as queries from "#sql/webhook-deliveries";
import { disableEndpoint, discardDeliveries, notifyHolders } from "./disable.ts";

const ENDPOINTS_AT_ONCE = 50;

/**
 * Jobs that run every minute. One discards what deleted endpoints left pending. The other warns about webhook endpoints that have failed for a day, and disables those that
 * have failed for five days.
 */
export const webhookJobs: JobKind<Service>[] = [
  {
    queue: "webhooks.discard",
    schedule: "* * * * *",
    concurrency: 1,
    async run({ db }) {
      while (await discardDeliveries(db.writes, null));
    },
  },
  {
    queue: "webhooks.failing",
    schedule: "* * * * *",
    concurrency: 1,
    async run(service) {
      for (;;) {
        const failing = await queries.listFailingEndpoints.run({ max: ENDPOINTS_AT_ONCE }, service.db);
        for (const { id, organizationId, url, failingSince, isOver } of failing)
          await transaction(systemCall(service), async (tx) => {
            if (isOver) return disableEndpoint(tx, id, "FAILING");
            const [warned] = await queries.markEndpointWarned.run({ id }, tx.db);
            const about = { id, organizationId, url, failingSince, reason: null };
            if (warned !== undefined) await notifyHolders(tx, "WEBHOOK_ENDPOINT_FAILING", about);
          });
        if (failing.length < ENDPOINTS_AT_ONCE) return;
      }
    },
  },
];
