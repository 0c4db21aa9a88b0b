import type { TransactionHandle } from "./open-transaction.ts";
import type { Queryable } from "./prepared-query.ts";

/** Runs single statements with a deadline, on the clock of `performance.now()`; by default `maxWaitMs` from now. */
interface BoundedQueryable extends Queryable {
  query(text: string, values: unknown[], deadlineAt?: number | null): Promise<unknown[]>;
}

/** The pools that serve lists and exports. */
export type ListPools = Pick<Database, "lists" | "pages">;

/** The pools in which transactions can run. */
export type TransactionPool = Pick<Database, "begin" | "autocommit" | "writes">;

/** The database of requests: connection pools with deadlines, which are replaced when they stop responding. */
export interface Database extends BoundedQueryable {
  /** Runs a single fast read-only statement. Retries it if the connection is lost. */
  query(text: string, values: unknown[], deadlineAt?: number | null): Promise<unknown[]>;
  /** Runs statements of lists. They are planned again for each set of values, and may take longer. */
  readonly lists: BoundedQueryable;
  /** Runs the queries for first pages of lists, whose plans are cached. */
  readonly pages: BoundedQueryable;
  /** The replica that serves lists while it is up to date (`RequestDatabase`); null if there is none. */
  readonly replica: Replica | null;
  /**
   * Runs a single write statement as an implicit transaction, without BEGIN and COMMIT. Never retries it: after a
   * lost connection it is unknown whether the write took effect.
   */
  readonly writes: BoundedQueryable;
  /**
   * Runs `work` in one READ COMMITTED transaction, once. Rejects with 503 at `deadlineAt`, which is at most `maxWaitMs`
   * from now. The connection is then closed, so that the transaction cannot commit unless COMMIT was sent already.
   */
  begin<T>(work: (handle: TransactionHandle) => Promise<T>, options: { deadlineAt: number }): Promise<T>;
  /**
   * Like `runTransaction`, for a single statement, as an implicit transaction without BEGIN and COMMIT.
   * - The statement has its own connection, so that no other statement queues behind it while it waits for a lock.
   * - `work` gets the deadline: without a COMMIT, the server may run the statement after the caller has stopped
   *   waiting.
   */
  autocommit<T>(
    work: (db: Queryable, deadlineAt: number) => Promise<T>,
    options: { deadlineAt: number },
  ): Promise<T>;
  /**
   * Runs transactions of sign-in, refresh and switch on separate connections, so that they never wait for other
   * transactions.
   */
  readonly signIns: TransactionPool;
  /** The total time that a request waits for the database; then it gets 503. */
  readonly maxWaitMs: number;
  /** Returns how many connections of each pool are used. */
  pools(): PoolUse[];
  /** Runs work that does not use the database. Its duration does not count towards the request's deadline. */
  excludeFromDeadline<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * The usage of a pool: the connections in use, those that are idle or not open yet, and the number of callers
 * waiting for a connection.
 */
export type PoolUse = { pool: string; used: number; idle: number; waiting: number };

/**
 * A streaming replica for lists and exports. A request reads the replica only if it has replayed everything that was
 * committed, on any instance, before the request asked. So rows and permissions that are read are never older than on
 * the primary (docs/decisions/0025).
 */
export interface Replica {
  /**
   * Returns pools for one request, if the replica has replayed everything that is committed now; null if the primary has
   * to be read. Never throws.
   */
  current(): Promise<ListPools | null>;
  /** Checks whether the replica can be used now. */
  check(): Promise<boolean>;
  isServing(): boolean;
  close(): void;
}
