/**
 * The priority of a hash: `confirmation` for re-authentications of signed-in users; `sign-in` for everything else.
 */
export type HashPriority = "sign-in" | "confirmation";

/** The requester of a hash (an account id or, signed out, an email), and the priority. */
export type HashRequester = { key: string; priority: HashPriority };

/** The limits of a hash limiter. */
export interface HashLimiterOptions {
  /** The maximum number of hashes that run at once, at least 1. */
  readonly concurrency: number;
  /** The maximum number of hashes that wait. With 0, a hash that cannot start at once is rejected. */
  readonly queue: number;
  /** Creates the error for a full queue. */
  readonly onFull: () => Error;
  /** Creates the error for a requester who already has two waiting hashes. */
  readonly onRequesterLimit: () => Error;
}

export interface HashLimiter {
  /** Runs the work when a slot is free, and returns its result. Rejects at once if the queue is full. */
  <Result>(work: () => Promise<Result>, requester?: HashRequester): Promise<Result>;
  /** Returns the number of waiting hashes. */
  waiting(): number;
}

const MAX_WAITING_PER_REQUESTER = 2;

/**
 * Limits how many hashes run and wait, so that no client, with one account or many, can prevent others from signing
 * in.
 * - At most two hashes per requester wait.
 * - Re-authentications use at most half of the slots, running or waiting. Sign-ins and re-authentications are
 *   served alternately, each first come first served.
 * - A finished hash passes its slot to the next waiting one, so that a new caller cannot overtake.
 * - A slot is occupied until the work has ended, even if the client has disconnected, because the work costs as
 *   much.
 *
 * @throws RangeError for a concurrency below 1 or a queue below 0
 */
export function createHashLimiter({
  concurrency,
  queue,
  onFull,
  onRequesterLimit,
}: HashLimiterOptions): HashLimiter {
  if (!(concurrency >= 1 && queue >= 0)) throw new RangeError("Needs concurrency >= 1 and queue >= 0");

  const maxConfirmations = Math.floor((concurrency + queue) / 2);
  const queues: Record<HashPriority, (() => void)[]> = { "sign-in": [], confirmation: [] };
  const waitingOf = new Map<string, number>();
  let running = 0;
  let confirmations = 0;
  let next: HashPriority = "sign-in";

  const waiting = () => queues["sign-in"].length + queues.confirmation.length;

  async function acquire(priority: HashPriority, key: string | null): Promise<void> {
    if (key !== null && (waitingOf.get(key) ?? 0) >= MAX_WAITING_PER_REQUESTER) throw onRequesterLimit();
    const isPriorityFull = priority === "confirmation" && confirmations >= maxConfirmations;
    if (isPriorityFull || (running >= concurrency && waiting() >= queue)) throw onFull();

    if (priority === "confirmation") confirmations += 1;
    if (running < concurrency) {
      running += 1;
      return;
    }
    countWaiting(key, 1);
    await new Promise<void>((resolve) => queues[priority].push(resolve));
    countWaiting(key, -1);
  }

  function countWaiting(key: string | null, change: number): void {
    if (key === null) return;
    const count = (waitingOf.get(key) ?? 0) + change;
    if (count === 0) waitingOf.delete(key);
    else waitingOf.set(key, count);
  }

  function release(priority: HashPriority): void {
    if (priority === "confirmation") confirmations -= 1;
    const other = next === "sign-in" ? "confirmation" : "sign-in";
    const start = queues[next].shift() ?? queues[other].shift();
    next = other;
    if (start) start();
    else running -= 1;
  }

  const run = async <Result>(work: () => Promise<Result>, requester?: HashRequester) => {
    const priority = requester?.priority ?? "sign-in";
    await acquire(priority, requester?.key ?? null);
    try {
      return await work();
    } finally {
      release(priority);
    }
  };
  return Object.assign(run, { waiting });
}
