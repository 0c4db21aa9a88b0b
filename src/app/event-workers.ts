import type { Service } from "../core/context.ts";
import { startRelay } from "../features/events/relay.ts";
import { startDeliveries } from "../features/webhooks/worker.ts";

/** Starts the relay of events on this instance, once the database is reachable. */
export function startEventWorkers(service: Service) {
  const { app } = service;
  let relay: ReturnType<typeof startRelay> | null = null;
type Worker = { stop(): Promise<void> };

/** Starts what numbers and delivers events on this instance, once the database is reachable. */
export function startEventWorkers(service: Service): Worker {
  let workers: Worker[] = [];
  let isStopping = false;
  void service.app.jobs.whenRunning().then(() => {
    if (isStopping) return;
    const deliveries = startDeliveries(service);
    workers = [startRelay(service, deliveries.wake), deliveries];
  });
  return {
    async stop() {
      isStopping = true;
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  };
}
