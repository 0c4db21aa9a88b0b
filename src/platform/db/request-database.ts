import { ApiError } from "../errors.ts";
import type { Database, ListPools, PoolUse } from "./connection.ts";
import type { TransactionHandle } from "./open-transaction.ts";
import type { Queryable } from "./prepared-query.ts";

/** What a request wrote, it reads where it wrote it. */
const PRIMARY: Promise<null> = Promise.resolve(null);

/**
 * The database of one request: all its statements and retries share one deadline. Otherwise a request that waits several
 * times would respond long after an unresponsive database should have led to 503.
 */
export class RequestDatabase implements Database {
  /** Null once the response has started: later reads have the default deadline. */
  private untilMs: number | null;

  /** Where its lists are read, decided once; null is the primary. */
  private source: Promise<ListPools | null> | null = null;

  constructor(private readonly database: Database) {
    this.untilMs = performance.now() + database.maxWaitMs;
  }

  get maxWaitMs(): number {
    return this.database.maxWaitMs;
  }

  get replica(): Database["replica"] {
    return this.database.replica;
  }

  query(text: string, values: unknown[]): Promise<unknown[]> {
    return this.database.query(text, values, this.untilMs);
  }

  get lists(): Database["lists"] {
    return { query: (text, values) => this.readList("lists", text, values) };
  }

  get pages(): Database["pages"] {
    return { query: (text, values) => this.readList("pages", text, values) };
  }

  /**
   * Reads the replica if it has everything that was committed before this request began to read, and what it read can be
   * read there to the end. A replica that fails, or cancels a statement because of what it replays, is not an error.
   */
  private async readList(pool: keyof ListPools, text: string, values: unknown[]): Promise<unknown[]> {
    this.source ??= this.database.replica?.current() ?? PRIMARY;
    const there = await this.source;
    try {
      if (there !== null) return await there[pool].query(text, values, this.untilMs);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.source = PRIMARY;
    }
    return this.database[pool].query(text, values, this.untilMs);
  }

  get writes(): Database["writes"] {
    this.source = PRIMARY;
    return { query: (text, values) => this.database.writes.query(text, values, this.untilMs) };
  }

  begin<T>(work: (handle: TransactionHandle) => Promise<T>, { untilMs }: { untilMs: number }): Promise<T> {
    this.source = PRIMARY;
    return this.database.begin(work, { untilMs: Math.min(untilMs, this.untilMs ?? untilMs) });
  }

  runAlone<T>(
    work: (db: Queryable, untilMs: number) => Promise<T>,
    { untilMs }: { untilMs: number },
  ): Promise<T> {
    this.source = PRIMARY;
    return this.database.runAlone(work, { untilMs: Math.min(untilMs, this.untilMs ?? untilMs) });
  }

  pools(): PoolUse[] {
    return this.database.pools();
  }

  async pauseWhile<T>(work: () => Promise<T>): Promise<T> {
    const since = performance.now();
    try {
      return await work();
    } finally {
      if (this.untilMs !== null) this.untilMs += performance.now() - since;
    }
  }

  /** Ends the deadline. */
  lift(): void {
    this.untilMs = null;
  }

  close(): Promise<void> {
    return this.database.close();
  }
}
