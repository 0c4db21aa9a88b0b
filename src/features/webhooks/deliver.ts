import * as queries from "#sql/webhook-deliveries";
import { type Service, systemCall } from "../../core/context.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { attempt, hasEvent, type Network, type Outcome, type Taken } from "./attempt.ts";
import { disableEndpoint } from "./disable.ts";
import type { RequestSlots, Standing } from "./slots.ts";

export type Turn = Standing & { id: string; organizationId: string };

/**
 * The limits of a turn. A turn is the time slice in which one instance sends the deliveries of one endpoint; it is
 * limited so that every endpoint gets a turn.
 */
const MAX_DELIVERIES = 20;
const MAX_TURN_MS = 10_000;
/** The maximum number of concurrent deliveries to an endpoint; after a failure it is one. */
const MAX_AT_ONCE = 4;
/**
 * The duration of the lease of an endpoint and its deliveries. If the instance is killed, others continue after
 * this time. It covers a whole turn, and one attempt that begins at the end of the turn.
 */
export const LEASE_SECONDS = 27;
/** The pause before an endpoint is tried again, if too many requests were running. */
const NO_SLOT_SECONDS = 0.5;

const SECOND = 1;
const MINUTE = 60;
const HOUR = 3_600;
/**
 * The waits in seconds after each failed attempt of a delivery. After the tenth failed attempt, the delivery has
 * failed.
 */
const WAITS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR)];
const JITTER = 0.1;

/** Sends the due deliveries of an endpoint, within the limits of one turn. */
export async function runTurn(
  service: Service,
  turn: Turn,
  slots: RequestSlots,
  network: Network,
  signal: AbortSignal,
): Promise<void> {
  const until = performance.now() + MAX_TURN_MS;
  const standing: Standing = { isFailing: turn.isFailing, isProven: turn.isProven };
  let left = MAX_DELIVERIES;
  let hasFailed = turn.isFailing;
  let pauseSeconds = 0;
  const lane = async (number: number) => {
    while (left > 0 && performance.now() < until && !signal.aborted) {
      if (hasFailed && number > 0) return;
      const release = slots.take(turn.organizationId, standing);
      if (release === null) {
        pauseSeconds = NO_SLOT_SECONDS;
        return;
      }
      left -= 1;
      try {
        const delivery = await takeNext(service, turn.id, standing);
        if (delivery === null) return;
        if (!hasEvent(delivery)) {
          const { id, createdAt } = delivery;
          await queries.endDeliveryWithoutEvent.run({ id, createdAt }, service.db.writes);
          continue;
        }
        const outcome = await attempt(service.app, network, delivery, signal);
        if (signal.aborted && outcome?.status == null) {
          await releaseDelivery(service, delivery, 0);
          return;
        }
        if (outcome === null) {
          pauseSeconds = NO_SLOT_SECONDS;
          await releaseDelivery(service, delivery, NO_SLOT_SECONDS);
          return;
        }
        const isSuccess = await record(service, turn.id, delivery, outcome);
        hasFailed = !isSuccess;
        standing.isFailing = !isSuccess;
        standing.isProven ||= isSuccess;
      } finally {
        release();
      }
    }
  };
  try {
    // All concurrent sends must have finished before the turn ends.
    const lanes = Array.from({ length: turn.isFailing ? 1 : MAX_AT_ONCE }, (_, number) => lane(number));
    const broken = (await Promise.allSettled(lanes)).find((one) => one.status === "rejected");
    if (broken !== undefined) throw broken.reason;
  } finally {
    await transaction(systemCall(service), async (tx) => {
      await queries.lockEndpointOfTurn.run({ id: turn.id }, tx.db);
      await queries.endTurn.run({ id: turn.id, pauseSeconds }, tx.db);
    });
  }
}

const releaseDelivery = ({ db }: Service, { id, createdAt }: Taken, seconds: number) =>
  queries.releaseDelivery.run({ id, createdAt, seconds }, db.writes);

/**
 * Leases the next due delivery of an endpoint. An endpoint that never succeeded gets at most ten attempts an hour;
 * test deliveries and resends do not count.
 */
async function takeNext({ db }: Service, endpointId: string, { isProven }: Standing): Promise<Taken | null> {
  const isLimited = !isProven && !(await isAllowed(db, endpointId));
  const lease = { endpointId, leaseSeconds: LEASE_SECONDS, isLimited };
  const [delivery] = await queries.takeDelivery.run(lease, db.writes);
  return delivery ?? null;
}

const isAllowed = async (db: Service["db"], id: string) =>
  (await queries.allowUnprovenAttempt.run({ id }, db.writes)).length > 0;

/** Stores the outcome of a delivery attempt; returns whether the attempt succeeded. */
async function record(
  service: Service,
  endpointId: string,
  delivery: Taken,
  outcome: Outcome,
): Promise<boolean> {
  const { db, app } = service;
  const { startedAt, durationMs, status, error, responseExcerpt } = outcome;
  const isSuccess = status !== null && status >= 200 && status < 300;
  app.meter.count("webhook_attempts_total", { outcome: error ?? (isSuccess ? "succeeded" : "refused") });
  const number = delivery.attemptCount + 1;
  const { id, createdAt, url } = delivery;
  const attempted = { id, createdAt, endpointId, number, startedAt, durationMs, responseExcerpt };
  if (isSuccess) {
    await queries.recordSuccess.run({ ...attempted, status, url }, db.writes);
    return true;
  }
  const isTry = !delivery.isResend;
  const retrySeconds = retryAfterFailure(delivery, outcome);
  await queries.recordFailure.run({ ...attempted, status, error, isTry, retrySeconds, url }, db.writes);
  if (status === 410)
    await transaction(systemCall(service), (tx) => disableEndpoint(tx, endpointId, "GONE", url));
  return false;
}

/**
 * Returns the seconds until the next attempt of a delivery. Null after the last attempt, after status 410, and for
 * tests.
 */
function retryAfterFailure({ isResend, failedTries, testEvent }: Taken, { retryAfter, status }: Outcome) {
  if (testEvent !== null || status === 410) return null;
  const wait = WAITS[isResend ? Math.max(0, failedTries - 1) : failedTries];
  if (wait === undefined) return null;
  const jittered = wait * (1 - JITTER + Math.random() * 2 * JITTER);
  return Math.max(jittered, retryAfter ?? 0);
}
