/** How many may be at work at once under a key, such as the id of an account or of an organization. */
export type Bound = { key: string; max: number };
/** Gives a place back; a second call does nothing. */
export type Leave = () => void;

type Waiter = { bounds: Bound[]; begin: () => void };
type Line = { running: number; waiting: Set<Waiter> };

/** Places to work at, counted by key. A place is taken under all of its keys, or under none. */
export class Places {
  /** Of keys under which somebody works or waits, and of no others. */
  private readonly lines = new Map<string, Line>();

  /** Takes a place, or answers null where one of the keys has none left. */
  take(bounds: Bound[]): Leave | null {
    if (!this.isFree(bounds)) return null;
    for (const { key } of bounds) this.line(key).running += 1;
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      this.leave(bounds);
    };
  }

  /** Waits for a place, behind those who came before and may begin as soon; `giveUp` waits no longer. */
  wait(bounds: Bound[]): { turn: Promise<Leave>; giveUp: () => void } {
    const { promise, resolve } = Promise.withResolvers<Leave>();
    const waiter = { bounds, begin: () => resolve(this.take(bounds) as Leave) };
    for (const { key } of bounds) this.line(key).waiting.add(waiter);
    return { turn: promise, giveUp: () => this.remove(waiter) };
  }

  /** How many wait under a key. */
  waiting(key: string): number {
    return this.lines.get(key)?.waiting.size ?? 0;
  }

  /** Whoever waited first for what becomes free takes it before anybody who comes now. */
  private leave(bounds: Bound[]): void {
    for (const { key } of bounds) this.line(key).running -= 1;
    for (const { key, max } of bounds) {
      const { running, waiting } = this.line(key);
      if (running >= max) continue;
      for (const waiter of waiting) {
        if (!this.isFree(waiter.bounds)) continue;
        this.remove(waiter);
        waiter.begin();
        break;
      }
    }
    this.forget(bounds);
  }

  private isFree(bounds: Bound[]): boolean {
    return bounds.every(({ key, max }) => (this.lines.get(key)?.running ?? 0) < max);
  }

  private remove(waiter: Waiter): void {
    for (const { key } of waiter.bounds) this.lines.get(key)?.waiting.delete(waiter);
    this.forget(waiter.bounds);
  }

  private line(key: string): Line {
    const line = this.lines.get(key) ?? { running: 0, waiting: new Set() };
    this.lines.set(key, line);
    return line;
  }

  private forget(bounds: Bound[]): void {
    for (const { key } of bounds) {
      const line = this.lines.get(key);
      if (line?.running === 0 && line.waiting.size === 0) this.lines.delete(key);
    }
  }
}
