import { deadlines } from "../db/deadlines.ts";
import { serviceUnavailable, tooManyRequests } from "../errors.ts";
import { KeyQueue, type Level, type Release, type Waiter } from "./key-queue.ts";

export type { Level, Release } from "./key-queue.ts";

/** Keys by level. A level without a key does not apply. */
type Keys<Name extends string> = { readonly [N in Name]?: string | undefined };

type Wait = {
  /** The caller's request. Its signal is aborted when the client disconnects; the request then leaves the queue. */
  request?: Pick<Request, "signal"> | undefined;
  /** The deadline of the wait, on the clock of `performance.now()`. */
  deadlineAt?: number;
  /** Creates the error at the deadline; by default 503. */
  late?: () => Error;
  /** True if the caller waits even if the queue is full, instead of being rejected. */
  alwaysWaits?: boolean;
};

/**
 * The wait from which a caller's connection is checked before it runs. For a shorter wait, the check costs more than
 * most waits.
 */
const LONG_WAIT_MS = 100;

const turnOf = ([narrowest]: KeyQueue[]): string => narrowest?.id ?? "";

/**
 * Limits how much runs at once under keys of several kinds (levels), the narrowest first: a permit is acquired under
 * all given keys at once, or not at all. Further callers wait and take turns by their narrowest key, so that one with
 * many waiting callers delays others by one permit each.
 * @example
 * const writes = new Permits({ person: { max: 2, waiting: 64 }, organization: { max: 4, waiting: 128 } });
 * await writes.run({ person: userId, organization: id }, { request, deadlineAt }, work);
 */
export class Permits<Name extends string = string> {
  /** The queues by id. Contains only keys under which a permit is in use or a caller waits. */
  private readonly queues = new Map<string, KeyQueue>();
  private readonly names: Name[];

  /**
   * @param refusals create the errors above the limits; the default is a 429 that is sent after a delay
   * @throws RangeError if a level would admit nobody
   */
  constructor(
    private readonly levels: { readonly [N in Name]: Level },
    private readonly refusals: { readonly [N in Name]?: (key: string) => Error } = {},
  ) {
    this.names = Object.keys(levels) as Name[];
    for (const name of this.names) {
      const { max } = levels[name];
      if (typeof max === "number" && !(max >= 1)) throw new RangeError(`${name}: max must be at least 1`);
    }
  }

  /** Acquires a permit, or returns null if there is none now. */
  tryAcquire(keys: Keys<Name>, weight = 1): Release | null {
    return this.occupy(this.queuesOf(keys), weight);
  }

  /** Acquires a permit at once. @throws the error of the level that has none left */
  take(keys: Keys<Name>, weight = 1): Release {
    const queues = this.queuesOf(keys);
    const release = this.occupy(queues, weight);
    if (release !== null) return release;
    throw this.refusalOf(queues.find((queue) => !queue.isFree(weight)));
  }

  /**
   * Acquires a permit, at once or as a promise.
   * @throws the error of a level under which too many wait; serviceUnavailable at the deadline
   */
  acquire(keys: Keys<Name>, wait: Wait = {}): Release | Promise<Release> {
    const queues = this.queuesOf(keys);
    return this.occupy(queues, 1) ?? this.wait(queues, wait);
  }

  /** Runs work with a permit; see `acquire`. The permit is in use until the work has ended, also for a client that left. */
  async run<T>(keys: Keys<Name>, wait: Wait, work: () => PromiseLike<T>): Promise<T> {
    const acquired = this.acquire(keys, wait);
    const release = acquired instanceof Promise ? await acquired : acquired;
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Whether a further caller may wait. If not, first removes callers whose clients have disconnected. */
  hasRoom(keys: Keys<Name>): boolean {
    return this.findFull(this.queuesOf(keys)) === undefined;
  }

  /** Returns what runs and waits under a key. */
  at(name: Name, key = ""): Pick<KeyQueue, "used" | "max" | "waiting"> {
    return this.queuesOf({ [name]: key } as Keys<Name>)[0] as KeyQueue;
  }

  /** Returns the keys of a level with at least this weight in use. */
  keysUsing(level: Name, weight: number): string[] {
    return [...this.queues.values()].flatMap(({ name, key, used }) =>
      name === level && used >= weight ? [key] : [],
    );
  }

  private queuesOf(keys: Keys<Name>): KeyQueue[] {
    const queues: KeyQueue[] = [];
    for (const name of this.names) {
      const key = keys[name];
      if (key === undefined) continue;
      queues.push(this.queues.get(`${name} ${key}`) ?? new KeyQueue(name, key, this.levels[name]));
    }
    return queues;
  }

  private occupy(queues: KeyQueue[], weight: number): Release | null {
    for (const queue of queues) if (!queue.isFree(weight)) return null;
    for (const queue of queues) {
      queue.occupy(weight, turnOf(queues));
      this.queues.set(queue.id, queue);
    }
    let isReleased = false;
    return () => {
      if (!isReleased) this.release(queues, weight);
      isReleased = true;
    };
  }

  private wait(
    queues: KeyQueue[],
    { request, deadlineAt, late, alwaysWaits = false }: Wait,
  ): Promise<Release> {
    const full = alwaysWaits ? undefined : this.findFull(queues);
    if (full !== undefined) throw this.refusalOf(full);
    const since = performance.now();
    return new Promise((resolve, reject) => {
      const expire = () => {
        this.cancel(waiter);
        reject(late?.() ?? serviceUnavailable(new Error("No turn in time")));
      };
      const deadline = deadlineAt === undefined ? null : deadlines.add(deadlineAt, expire);
      const isGone = () => request?.signal.aborted === true;
      const refuse = (error: Error) => {
        if (deadline) deadlines.remove(deadline);
        reject(error);
      };
      const begin = (release: Release) => {
        if (deadline) deadlines.remove(deadline);
        if (performance.now() - since < LONG_WAIT_MS || !isGone()) return resolve(release);
        // Released in a microtask: a release within a release would add a stack frame for every client that has
        // disconnected.
        queueMicrotask(release);
        reject(tooManyRequests(1));
      };
      const waiter: Waiter = { queues, begin, refuse, isGone };
      for (const queue of queues) {
        queue.add(waiter, turnOf(queues));
        this.queues.set(queue.id, queue);
      }
    });
  }

  private cancel(waiter: Waiter): void {
    for (const queue of waiter.queues) queue.delete(waiter, turnOf(waiter.queues));
    this.deleteUnused(waiter.queues);
  }

  /**
   * Gives a freed permit to the caller whose turn it is, before any new caller. The widest level comes first, because
   * under the narrowest one the same caller would always be next. If nothing is left of a limit, nobody waits for it.
   */
  private release(queues: KeyQueue[], weight: number): void {
    for (const queue of queues) queue.used -= weight;
    for (const queue of queues.toReversed()) {
      if (queue.max === 0) this.refuseWaiting(queue, () => true);
      const next = queue.isFree(1) ? this.next(queue) : undefined;
      if (next === undefined) continue;
      this.cancel(next);
      next.begin(this.occupy(next.queues, 1) as Release);
    }
    this.deleteUnused(queues);
  }

  private next(queue: KeyQueue): Waiter | undefined {
    for (const waiter of queue.waiters()) if (waiter.queues.every((one) => one.isFree(1))) return waiter;
    return undefined;
  }

  private findFull(queues: KeyQueue[]): KeyQueue | undefined {
    const turn = turnOf(queues);
    for (const queue of queues) if (queue.isFull(turn)) this.refuseWaiting(queue, ({ isGone }) => isGone());
    return queues.find((queue) => queue.isFull(turn));
  }

  private refuseWaiting(queue: KeyQueue, isRefused: (waiter: Waiter) => boolean): void {
    for (const waiter of [...queue.waiters()].filter(isRefused)) {
      this.cancel(waiter);
      waiter.refuse(this.refusalOf(queue));
    }
  }

  private refusalOf(queue: KeyQueue | undefined): Error {
    const refusal = this.refusals[queue?.name as Name];
    return refusal?.(queue?.key ?? "") ?? tooManyRequests(1, { delayed: true });
  }

  private deleteUnused(queues: KeyQueue[]): void {
    for (const queue of queues) {
      const { id, isUnused } = queue;
      if (isUnused && this.queues.get(id) === queue) this.queues.delete(id);
    }
  }
}
