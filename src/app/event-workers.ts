import type { Service } from "../core/context.ts";
import { startRelay } from "../features/events/relay.ts";
import { startDeliveries } from "../features/webhooks/worker.ts";

type Worker = { stop(): Promise<void> };

/** Starts the event relay and the webhook worker on this instance, as soon as the database is reachable. */
export function startEventWorkers(service: Service): Worker {
  let workers: Worker[] = [];
  let isStopping = false;
  void service.app.jobs.whenRunning().then(() => {
    if (isStopping) return;
    const deliveries = startDeliveries(service);
    workers = [startRelay(service, deliveries.notify), deliveries];
  });
  return {
    async stop() {
      isStopping = true;
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  };
}
