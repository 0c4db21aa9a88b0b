import { type Database, MAX_WAIT_MS, type PoolUse } from "./connection.ts";
import type { TransactionHandle } from "./open-transaction.ts";
import type { Queryable } from "./prepared-query.ts";

/**
 * The database of one request: all its statements and retries share one deadline. Otherwise a request that waits several
 * times would respond long after an unresponsive database should have led to 503.
 */
export class RequestDatabase implements Database {
  /** Null once the response has started: later reads have the default deadline. */
  private untilMs: number | null = performance.now() + MAX_WAIT_MS;

  constructor(private readonly database: Database) {}

  query(text: string, values: unknown[]): Promise<unknown[]> {
    return this.database.query(text, values, this.untilMs);
  }

  get lists(): Database["lists"] {
    return { query: (text, values) => this.database.lists.query(text, values, this.untilMs) };
  }

  get pages(): Database["pages"] {
    return { query: (text, values) => this.database.pages.query(text, values, this.untilMs) };
  }

  get writes(): Database["writes"] {
    return { query: (text, values) => this.database.writes.query(text, values, this.untilMs) };
  }

  begin<T>(work: (handle: TransactionHandle) => Promise<T>, { untilMs }: { untilMs: number }): Promise<T> {
    return this.database.begin(work, { untilMs: Math.min(untilMs, this.untilMs ?? untilMs) });
  }

  runAlone<T>(
    work: (db: Queryable, untilMs: number) => Promise<T>,
    { untilMs }: { untilMs: number },
  ): Promise<T> {
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
