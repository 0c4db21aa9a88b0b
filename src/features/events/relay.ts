import { setTimeout } from "node:timers/promises";
import * as queries from "#sql/events";
import { type Service, systemCall } from "../../core/context.ts";
import { relayWake } from "../../core/effects/event-wake.ts";
import { exactlyOne } from "../../platform/db/prepared-query.ts";
import { transaction } from "../../platform/db/transaction.ts";

/** The maximum number of transactions whose events are numbered at once. */
const MAX_TRANSACTIONS = 500;
/** The interval at which the relay polls for events that other instances have written. */
const POLL_MS = 500;
/** How long the relay collects events before it numbers them, so that a busy service numbers many events at once. */
const GATHER_MS = 100;
const AFTER_ERROR_MS = 5_000;

/**
 * Numbers committed events, those of at most 500 transactions. Returns the number of events that were numbered (0
 * if another instance is numbering events), and the number of webhook endpoints that have new deliveries.
 */
export async function relayOnce(service: Service): Promise<{ moved: number; endpoints: number }> {
  const { events, endpoints } = await transaction(systemCall(service), async (tx) => {
    const { isLocked } = exactlyOne(await queries.tryLockRelay.run(undefined, tx.db));
    if (!isLocked) return { events: 0, endpoints: 0 };
    return exactlyOne(await queries.relayEvents.run({ max: String(MAX_TRANSACTIONS) }, tx.db));
  });
  if (events > 0) service.app.meter.count("events_total", {}, events);
  return { moved: events, endpoints };
}

/** Numbers all committed events, batch after batch. */
export async function relayAll(service: Service): Promise<void> {
  while ((await relayOnce(service)).moved > 0);
}

/**
 * Starts the event relay of this instance; it runs until it is stopped. Only one instance numbers events at a time.
 */
export function startRelay(service: Service, onDeliveries: () => void) {
  const wake = relayWake(service.app);
  let isStopping = false;
  const work = async () => {
    while (!isStopping) {
      let pause = POLL_MS;
      try {
        const { moved, endpoints } = await relayOnce(service);
        if (endpoints > 0) onDeliveries();
        if (moved >= MAX_TRANSACTIONS) continue;
      } catch (err) {
        service.log.error("event relay failed", { err });
        pause = AFTER_ERROR_MS;
      }
      await wake.wait(pause);
      if (!isStopping) await setTimeout(GATHER_MS);
    }
  };
  const done = work();
  return {
    async stop() {
      isStopping = true;
      wake.wake();
      await done;
    },
  };
}
