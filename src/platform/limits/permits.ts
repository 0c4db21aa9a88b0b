import { serviceUnavailable, tooManyRequests } from "../errors.ts";

/** Releases a permit; a second call does nothing. */
export type Release = () => void;

/** How much runs and how many wait at once under each key of one kind, such as the ids of organizations. */
export type Level = {
  /** The maximum of all weights under a key. A function returns what is left of another limit. */
  readonly max: number | ((key: string) => number);
  /** The maximum number of callers that wait under a key. Without it nobody waits. */
  readonly waiting?: number;
};

/** Keys by level. A level without a key does not apply. */
type Keys<Name extends string> = { readonly [N in Name]?: string | undefined };

type Wait = {
  /** The caller's request. When its client disconnects, it leaves the queue. */
  request?: Pick<Request, "signal"> | undefined;
  /** The deadline of the wait, on the clock of `performance.now()`. */
  deadlineAt?: number;
  /** Creates the error at the deadline; by default 503. */
  late?: () => Error;
  /** True if the caller waits even if the queue is full or its client has left, instead of being rejected. */
  alwaysWaits?: boolean;
};

/** A caller that waits under all its keys, the narrowest first. Callers with the same narrowest key share a turn. */
type Waiter = { queues: KeyQueue[]; settle: (outcome: Release | Error) => void };

const turnOf = ([narrowest]: KeyQueue[]): string => narrowest?.id ?? "";

/** What runs and waits under one key of a level. */
class KeyQueue {
  /** The weight in use. */
  used = 0;
  /** The number of callers that wait. */
  waiting = 0;
  /** The turn that was served last, also without a wait: it comes after all others. */
  lastTurn = "";
  /** The waiting callers by turn; the next turn comes first. */
  private readonly turns = new Map<string, Set<Waiter>>();

  constructor(
    readonly id: string,
    readonly name: string,
    readonly key: string,
    private readonly level: Level,
  ) {}

  get max(): number {
    const { max } = this.level;
    return typeof max === "number" ? max : max(this.key);
  }

  isFree(weight: number): boolean {
    return this.used + weight <= this.max;
  }

  /**
   * Whether no further caller of a turn may wait. A full queue still takes one caller of each turn, so nobody can keep
   * others out.
   */
  isFull(turn: string): boolean {
    const { waiting = 0 } = this.level;
    if (waiting === 0 || this.max === 0) return !this.isFree(1);
    return this.turns.has(turn) && this.waiting >= waiting;
  }

  add(waiter: Waiter): void {
    const turn = turnOf(waiter.queues);
    this.turns.set(turn, (this.turns.get(turn) ?? new Set()).add(waiter));
    this.waiting += 1;
  }

  /** Removes a waiting caller. Its turn, if others still wait for it, comes last. */
  delete(waiter: Waiter): void {
    const turn = turnOf(waiter.queues);
    const waiters = this.turns.get(turn);
    if (!waiters?.delete(waiter)) return;
    this.waiting -= 1;
    this.turns.delete(turn);
    if (waiters.size > 0) this.turns.set(turn, waiters);
  }

  /** Returns the waiting caller whose turn it is; if nothing is left of the limit, the first one. */
  next(): Waiter | undefined {
    const isUsedUp = this.max === 0;
    if (!isUsedUp && !this.isFree(1)) return undefined;
    for (const waiters of this.inOrder())
      for (const waiter of waiters)
        if (isUsedUp || waiter.queues.every((queue) => queue.isFree(1))) return waiter;
    return undefined;
  }

  private *inOrder(): Generator<Set<Waiter>> {
    for (const [turn, waiters] of this.turns) if (turn !== this.lastTurn) yield waiters;
    const last = this.turns.get(this.lastTurn);
    if (last !== undefined) yield last;
  }
}

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

  /**
   * @param refusals create the errors above the limits; the default is a 429 that is sent after a delay
   * @throws RangeError if a maximum would admit nothing, for ever
   */
  constructor(
    private readonly levels: { readonly [N in Name]: Level },
    private readonly refusals: { readonly [N in Name]?: (key: string) => Error } = {},
  ) {
    for (const { max } of Object.values<Level>(levels))
      if (typeof max === "number" && !(max >= 1)) throw new RangeError(`A maximum of ${max}`);
  }

  /** Acquires a permit, or returns null if there is none now. */
  tryAcquire(keys: Keys<Name>, weight = 1): Release | null {
    return this.occupy(this.queuesOf(keys), weight);
  }

  /** Acquires a permit at once. @throws the error of the level that has none left */
  take(keys: Keys<Name>, weight = 1): Release {
    const release = this.tryAcquire(keys, weight);
    if (release !== null) return release;
    throw this.refusalOf(this.queuesOf(keys).find((queue) => !queue.isFree(weight)));
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
    const release = await this.acquire(keys, wait);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Whether a further caller may wait. */
  hasRoom(keys: Keys<Name>): boolean {
    return findFull(this.queuesOf(keys)) === undefined;
  }

  /** Returns what runs and waits under a key. */
  at(name: Name, key = ""): Pick<KeyQueue, "used" | "max" | "waiting"> {
    return this.queueAt(name, key);
  }

  /** Returns the keys of a level with at least this weight in use. */
  keysUsing(level: Name, weight: number): string[] {
    const used = [...this.queues.values()].filter((queue) => queue.name === level && queue.used >= weight);
    return used.map(({ key }) => key);
  }

  private queueAt(name: Name, key: string): KeyQueue {
    const id = `${name} ${key}`;
    return this.queues.get(id) ?? new KeyQueue(id, name, key, this.levels[name]);
  }

  private queuesOf(keys: Keys<Name>): KeyQueue[] {
    const queues: KeyQueue[] = [];
    for (const name in this.levels) {
      const key = keys[name];
      if (key !== undefined) queues.push(this.queueAt(name, key));
    }
    return queues;
  }

  private occupy(queues: KeyQueue[], weight: number): Release | null {
    if (!queues.every((queue) => queue.isFree(weight))) return null;
    for (const queue of queues) {
      queue.used += weight;
      queue.lastTurn = turnOf(queues);
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
    const full = alwaysWaits ? undefined : findFull(queues);
    if (full !== undefined) throw this.refusalOf(full);
    const signal = alwaysWaits ? undefined : request?.signal;
    if (signal?.aborted) throw tooManyRequests(1);
    return new Promise((resolve, reject) => {
      const settle = (outcome: Release | Error) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", leave);
        for (const queue of queues) queue.delete(waiter);
        this.deleteUnused(queues);
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      };
      const waiter = { queues, settle };
      const expire = () => settle(late?.() ?? serviceUnavailable(new Error("No turn in time")));
      const leave = () => settle(tooManyRequests(1));
      const timer = deadlineAt && setTimeout(expire, Math.ceil(deadlineAt - performance.now()));
      signal?.addEventListener("abort", leave);
      for (const queue of queues) {
        queue.add(waiter);
        this.queues.set(queue.id, queue);
      }
    });
  }

  /**
   * Gives a freed permit to the caller whose turn it is, before any new caller. The widest level comes first, because
   * under the narrowest one the same caller would always be next. If nothing is left of a limit, nobody waits for it.
   */
  private release(queues: KeyQueue[], weight: number): void {
    for (const queue of queues) queue.used -= weight;
    for (const queue of queues.toReversed())
      for (let next = queue.next(); next !== undefined; next = queue.next())
        next.settle(this.occupy(next.queues, 1) ?? this.refusalOf(queue));
    this.deleteUnused(queues);
  }

  private refusalOf(queue: KeyQueue | undefined): Error {
    const refusal = this.refusals[queue?.name as Name];
    return refusal?.(queue?.key ?? "") ?? tooManyRequests(1, { delayed: true });
  }

  private deleteUnused(queues: KeyQueue[]): void {
    for (const queue of queues) {
      const isUnused = queue.used === 0 && queue.waiting === 0;
      if (isUnused && this.queues.get(queue.id) === queue) this.queues.delete(queue.id);
    }
  }
}

const findFull = (queues: KeyQueue[]): KeyQueue | undefined =>
  queues.find((queue) => queue.isFull(turnOf(queues)));
