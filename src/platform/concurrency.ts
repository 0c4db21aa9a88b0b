/** A limit on concurrent work under a key, such as the id of a person or of an organization. */
export type KeyLimit = { key: string; max: number };
/** Releases a permit; a second call does nothing. */
export type Release = () => void;

/**
 * A caller that waits for a permit. `begin` is called with the permit as soon as it is acquired. The first limit is the
 * narrowest; its key says whose turn the waiter takes under the others.
 */
export interface Waiter {
  readonly limits: KeyLimit[];
  begin(release: Release): void;
}
/** `waiting` has the waiters by the key of their turn, in the order of the turns. */
type Queue<W> = { running: number; waiting: Map<string, Set<W>> };

const turnOf = ({ limits }: Pick<Waiter, "limits">): string => limits[0]?.key ?? "";

/**
 * A semaphore with one count for each key. A permit is acquired under all its keys at once, or not at all. Callers that
 * share a key take turns, so one with many waiters delays the others by one permit each, not by all.
 */
export class KeyedSemaphore<W extends Waiter = Waiter> {
  /** The queues by key. Contains only keys under which a permit is held or a caller waits. */
  private readonly queues = new Map<string, Queue<W>>();

  /** Acquires a permit, or returns null if one of the keys is at its limit. */
  tryAcquire(limits: KeyLimit[]): Release | null {
    if (!this.isFree(limits)) return null;
    for (const { key } of limits) this.queue(key).running += 1;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.release(limits);
    };
  }

  /** Queues a caller for a permit. */
  wait(waiter: W): void {
    const turn = turnOf(waiter);
    for (const { key } of waiter.limits) {
      const { waiting } = this.queue(key);
      waiting.set(turn, (waiting.get(turn) ?? new Set()).add(waiter));
    }
  }

  /** Removes a waiting caller from all its queues. Its turn, if others still wait for it, comes last. */
  cancel(waiter: W): void {
    const turn = turnOf(waiter);
    for (const { key } of waiter.limits) {
      const waiting = this.queues.get(key)?.waiting;
      const waiters = waiting?.get(turn);
      if (waiting === undefined || !waiters?.delete(waiter)) continue;
      waiting.delete(turn);
      if (waiters.size > 0) waiting.set(turn, waiters);
    }
    this.deleteUnused(waiter.limits);
  }

  /** Returns the callers that wait under a key, in the order of the turns. */
  *waiting(key: string): Generator<W> {
    for (const waiters of this.queues.get(key)?.waiting.values() ?? []) yield* waiters;
  }

  /** Whether at least `max` callers wait under the key of a limit, one of them in the same turn as these limits. */
  isFull(key: string, max: number, limits: KeyLimit[]): boolean {
    const waiting = this.queues.get(key)?.waiting;
    if (!waiting?.has(turnOf({ limits }))) return false;
    let count = 0;
    for (const { size } of waiting.values()) count += size;
    return count >= max;
  }

  /**
   * Gives a freed permit to the caller whose turn it is, before any new caller. The widest limit comes first, because
   * under the narrowest one the same caller would always be next.
   */
  private release(limits: KeyLimit[]): void {
    for (const { key } of limits) this.queue(key).running -= 1;
    for (const { key, max } of limits.toReversed()) {
      if (this.queue(key).running >= max) continue;
      const next = this.firstFree(key);
      if (next === undefined) continue;
      this.cancel(next);
      next.begin(this.tryAcquire(next.limits) as Release);
    }
    this.deleteUnused(limits);
  }

  private firstFree(key: string): W | undefined {
    for (const waiter of this.waiting(key)) if (this.isFree(waiter.limits)) return waiter;
    return undefined;
  }

  private isFree(limits: KeyLimit[]): boolean {
    return limits.every(({ key, max }) => (this.queues.get(key)?.running ?? 0) < max);
  }

  private queue(key: string): Queue<W> {
    const queue = this.queues.get(key) ?? { running: 0, waiting: new Map<string, Set<W>>() };
    this.queues.set(key, queue);
    return queue;
  }

  private deleteUnused(limits: KeyLimit[]): void {
    for (const { key } of limits) {
      const queue = this.queues.get(key);
      if (queue?.running === 0 && queue.waiting.size === 0) this.queues.delete(key);
    }
  }
}
