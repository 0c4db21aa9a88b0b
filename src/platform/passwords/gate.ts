/** Confirmations are those of somebody who is signed in already; whatever else needs a hash waits with the sign-ins. */
export type Lane = "sign-in" | "confirmation";

/** Whose work it is: an account or, signed out, an email; and the lane that it waits in. */
export type Asker = { of: string; lane: Lane };

/** How much a gate lets through. */
export interface GateOptions {
  /** How many may run at once, at least 1. */
  readonly concurrency: number;
  /** How many may wait for a place; 0 refuses whoever cannot start at once. */
  readonly queue: number;
  /** Makes the error of a caller who finds the queue full. */
  readonly onFull: () => Error;
  /** Makes the error of a caller of whom two wait already. */
  readonly onManyOfOne: () => Error;
}

export interface Gate {
  /** Runs the work when its turn comes and answers what the work answers; rejects at once when full. */
  <Result>(work: () => Promise<Result>, asker?: Asker): Promise<Result>;
  /** How many wait for their turn. */
  waiting(): number;
}

const MAX_WAITING_OF_ONE = 2;

/**
 * A gate that lets a bounded number through. Of one asker at most two wait; confirmations hold at most half of the
 * places, running or waiting; and the two lanes are served by turns, each in order of arrival. So nobody, alone or with
 * many accounts, keeps others from signing in. Whoever leaves hands his place to the next in line, so a newcomer cannot
 * slip in between. A place is held until the work itself has ended, however it ends: a caller who has gone away still
 * costs the machine what he asked for, so he still counts.
 *
 * @throws RangeError for a concurrency below 1 or a queue below 0
 */
export function createGate({ concurrency, queue, onFull, onManyOfOne }: GateOptions): Gate {
  if (!(concurrency >= 1 && queue >= 0)) throw new RangeError("A gate needs concurrency >= 1 and queue >= 0");

  const mostConfirmations = Math.floor((concurrency + queue) / 2);
  const lanes: Record<Lane, (() => void)[]> = { "sign-in": [], confirmation: [] };
  const waitingOf = new Map<string, number>();
  let running = 0;
  let confirmations = 0;
  let next: Lane = "sign-in";

  const waiting = () => lanes["sign-in"].length + lanes.confirmation.length;

  async function enter(lane: Lane, of: string | null): Promise<void> {
    if (of !== null && (waitingOf.get(of) ?? 0) >= MAX_WAITING_OF_ONE) throw onManyOfOne();
    const isLaneFull = lane === "confirmation" && confirmations >= mostConfirmations;
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

  const run = async <Result>(work: () => Promise<Result>, asker?: Asker) => {
    const lane = asker?.lane ?? "sign-in";
    await enter(lane, asker?.of ?? null);
    try {
      return await work();
    } finally {
      leave(lane);
    }
  };
  return Object.assign(run, { waiting });
}
