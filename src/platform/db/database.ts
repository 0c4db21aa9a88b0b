import type { TransactionHandle } from "./open-transaction.ts";
import type { Queryable } from "./prepared-query.ts";

/** Runs single statements with a deadline in `performance.now()` time; `maxWaitMs` from now by default. */
interface BoundedQueryable extends Queryable {
  query(text: string, values: unknown[], untilMs?: number | null): Promise<unknown[]>;
}

/** The pools that serve lists and exports. */
export type ListPools = Pick<Database, "lists" | "pages">;

/** The pools that transactions can run in. */
export type TransactionPool = Pick<Database, "begin" | "runAlone" | "writes">;

/** The database of requests: connection pools with deadlines, which recover by themselves. */
export interface Database extends BoundedQueryable {
  /** Runs a single fast read-only statement; retried when its connection is lost. */
  query(text: string, values: unknown[], untilMs?: number | null): Promise<unknown[]>;
  /** For statements of lists, which are planned for their values each time, and may take longer. */
  readonly lists: BoundedQueryable;
  /** For first pages of lists, whose plans are cached. */
  readonly pages: BoundedQueryable;
  /** Serves lists of requests instead while it is current (`RequestDatabase`); null if there is none. */
  readonly replica: Replica | null;
  /**
   * For a single write statement, which is its own transaction, without BEGIN and COMMIT. Never retried, because after a
   * lost connection it is unknown whether it took effect.
   */
  readonly writes: BoundedQueryable;
  /**
   * Runs `work` in one READ COMMITTED transaction, once. Refuses with 503 when `untilMs` has passed, which is at most
   * `maxWaitMs` from now; its connection is then closed, so that it cannot commit unless COMMIT was sent already.
   */
  begin<T>(work: (handle: TransactionHandle) => Promise<T>, options: { untilMs: number }): Promise<T>;
  /**
   * The same for a single statement, which is a transaction without BEGIN and COMMIT. It has a connection to itself, so
   * that nothing queues behind it while it waits for a lock. `work` is told until when it is waited for: the server may get
   * the statement later, and it needs no COMMIT.
   */
  runAlone<T>(work: (db: Queryable, untilMs: number) => Promise<T>, options: { untilMs: number }): Promise<T>;
  /** Connections for sign-in, refresh and switch, which therefore never wait for other transactions. */
  readonly signIns: TransactionPool;
  /** How long a request waits for the database in all; then it gets 503. */
  readonly maxWaitMs: number;
  /** How the connections of each pool are used. */
  pools(): PoolUse[];
  /** Runs work that does not use the database: its time does not count towards the request's deadline. */
  pauseWhile<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** The connections of a pool that are in use and that are idle or not open yet, and how many callers wait for one. */
export type PoolUse = { pool: string; used: number; idle: number; waiting: number };

/**
 * A streaming replica for lists and exports. A request reads it only once it has replayed everything that was committed
 * before the request asked, whoever wrote it on whichever instance: nothing that is read, neither rows nor permissions,
 * is older than on the primary (docs/decisions.md, 25).
 */
export interface Replica {
  /** The replica's pools if it has everything that is committed now; null if the primary has to be read. Never throws. */
  current(): Promise<ListPools | null>;
  /** Whether it is in use, checked now. */
  check(): Promise<boolean>;
  isServing(): boolean;
  close(): void;
}
