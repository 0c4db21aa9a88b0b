import { setTimeout } from "node:timers/promises";
import { exactlyOne, type Service, systemCall, transaction } from "#kit";
import { FEED_TYPES, relayNotifier, startLoop, theProduct } from "#kit/inside";
import * as queries from "#sql/events";

/** The maximum number of transactions whose events get their sequence numbers in one batch. */
const MAX_TRANSACTIONS = 500;
/** The interval at which the relay polls for events that other instances have written. */
const POLL_MS = 500;
/**
 * How long the relay collects events before it assigns their sequence numbers, so that a busy service has large
 * batches.
 */
const GATHER_MS = 100;

/**
 * Assigns sequence numbers to the committed events of at most 500 transactions, and copies those of the feed there if
 * there is a product. Returns how many rows of the outbox it moved (0 if another instance is assigning numbers), and
 * the number of webhook endpoints that have new deliveries.
 */
export async function relayOnce(service: Service): Promise<{ moved: number; endpoints: number }> {
  const feedTypes = theProduct() === null ? [] : [...FEED_TYPES];
  const { moved, events, endpoints } = await transaction(systemCall(service), async (tx) => {
    const { isLocked } = exactlyOne(await queries.tryLockRelay.run(undefined, tx.db));
    if (!isLocked) return { moved: 0, events: 0, endpoints: 0 };
    return exactlyOne(await queries.relayEvents.run({ max: MAX_TRANSACTIONS, feedTypes }, tx.db));
  });
  if (events > 0) service.app.meter.count("events_total", {}, events);
  return { moved, endpoints };
}

/** Assigns sequence numbers to all committed events, batch after batch. */
export async function relayAll(service: Service): Promise<void> {
  while ((await relayOnce(service)).moved > 0);
}

/**
 * Starts the event relay of this instance; it runs until it is stopped. Only one instance at a time assigns numbers.
 */
export function startRelay(service: Service, onDeliveries: () => void) {
  let gatherMs = 0;
  const work = async () => {
    await setTimeout(gatherMs);
    const { moved, endpoints } = await relayOnce(service);
    if (endpoints > 0) onDeliveries();
    const isMoreLeft = moved >= MAX_TRANSACTIONS;
    gatherMs = isMoreLeft ? 0 : GATHER_MS;
    return isMoreLeft ? 0 : POLL_MS;
  };
  return startLoop(relayNotifier(service.app), work, (err) =>
    service.log.error("event relay failed", { err }),
  );
}
