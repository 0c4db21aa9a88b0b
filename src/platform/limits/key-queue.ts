/** Releases a permit; a second call does nothing. */
export type Release = () => void;

/** How much runs and how many wait at once under each key of one kind, such as the ids of organizations. */
export type Level = {
  /** The maximum of all weights under a key. A function returns what is left of another limit. */
  readonly max: number | ((key: string) => number);
  /** The maximum number of callers that wait under a key. Without it nobody waits. */
  readonly waiting?: number;
};

/** A caller that waits under all its keys, the narrowest first. That one is its turn: callers of one turn share it. */
export type Waiter = {
  queues: KeyQueue[];
  begin(release: Release): void;
  refuse(error: Error): void;
  isGone(): boolean;
};

/** What runs and waits under one key of a level. */
export class KeyQueue {
  /** The weight in use. */
  used = 0;
  private lastTurn = "";
  /** The waiting callers by turn; the next turn comes first. */
  private readonly turns = new Map<string, Set<Waiter>>();

  constructor(
    readonly name: string,
    readonly key: string,
    private readonly level: Level,
    readonly id = `${name} ${key}`,
  ) {}

  get max(): number {
    const { max } = this.level;
    return typeof max === "number" ? max : max(this.key);
  }

  /** The number of callers that wait. */
  get waiting(): number {
    let count = 0;
    for (const { size } of this.turns.values()) count += size;
    return count;
  }

  get isUnused(): boolean {
    return this.used === 0 && this.turns.size === 0;
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

  occupy(weight: number, turn: string): void {
    this.used += weight;
    this.lastTurn = turn;
  }

  add(waiter: Waiter, turn: string): void {
    this.turns.set(turn, (this.turns.get(turn) ?? new Set()).add(waiter));
  }

  /** Removes a waiting caller. Its turn, if others still wait for it, comes last. */
  delete(waiter: Waiter, turn: string): void {
    const waiters = this.turns.get(turn);
    if (!waiters?.delete(waiter)) return;
    this.turns.delete(turn);
    if (waiters.size > 0) this.turns.set(turn, waiters);
  }

  /** Returns the waiting callers, those of the next turn first. The turn that was served last comes last. */
  *waiters(): Generator<Waiter> {
    for (const [turn, waiters] of this.turns) if (turn !== this.lastTurn) yield* waiters;
    yield* this.turns.get(this.lastTurn) ?? [];
  }
}
