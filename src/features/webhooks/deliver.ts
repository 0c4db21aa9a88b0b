import { type Service, systemCall, transaction } from "#kit";
import * as queries from "#sql/webhook-deliveries";
import { attempt, hasEvent, type LeasedDelivery, type Network, type Outcome } from "./attempt.ts";
import { disableEndpoint } from "./disable.ts";
import type { EndpointHealth, RequestSlots } from "./slots.ts";

/** The time slice in which one instance sends the deliveries of one endpoint. */
export type TimeSlice = {
  id: string;
  organizationId: string;
  health: EndpointHealth;
  isFailing: boolean;
  /** How many deliveries are due, at most as many as are attempted at once. */
  due: number;
};

/** The result of a leased delivery. It stays pending if it was not attempted, or if the attempt was aborted. */
type Result =
  | { state: "Succeeded" | "Failed"; delivery: LeasedDelivery; outcome: Outcome }
  | { state: "Pending"; reason: "noSlot" | "aborted" }
  | { state: "Discarded"; reason: "noEvent" };
type Attempt = Extract<Result, { outcome: Outcome }>;

/** The limits of a time slice, so that every endpoint gets one. */
const MAX_DELIVERIES = 20;
const MAX_SLICE_MS = 10_000;
/** The maximum number of concurrent deliveries to an endpoint; after a failure it is one. */
export const MAX_AT_ONCE = 4;
/** An endpoint whose last attempts took longer than this, in milliseconds, shares the slots of failing endpoints. */
const SLOW_MS = 2_000;
/**
 * The duration of the lease of an endpoint and its deliveries. If the instance is killed, others continue after
 * this time. It covers a whole time slice, and one attempt that begins at the end of it.
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

/** Sends the due deliveries of an endpoint, within the limits of one time slice. */
export async function runTimeSlice(
  service: Service,
  slice: TimeSlice,
  slots: RequestSlots,
  network: Network,
  signal: AbortSignal,
): Promise<void> {
  const { id, organizationId } = slice;
  const until = performance.now() + MAX_SLICE_MS;
  let { health, isFailing } = slice;
  let left = MAX_DELIVERIES;
  let due = Math.max(1, slice.due);
  let isOver = false;
  let pauseSeconds = 0;
  try {
    while (!isOver && left > 0 && performance.now() < until && !signal.aborted) {
      const wanted = Math.min(left, due, isFailing ? 1 : MAX_AT_ONCE);
      const releases = slots.acquireUpTo(wanted, organizationId, health);
      const acquired = releases.length;
      const results = await runRound(service, id, releases, network, signal);
      const attempts = results.filter(isAttempt);
      const hasNoSlot =
        acquired === 0 || results.some((one) => one.state === "Pending" && one.reason === "noSlot");
      left -= results.length;
      due = MAX_AT_ONCE;
      isOver = results.length < acquired || hasNoSlot;
      if (hasNoSlot) pauseSeconds = NO_SLOT_SECONDS;
      isFailing = attempts.some(({ state }) => state === "Failed");
      health = isFailing || attempts.some(({ outcome }) => isSlow(outcome)) ? "impaired" : "quick";
    }
  } finally {
    await transaction(systemCall(service), async (tx) => {
      await queries.lockEndpoint.run({ id }, tx.db);
      await queries.endTimeSlice.run({ id, pauseSeconds }, tx.db);
    });
  }
}

/** Leases as many due deliveries as there are slots, sends them concurrently, and records the results. */
async function runRound(
  service: Service,
  endpointId: string,
  releases: (() => void)[],
  network: Network,
  signal: AbortSignal,
): Promise<Result[]> {
  let leased: LeasedDelivery[] = [];
  try {
    const wanted = { endpointId, leaseSeconds: LEASE_SECONDS, max: releases.length };
    if (releases.length > 0) leased = await queries.leaseDeliveries.run(wanted, service.db.writes);
  } finally {
    for (const release of releases.splice(leased.length)) release();
  }
  const settled = await Promise.allSettled(
    leased.map((delivery, at) => deliver(service, delivery, network, signal, releases[at])),
  );
  const results = settled.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  const attempts = results.filter(isAttempt);
  if (attempts.length > 0) await record(service, endpointId, attempts);
  const broken = settled.find((one) => one.status === "rejected");
  if (broken !== undefined) throw broken.reason;
  return results;
}

/** Attempts a delivery. If there is no outcome, stores the state of the delivery and ends its lease. */
async function deliver(
  { app, db }: Service,
  delivery: LeasedDelivery,
  network: Network,
  signal: AbortSignal,
  release: (() => void) | undefined,
): Promise<Result> {
  const { id, createdAt } = delivery;
  if (!hasEvent(delivery)) {
    release?.();
    await queries.endDeliveryWithoutEvent.run({ id, createdAt }, db.writes);
    return { state: "Discarded", reason: "noEvent" };
  }
  const outcome = await attempt(app, network, delivery, signal).finally(release);
  const isAborted = signal.aborted && outcome?.status == null;
  if (outcome !== null && !isAborted)
    return { state: isSuccess(outcome) ? "Succeeded" : "Failed", delivery, outcome };
  await queries.releaseDelivery.run({ id, createdAt, seconds: isAborted ? 0 : NO_SLOT_SECONDS }, db.writes);
  return { state: "Pending", reason: outcome === null ? "noSlot" : "aborted" };
}

const isAttempt = (result: Result): result is Attempt => "outcome" in result;
const isSuccess = ({ status }: Outcome) => status !== null && status >= 200 && status < 300;
const isSlow = ({ durationMs }: Outcome) => durationMs > SLOW_MS;

/** Stores the outcomes of concurrent attempts to deliver to one endpoint. */
async function record(service: Service, endpointId: string, attempts: Attempt[]): Promise<void> {
  const made = attempts.map(({ state, delivery, outcome }) => {
    const { id, createdAt, attemptCount, isResend } = delivery;
    const { retryAfter: _, ...stored } = outcome;
    const result = outcome.error ?? (state === "Succeeded" ? "succeeded" : "refused");
    service.app.meter.count("webhook_attempts_total", { outcome: result });
    service.app.meter.observe("webhook_attempt_duration_seconds", outcome.durationMs / 1_000);
    return {
      ...stored,
      id,
      createdAt,
      number: attemptCount + 1,
      isSuccess: state === "Succeeded",
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
function retryAfterFailure(
  { isResend, failedTries, testEvent }: LeasedDelivery,
  { retryAfter, status }: Outcome,
) {
  if (testEvent !== null || status === 410) return null;
  const wait = WAITS[isResend ? Math.max(0, failedTries - 1) : failedTries];
  if (wait === undefined) return null;
  const jittered = wait * (1 - JITTER + Math.random() * 2 * JITTER);
  return Math.max(jittered, retryAfter ?? 0);
}
