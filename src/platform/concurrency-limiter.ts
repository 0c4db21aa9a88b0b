import { KeyedSemaphore, type KeyLimit, type Release, type Waiter } from "./concurrency.ts";
import { deadlines } from "./db/deadlines.ts";
import { serviceUnavailable } from "./errors.ts";
import { rejectAfterDelay } from "./reject-after-delay.ts";

/**
 * The wait from which the limiter checks whether the client is still connected. For a shorter wait, the check costs
 * more than most waits.
 */
const LONG_WAIT_MS = 100;

/** The limits of one key: how many callers run at once, and how many more may wait. */
export type ConcurrencyLimit = KeyLimit & { maxWaiting: number };

/** A caller that waits for a permit; `refuse` rejects it with 429. */
type WaitingCaller = Waiter & { isGone(): boolean; refuse(): void };

type Wait = {
  /** The caller's request. Its signal is aborted when the client disconnects; the request then leaves the queue. */
  request: Pick<Request, "signal">;
  /** The deadline of the wait, on the clock of `performance.now()`. */
  deadlineAt: number;
  /** True if the caller waits even if the queue is full, instead of being rejected. */
  alwaysWaits?: boolean;
};

/**
 * Limits how many callers run at once under each of their keys. Further callers wait and take turns, by the key of
 * their first limit.
 */
export class ConcurrencyLimiter {
  private readonly turns = new KeyedSemaphore<WaitingCaller>();

  /**
   * Acquires a permit, at once or as a promise. Returns the function that releases the permit.
   * @throws tooManyRequests if too many callers wait under one of the keys; serviceUnavailable at the deadline
   */
  acquire(limits: ConcurrencyLimit[], wait: Wait): Release | Promise<Release> {
    return this.turns.tryAcquire(limits) ?? this.waitForTurn(limits, wait);
  }

  /**
   * Whether a further caller may wait. If the queue is full, first removes callers whose clients have disconnected. A
   * full queue still takes one caller of each turn, so nobody can keep others out.
   */
  hasRoom(limits: ConcurrencyLimit[]): boolean {
    const isFull = ({ key, maxWaiting }: ConcurrencyLimit) => this.turns.isFull(key, maxWaiting, limits);
    for (const limit of limits) if (isFull(limit)) this.refuseDisconnected(limit.key);
    return !limits.some(isFull);
  }

  private waitForTurn(
    limits: ConcurrencyLimit[],
    { request, deadlineAt, alwaysWaits }: Wait,
  ): Promise<Release> {
    if (!alwaysWaits && !this.hasRoom(limits)) return rejectAfterDelay();
    const since = performance.now();
    return new Promise((resolve, reject) => {
      const deadline = deadlines.add(deadlineAt, () => {
        this.turns.cancel(waiter);
        reject(serviceUnavailable(new Error("No turn in time")));
      });
      const isGone = () => request.signal.aborted;
      const refuse = () => {
        deadlines.remove(deadline);
        rejectAfterDelay().catch(reject);
      };
      const begin = (release: Release) => {
        deadlines.remove(deadline);
        if (performance.now() - since < LONG_WAIT_MS || !isGone()) return resolve(release);
        // Permits are released in a microtask: a release within a release would add a stack frame for every client
        // that has disconnected.
        queueMicrotask(release);
        refuse();
      };
      const waiter = { limits, begin, isGone, refuse };
      this.turns.wait(waiter);
    });
  }

  private refuseDisconnected(key: string): void {
    for (const waiter of [...this.turns.waiting(key)]) {
      if (!waiter.isGone()) continue;
      this.turns.cancel(waiter);
      waiter.refuse();
    }
  }
}
