/** A limit on concurrent work under a key, such as the id of an account or of an organization. */
export type KeyLimit = { key: string; max: number };
/** Releases a permit; a second call does nothing. */
export type Release = () => void;

/** A caller who waits for a permit. `begin` is called with the permit as soon as it is acquired. */
export interface Waiter {
  readonly limits: KeyLimit[];
  begin(release: Release): void;
}
type Queue<W> = { running: number; waiting: Set<W> };

const NOBODY: ReadonlySet<never> = new Set();

/** A semaphore with one count for each key. A permit is acquired under all of its keys at once, or under none. */
export class KeyedSemaphore<W extends Waiter = Waiter> {
  /** The queues by key; only keys under which a permit is held or waited for. */
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

  /** Waits for a permit, first come first served. */
  wait(waiter: W): void {
    for (const { key } of waiter.limits) this.queue(key).waiting.add(waiter);
  }

  /** Removes a caller from the queues in which it waits. */
  cancel(waiter: W): void {
    for (const { key } of waiter.limits) this.queues.get(key)?.waiting.delete(waiter);
    this.deleteUnused(waiter.limits);
  }

  /** Returns the callers who wait under a key, in order of arrival. */
  waiting(key: string): ReadonlySet<W> {
    return this.queues.get(key)?.waiting ?? NOBODY;
  }

  /** Hands a freed permit to the longest waiting caller before any new one. */
  private release(limits: KeyLimit[]): void {
    for (const { key } of limits) this.queue(key).running -= 1;
    for (const { key, max } of limits) {
      const { running, waiting } = this.queue(key);
      if (running >= max) continue;
      for (const waiter of waiting) {
        if (!this.isFree(waiter.limits)) continue;
        this.cancel(waiter);
        waiter.begin(this.tryAcquire(waiter.limits) as Release);
        break;
      }
    }
    this.deleteUnused(limits);
  }

  private isFree(limits: KeyLimit[]): boolean {
    return limits.every(({ key, max }) => (this.queues.get(key)?.running ?? 0) < max);
  }

  private queue(key: string): Queue<W> {
    const queue = this.queues.get(key) ?? { running: 0, waiting: new Set<W>() };
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
