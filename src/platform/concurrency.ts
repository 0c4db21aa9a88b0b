/** How many may be at work at once under a key, such as the id of an account or of an organization. */
export type Bound = { key: string; max: number };
/** Gives a place back; a second call does nothing. */
export type Leave = () => void;

/** Who waits for a place: `begin` is called with it once it is taken. */
export interface Waiter {
  readonly bounds: Bound[];
  begin(leave: Leave): void;
}
type Line<W> = { running: number; waiting: Set<W> };

const NOBODY: ReadonlySet<never> = new Set();

/** Places to work at, counted by key. A place is taken under all of its keys, or under none. */
export class Places<W extends Waiter = Waiter> {
  /** Of keys under which somebody works or waits, and of no others. */
  private readonly lines = new Map<string, Line<W>>();

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

  /** Waits for a place, behind those who came before and may begin as soon. */
  wait(waiter: W): void {
    for (const { key } of waiter.bounds) this.line(key).waiting.add(waiter);
  }

  /** Waits no longer. */
  giveUp(waiter: W): void {
    for (const { key } of waiter.bounds) this.lines.get(key)?.waiting.delete(waiter);
    this.forget(waiter.bounds);
  }

  /** Those who wait under a key, in order of arrival. */
  waiting(key: string): ReadonlySet<W> {
    return this.lines.get(key)?.waiting ?? NOBODY;
  }

  /** Whoever waited first for what becomes free takes it before anybody who comes now. */
  private leave(bounds: Bound[]): void {
    for (const { key } of bounds) this.line(key).running -= 1;
    for (const { key, max } of bounds) {
      const { running, waiting } = this.line(key);
      if (running >= max) continue;
      for (const waiter of waiting) {
        if (!this.isFree(waiter.bounds)) continue;
        this.giveUp(waiter);
        waiter.begin(this.take(waiter.bounds) as Leave);
        break;
      }
    }
    this.forget(bounds);
  }

  private isFree(bounds: Bound[]): boolean {
    return bounds.every(({ key, max }) => (this.lines.get(key)?.running ?? 0) < max);
  }

  private line(key: string): Line<W> {
    const line = this.lines.get(key) ?? { running: 0, waiting: new Set<W>() };
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
