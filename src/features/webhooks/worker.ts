import * as queries from "#sql/webhook-deliveries";
import type { Service } from "../../core/context.ts";
import { startLoop, Wake } from "../../core/effects/event-wake.ts";
import { memoizePerApp } from "../../core/memoize-per-app.ts";
import { resolveAllWith } from "../../platform/http/resolve-all.ts";
import type { Network } from "./attempt.ts";
import { LEASE_SECONDS, MAX_AT_ONCE, runTurn } from "./deliver.ts";
import { AddressSlots, RequestSlots, STANDINGS } from "./slots.ts";

/** Wakes the webhook worker of this instance after a commit that made a delivery due. */
export const deliveryWake = memoizePerApp(() => new Wake());

/** The interval at which the webhook worker polls for retries, and for deliveries that other instances made due. */
const POLL_MS = 1_000;
const MAX_TURNS_AT_ONCE = 20;

export type NetworkOptions = { dnsServers?: string[] | null; ca?: string | undefined };

/** Creates the DNS resolver and the slots that all webhook deliveries of an instance share. */
export const openNetwork = ({ app }: Service, { dnsServers = null, ca }: NetworkOptions = {}): Network => ({
  resolve: resolveAllWith({ servers: dnsServers, hosts: app.config.webhookAllowedNetworks.length > 0 }),
  addresses: new AddressSlots(),
  ca,
});

export const openSlots = ({ app }: Service) => new RequestSlots(app.config.webhookConcurrency);

/** Starts turns for endpoints with due deliveries while slots are free, and passes each running turn to `onTurn`. */
async function startTurns(
  service: Service,
  slots: RequestSlots,
  network: Network,
  signal: AbortSignal,
  onTurn: (turn: Promise<void>) => void,
): Promise<void> {
  for (const standing of STANDINGS) {
    const max = Math.min(MAX_TURNS_AT_ONCE, slots.room(standing));
    if (max === 0) continue;
    const limits = { leaseSeconds: LEASE_SECONDS, atOnce: String(MAX_AT_ONCE), max: String(max) };
    const wanted = { standing, busy: slots.busyOrganizations(), ...limits };
    for (const turn of await queries.takeTurns.run(wanted, service.db.writes))
      onTurn(runTurn(service, { ...turn, standing }, slots, network, signal));
  }
}

/** Sends all due webhook deliveries now, and returns when no due delivery is left. For tests. */
export async function deliverAll(service: Service, options: NetworkOptions = {}): Promise<void> {
  const [slots, network] = [openSlots(service), openNetwork(service, options)];
  const { signal } = new AbortController();
  for (;;) {
    const turns: Promise<void>[] = [];
    await startTurns(service, slots, network, signal, (turn) => turns.push(turn));
    if (turns.length === 0) return;
    await Promise.all(turns);
  }
}

/** Starts the webhook worker of this instance; it sends deliveries until it is stopped. */
export function startDeliveries(service: Service) {
  const { log } = service;
  const [slots, network] = [openSlots(service), openNetwork(service)];
  const abort = new AbortController();
  const wake = deliveryWake(service.app);
  const running = new Set<Promise<void>>();
  const onTurn = (turn: Promise<void>) => {
    const done = turn
      .catch((err) => log.error("webhook deliveries failed", { err }))
      .finally(() => {
        running.delete(done);
        wake.wake();
      });
    running.add(done);
  };
  const work = async () => {
    await startTurns(service, slots, network, abort.signal, onTurn);
    return POLL_MS;
  };
  const loop = startLoop(wake, work, (err) => log.error("webhook deliveries not taken up", { err }));
  return {
    wake: () => wake.wake(),
    async stop() {
      abort.abort();
      await loop.stop();
      await Promise.all(running);
    },
  };
}
