import type { Service } from "../core/context.ts";
import { startRelay } from "../features/events/relay.ts";

/** Starts the relay of events on this instance, once the database is reachable. */
export function startEventWorkers(service: Service) {
  const { app } = service;
  let relay: ReturnType<typeof startRelay> | null = null;
  let isStopping = false;
  void app.jobs.whenRunning().then(() => {
    if (!isStopping) relay = startRelay(service, () => {});
  });
  return {
    async stop() {
      isStopping = true;
      await relay?.stop();
    },
  };
}
