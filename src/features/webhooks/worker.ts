import { memoizePerApp, Notifier, type Service } from "#kit";
import { startLoop } from "#kit/inside";
import * as queries from "#sql/webhook-deliveries";
import { resolveAllWith } from "../../platform/http/resolve-all.ts";
import type { Network } from "./attempt.ts";
import { LEASE_SECONDS, MAX_AT_ONCE, runTimeSlice } from "./deliver.ts";
import { AddressSlots, HEALTHS, RequestSlots } from "./slots.ts";

/** Notifies the webhook worker of this instance after a commit that made a delivery due. */
export const deliveryNotifier = memoizePerApp(() => new Notifier());

/** The interval at which the webhook worker polls for retries, and for deliveries that other instances made due. */
const POLL_MS = 1_000;
const MAX_SLICES_AT_ONCE = 20;

export type NetworkOptions = { dnsServers?: string[] | null; ca?: string | undefined };

/** Creates the DNS resolver and the slots that all webhook deliveries of an instance share. */
export const openNetwork = ({ app }: Service, { dnsServers = null, ca }: NetworkOptions = {}): Network => ({
  resolve: resolveAllWith({ servers: dnsServers, hosts: app.config.webhookAllowedNetworks.length > 0 }),
  addresses: new AddressSlots(),
  ca,
});

export const openSlots = ({ app }: Service) => new RequestSlots(app.config.webhookConcurrency);

/** Starts time slices for endpoints with due deliveries while slots are free, and passes each to `onStart`. */
async function startTimeSlices(
  service: Service,
  slots: RequestSlots,
  network: Network,
  signal: AbortSignal,
  onStart: (slice: Promise<void>) => void,
): Promise<void> {
  for (const health of HEALTHS) {
    const max = Math.min(MAX_SLICES_AT_ONCE, slots.free(health));
    if (max === 0) continue;
    const limits = { leaseSeconds: LEASE_SECONDS, atOnce: MAX_AT_ONCE, max };
    const wanted = { health, busy: slots.busyOrganizations(), ...limits };
    for (const slice of await queries.startTimeSlices.run(wanted, service.db.writes))
      onStart(runTimeSlice(service, { ...slice, health }, slots, network, signal));
  }
}

/** Sends all due webhook deliveries now, and returns when no due delivery is left. For tests. */
export async function deliverAll(service: Service, options: NetworkOptions = {}): Promise<void> {
  const [slots, network] = [openSlots(service), openNetwork(service, options)];
  const { signal } = new AbortController();
  for (;;) {
    const slices: Promise<void>[] = [];
    await startTimeSlices(service, slots, network, signal, (slice) => slices.push(slice));
    if (slices.length === 0) return;
    await Promise.all(slices);
  }
}

/** Starts the webhook worker of this instance; it sends deliveries until it is stopped. */
export function startDeliveries(service: Service) {
  const { log } = service;
  const [slots, network] = [openSlots(service), openNetwork(service)];
  const abort = new AbortController();
  const notifier = deliveryNotifier(service.app);
  const running = new Set<Promise<void>>();
  const onStart = (slice: Promise<void>) => {
    const done = slice
      .catch((err) => log.error("webhook deliveries failed", { err }))
      .finally(() => {
        running.delete(done);
        notifier.notify();
      });
    running.add(done);
  };
  const work = async () => {
    await startTimeSlices(service, slots, network, abort.signal, onStart);
    return POLL_MS;
  };
  const loop = startLoop(notifier, work, (err) => log.error("webhook deliveries not started", { err }));
  return {
    notify: () => notifier.notify(),
    async stop() {
      abort.abort();
      await loop.stop();
      await Promise.all(running);
    },
  };
}
