/** A limit on concurrent work under a key, such as the id of an account or of an organization. */
export type KeyLimit = { key: string; max: number };
/** Releases a permit; a second call does nothing. */
export type Release = () => void;

/** A caller that waits for a permit. `begin` is called with the permit as soon as it is acquired. */
export interface Waiter {
  readonly limits: KeyLimit[];
  begin(release: Release): void;
}
type Queue<W> = { running: number; waiting: Set<W> };

const NOBODY: ReadonlySet<never> = new Set();

/** A semaphore with one count for each key. A permit is acquired under all its keys at once, or not at all. */
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

  /** Queues a caller for a permit, first come first served. */
  wait(waiter: W): void {
    for (const { key } of waiter.limits) this.queue(key).waiting.add(waiter);
  }

  /** Removes a waiting caller from all its queues. */
  cancel(waiter: W): void {
    for (const { key } of waiter.limits) this.queues.get(key)?.waiting.delete(waiter);
    this.deleteUnused(waiter.limits);
  }

  /** Returns the callers that wait under a key, in order of arrival. */
  waiting(key: string): ReadonlySet<W> {
    return this.queues.get(key)?.waiting ?? NOBODY;
  }

  /** Gives a freed permit to the caller that has waited longest, before any new caller. */
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
