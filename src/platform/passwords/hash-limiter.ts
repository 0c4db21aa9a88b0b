/** The two priorities: re-authentications of signed-in users, and everything else, which counts as sign-in. */
export type Lane = "sign-in" | "confirmation";

/** The requester of the work (an account id or, signed out, an email), and its priority. */
export type HashRequester = { of: string; lane: Lane };

/** The limits of a hash limiter. */
export interface HashLimiterOptions {
  /** The maximum that runs at once, at least 1. */
  readonly concurrency: number;
  /** The maximum that waits; with 0, work that cannot start at once is rejected. */
  readonly queue: number;
  /** Creates the error for a full queue. */
  readonly onFull: () => Error;
  /** Creates the error for a requester for whom two pieces of work are already waiting. */
  readonly onRequesterLimit: () => Error;
}

export interface HashLimiter {
  /** Runs the work when a slot is free, and returns its result; rejects at once if the queue is full. */
  <Result>(work: () => Promise<Result>, requester?: HashRequester): Promise<Result>;
  /** Returns the number of waiting pieces of work. */
  waiting(): number;
}

const MAX_WAITING_PER_REQUESTER = 2;

/**
 * Limits how many hashes run and wait. At most two per requester wait. Re-authentications use at most half of the
 * slots, running or waiting. Sign-ins and re-authentications are served alternately, each first come first served. So
 * no client, with one account or many, can keep others from signing in. A finished hash passes its slot to the next
 * waiting one, so that a new caller cannot overtake. A slot is occupied until the work has ended, even if the client
 * has disconnected, because the work costs as much.
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
  const lanes: Record<Lane, (() => void)[]> = { "sign-in": [], confirmation: [] };
  const waitingOf = new Map<string, number>();
  let running = 0;
  let confirmations = 0;
  let next: Lane = "sign-in";

  const waiting = () => lanes["sign-in"].length + lanes.confirmation.length;

  async function enter(lane: Lane, of: string | null): Promise<void> {
    if (of !== null && (waitingOf.get(of) ?? 0) >= MAX_WAITING_PER_REQUESTER) throw onRequesterLimit();
    const isLaneFull = lane === "confirmation" && confirmations >= maxConfirmations;
    if (isLaneFull || (running >= concurrency && waiting() >= queue)) throw onFull();

    if (lane === "confirmation") confirmations += 1;
    if (running < concurrency) {
      running += 1;
      return;
    }
    countWaiting(of, 1);
    await new Promise<void>((resolve) => lanes[lane].push(resolve));
    countWaiting(of, -1);
  }

  function countWaiting(of: string | null, change: number): void {
    if (of === null) return;
    const count = (waitingOf.get(of) ?? 0) + change;
    if (count === 0) waitingOf.delete(of);
    else waitingOf.set(of, count);
  }

  function leave(lane: Lane): void {
    if (lane === "confirmation") confirmations -= 1;
    const other = next === "sign-in" ? "confirmation" : "sign-in";
    const start = lanes[next].shift() ?? lanes[other].shift();
    next = other;
    if (start) start();
    else running -= 1;
  }

  const run = async <Result>(work: () => Promise<Result>, requester?: HashRequester) => {
    const lane = requester?.lane ?? "sign-in";
    await enter(lane, requester?.of ?? null);
    try {
      return await work();
    } finally {
      leave(lane);
    }
  };
  return Object.assign(run, { waiting });
}
