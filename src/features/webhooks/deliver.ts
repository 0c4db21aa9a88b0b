import * as queries from "#sql/webhook-deliveries";
import { type Service, systemCall } from "../../core/context.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { attempt, hasEvent, type Network, type Outcome, type Taken } from "./attempt.ts";
import { disableEndpoint } from "./disable.ts";
import type { RequestSlots, Standing } from "./slots.ts";

export type Turn = {
  id: string;
  organizationId: string;
  standing: Standing;
  isFailing: boolean;
  /** How many deliveries are due, at most as many as are attempted at once. */
  due: number;
};

/**
 * The limits of a turn. A turn is the time slice in which one instance sends the deliveries of one endpoint; it is
 * limited so that every endpoint gets a turn.
 */
const MAX_DELIVERIES = 20;
const MAX_TURN_MS = 10_000;
/** The maximum number of concurrent deliveries to an endpoint; after a failure it is one. */
export const MAX_AT_ONCE = 4;
/** An endpoint whose last attempts took longer than this, in milliseconds, shares the slots of failing endpoints. */
const SLOW_MS = 2_000;
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
  const { id, organizationId } = turn;
  const until = performance.now() + MAX_TURN_MS;
  let { standing, isFailing } = turn;
  let left = MAX_DELIVERIES;
  let due = Math.max(1, turn.due);
  let isOver = false;
  let pauseSeconds = 0;
  try {
    while (!isOver && left > 0 && performance.now() < until && !signal.aborted) {
      const wanted = Math.min(left, due, isFailing ? 1 : MAX_AT_ONCE);
      const releases = slots.takeUpTo(wanted, organizationId, standing);
      const room = releases.length;
      const { taken, attempts, hadNoSlot } = await runRound(service, id, releases, network, signal);
      left -= taken;
      due = MAX_AT_ONCE;
      isOver = taken < room || room === 0 || hadNoSlot;
      if (room === 0 || hadNoSlot) pauseSeconds = NO_SLOT_SECONDS;
      isFailing = attempts.some(({ outcome }) => !isSuccess(outcome));
      standing = isFailing || attempts.some(({ outcome }) => isSlow(outcome)) ? "impaired" : "quick";
    }
  } finally {
    await transaction(systemCall(service), async (tx) => {
      await queries.lockEndpointOfTurn.run({ id }, tx.db);
      await queries.endTurn.run({ id, pauseSeconds }, tx.db);
    });
  }
}

type Attempt = { delivery: Taken; outcome: Outcome };

/** Leases as many due deliveries as there are slots, sends them concurrently, and records the outcomes. */
async function runRound(
  service: Service,
  endpointId: string,
  releases: (() => void)[],
  network: Network,
  signal: AbortSignal,
) {
  const { app, db } = service;
  let taken: Taken[] = [];
  try {
    const wanted = { endpointId, leaseSeconds: LEASE_SECONDS, max: String(releases.length) };
    if (releases.length > 0) taken = await queries.takeDeliveries.run(wanted, db.writes);
  } finally {
    for (const release of releases.splice(taken.length)) release();
  }
  const attempts: Attempt[] = [];
  let hadNoSlot = false;
  const settled = await Promise.allSettled(
    taken.map(async (delivery, at) => {
      const { id, createdAt } = delivery;
      const release = releases[at];
      if (!hasEvent(delivery)) {
        release?.();
        return queries.endDeliveryWithoutEvent.run({ id, createdAt }, db.writes);
      }
      const outcome = await attempt(app, network, delivery, signal).finally(release);
      const isCut = signal.aborted && outcome?.status == null;
      if (outcome !== null && !isCut) return attempts.push({ delivery, outcome });
      hadNoSlot ||= outcome === null;
      const seconds = isCut ? 0 : NO_SLOT_SECONDS;
      return queries.releaseDelivery.run({ id, createdAt, seconds }, db.writes);
    }),
  );
  if (attempts.length > 0) await record(service, endpointId, attempts);
  const broken = settled.find((one) => one.status === "rejected");
  if (broken !== undefined) throw broken.reason;
  return { taken: taken.length, attempts, hadNoSlot };
}

const isSuccess = ({ status }: Outcome) => status !== null && status >= 200 && status < 300;
const isSlow = ({ durationMs }: Outcome) => durationMs > SLOW_MS;

/** Stores the outcomes of concurrent attempts to deliver to one endpoint. */
async function record(service: Service, endpointId: string, attempts: Attempt[]): Promise<void> {
  const made = attempts.map(({ delivery, outcome }) => {
    const { id, createdAt, attemptCount, isResend } = delivery;
    const { retryAfter: _, ...stored } = outcome;
    const result = outcome.error ?? (isSuccess(outcome) ? "succeeded" : "refused");
    service.app.meter.count("webhook_attempts_total", { outcome: result });
    service.app.meter.observe("webhook_attempt_duration_seconds", outcome.durationMs / 1_000);
    return {
      ...stored,
      id,
      createdAt,
      number: attemptCount + 1,
      isSuccess: isSuccess(outcome),
      isTry: !isResend,
      retrySeconds: retryAfterFailure(delivery, outcome),
    };
  });
  const url = attempts[0]?.delivery.url ?? "";
  const hasSlow = attempts.some(({ outcome }) => isSlow(outcome));
  const values = { endpointId, url, isSlow: hasSlow, made: { attempts: made } as never };
  await queries.recordAttempts.run(values, service.db.writes);
  if (attempts.some(({ outcome }) => outcome.status === 410))
    await transaction(systemCall(service), (tx) => disableEndpoint(tx, endpointId, "GONE", url));
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
