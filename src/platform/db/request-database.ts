import type { Release } from "../limits/permits.ts";
import type { Database, ListPools, PoolUse, TransactionPool } from "./connection.ts";
import type { TransactionHandle } from "./open-transaction.ts";
import type { Queryable } from "./prepared-query.ts";

/**
 * Acquires a permit to write. Returns the function that releases it; throws if the limit is reached. `isContinued`
 * means that the request has had a permit before, for example before a retry. It is then not rejected, because its
 * first transaction may have committed.
 */
type AcquirePermit = (options: { deadlineAt: number; isContinued: boolean }) => Release | Promise<Release>;

/**
 * The database of one request: all its statements and retries share one deadline. Otherwise a request that waits
 * several times would respond long after an unresponsive database should have led to 503.
 */
export class RequestDatabase implements Database {
  /** The deadline of the request; null once the response has started, because later reads have the default deadline. */
  private deadlineAt: number | null;

  /**
   * The database that serves the request's lists, chosen at the first one: the replica if it has everything that was
   * committed until then. After a write it is the primary, so that a request reads what it wrote.
   */
  private source: Promise<ListPools> | null = null;

  private isOfList = false;
  private acquirePermit: AcquirePermit | null = null;
  private hadPermit = false;

  /** @param transactions the pools in which the request's transactions run */
  constructor(
    private readonly database: Database,
    private readonly transactions: TransactionPool = database,
  ) {
    this.deadlineAt = performance.now() + database.maxWaitMs;
  }

  get maxWaitMs(): number {
    return this.database.maxWaitMs;
  }

  get replica(): Database["replica"] {
    return this.database.replica;
  }

  query(text: string, values: unknown[]): Promise<unknown[]> {
    if (this.isOfList) return this.lists.query(text, values);
    return this.database.query(text, values, this.deadlineAt);
  }

  /**
   * Makes all reads run on the pools of lists. The cost of a list depends on the data of its organization, and the pool of
   * fast reads is shared by all organizations, so nothing of a list may run there.
   */
  readAsList(): void {
    this.isOfList = true;
  }

  get lists(): Database["lists"] {
    return { query: (text, values) => this.readList("lists", text, values) };
  }

  get pages(): Database["pages"] {
    return { query: (text, values) => this.readList("pages", text, values) };
  }

  private async readList(pool: keyof ListPools, text: string, values: unknown[]): Promise<unknown[]> {
    this.source ??= this.chooseSource();
    return (await this.source)[pool].query(text, values, this.deadlineAt);
  }

  private async chooseSource(): Promise<ListPools> {
    return (await this.database.replica?.current()) ?? this.database;
  }

  get signIns(): TransactionPool {
    return this.database.signIns;
  }

  /** Makes every write acquire a permit before it reserves a connection. */
  limitWrites(acquirePermit: AcquirePermit): void {
    this.acquirePermit = acquirePermit;
  }

  get writes(): Database["writes"] {
    return {
      query: (text, values) =>
        this.withPermit(performance.now() + this.maxWaitMs, (deadlineAt) =>
          this.transactions.writes.query(text, values, deadlineAt),
        ),
    };
  }

  begin<T>(
    work: (handle: TransactionHandle) => Promise<T>,
    { deadlineAt }: { deadlineAt: number },
  ): Promise<T> {
    return this.withPermit(deadlineAt, (deadline) => this.transactions.begin(work, { deadlineAt: deadline }));
  }

  autocommit<T>(
    work: (db: Queryable, deadlineAt: number) => Promise<T>,
    { deadlineAt }: { deadlineAt: number },
  ): Promise<T> {
    return this.withPermit(deadlineAt, (deadline) =>
      this.transactions.autocommit(work, { deadlineAt: deadline }),
    );
  }

  /** Runs a write as soon as it has a permit, with the earlier of the write's and the request's deadline. */
  private async withPermit<T>(latest: number, run: (deadlineAt: number) => Promise<T>): Promise<T> {
    this.source = Promise.resolve(this.database);
    const deadlineAt = Math.min(latest, this.deadlineAt ?? latest);
    if (this.acquirePermit === null) return run(deadlineAt);
    const release = await this.acquirePermit({ deadlineAt, isContinued: this.hadPermit });
    this.hadPermit = true;
    try {
      return await run(deadlineAt);
    } finally {
      release();
    }
  }

  pools(): PoolUse[] {
    return this.database.pools();
  }

  /** Runs `work` without the request's deadline: each of its statements has its own deadline. */
  async excludeFromDeadline<T>(work: () => Promise<T>): Promise<T> {
    const { deadlineAt } = this;
    const since = performance.now();
    this.deadlineAt = null;
    try {
      return await work();
    } finally {
      this.deadlineAt = deadlineAt && deadlineAt + performance.now() - since;
    }
  }

  /** Removes the request's deadline, so that each statement has the default deadline. */
  clearDeadline(): void {
    this.deadlineAt = null;
  }

  close(): Promise<void> {
    return this.database.close();
  }
}
