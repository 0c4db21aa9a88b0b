import * as queries from "#sql/webhook-deliveries";
import { type Service, systemCall } from "../../core/context.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { attempt, hasEvent, type Network, type Outcome, type Taken } from "./attempt.ts";
import { disableEndpoint } from "./disable.ts";
import type { RequestSlots, Standing } from "./slots.ts";

export type Turn = Standing & { id: string; organizationId: string };

/** A turn ends after so many deliveries or so long, so that other endpoints get theirs. */
const MAX_DELIVERIES = 20;
const MAX_TURN_MS = 10_000;
/** How many deliveries of an endpoint run at once; after a failure only one. */
const MAX_AT_ONCE = 4;
/** A killed instance frees an endpoint and its deliveries after this time: the turn, and one attempt that began at its end. */
export const LEASE_SECONDS = 27;
/** A turn that found no free slot is continued after this time. */
const NO_SLOT_SECONDS = 0.5;

const SECOND = 1;
const MINUTE = 60;
const HOUR = 3_600;
/** The waits after the failed attempts of a delivery; after the tenth it has failed. */
const WAITS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR)];
const JITTER = 0.1;

/** Makes the due deliveries of an endpoint, within the limits of its turn. */
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
    // The turn ends only when no lane runs any more.
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

/** Takes the next due delivery. Of an endpoint without a success, ten attempts an hour; tests and resends do not count. */
async function takeNext({ db }: Service, endpointId: string, { isProven }: Standing): Promise<Taken | null> {
  const isLimited = !isProven && !(await isAllowed(db, endpointId));
  const lease = { endpointId, leaseSeconds: LEASE_SECONDS, isLimited };
  const [delivery] = await queries.takeDelivery.run(lease, db.writes);
  return delivery ?? null;
}

const isAllowed = async (db: Service["db"], id: string) =>
  (await queries.allowUnprovenAttempt.run({ id }, db.writes)).length > 0;

/** Stores the outcome of an attempt; returns whether it succeeded. */
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

/** Returns the seconds until the next attempt of a pending delivery; null if the last one has failed, or of a test. */
function retryAfterFailure({ isResend, failedTries, testEvent }: Taken, { retryAfter, status }: Outcome) {
  if (testEvent !== null || status === 410) return null;
  const wait = WAITS[isResend ? Math.max(0, failedTries - 1) : failedTries];
  if (wait === undefined) return null;
  const jittered = wait * (1 - JITTER + Math.random() * 2 * JITTER);
  return Math.max(jittered, retryAfter ?? 0);
}
