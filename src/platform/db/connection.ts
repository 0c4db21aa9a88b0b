import { serviceUnavailable } from "../errors.ts";
import { deadlines } from "./deadlines.ts";
import type { Connection, Driver, Pool, Statement } from "./drivers/driver.ts";
import { isConflict, isConnectionLost, isUnavailable } from "./failures.ts";
import { runTransaction, type TransactionHandle } from "./open-transaction.ts";
import type { Queryable } from "./prepared-query.ts";
import { type Turns, turns } from "./turns.ts";

/** A place to run single statements, each until a time of `performance.now()`; MAX_WAIT_MS from now if left out. */
interface BoundedQueryable extends Queryable {
  query(text: string, values: unknown[], untilMs?: number | null): Promise<unknown[]>;
}

/** The request path's database: a pool that answers, refuses in time, and heals by itself. */
export interface Database extends BoundedQueryable {
  /** Runs a single quick statement that changes nothing; repeated when its connection is lost. */
  query(text: string, values: unknown[], untilMs?: number | null): Promise<unknown[]>;
  /** For the statements of lists, which are planned anew for their values, and may take longer. */
  readonly lists: BoundedQueryable;
  /** For the first pages of lists, whose plans are kept. */
  readonly pages: BoundedQueryable;
  /**
   * For a single statement that changes something: a transaction of its own, without BEGIN and COMMIT. Never repeated, as
   * whether it took effect is unknown when its connection is lost.
   */
  readonly writes: BoundedQueryable;
  /**
   * Runs `work` in one READ COMMITTED transaction, once. Refuses with 503 when `untilMs` has passed, which is at most
   * MAX_WAIT_MS from now; its connection is closed then, so that nothing of it commits whose COMMIT has not been sent.
   */
  begin<T>(work: (handle: TransactionHandle) => Promise<T>, options: { untilMs: number }): Promise<T>;
  /** How the connections are used, by pool. */
  pools(): PoolUse[];
  /** Runs work that waits for something else than the database: its time does not count towards a request's deadline. */
  pauseWhile<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** How many connections of a pool are used, how many more there may be, and how much waits for one. */
export type PoolUse = { pool: string; used: number; idle: number; waiting: number };

/** No request waits longer than this for the database in all, frozen or not; the answer is then 503. */
export const MAX_WAIT_MS = 8_000;
/** The server ends what is older by itself: the transactions of a machine that vanished would keep their locks. */
const MAX_TRANSACTION = "12s";
/** Beyond this many statements and transactions at once, new ones are refused: memory stays bounded. */
const MAX_AT_ONCE = 2_000;
const MAX_ATTEMPTS = 3;
const MS_PER_SECOND = 1000;
const QUICK_CONNECTIONS = 3;
/** One organization runs at most three lists, of two slow statements each, and two exports at once: two are left over. */
const LIST_CONNECTIONS = 10;
/** One statement a page, so three for one organization at once. */
const PAGE_CONNECTIONS = 5;

const noAnswerInTime = () => serviceUnavailable(new Error("No answer in time"));
const tooManyAtOnce = () => serviceUnavailable(new Error("Too many statements and transactions at once"));

type Options = {
  url: string;
  listenUrl: string;
  poolSize: number;
  applicationName: string;
  driver: Driver;
  onWait?: OnWait;
};
/** Told how long a statement or transaction waited for a connection. */
type OnWait = (pool: string, seconds: number) => void;

/**
 * Four pools, so that no kind of work waits for another. Quick statements share few connections, where they
 * travel together: measured at 1.2 times the requests of ten connections. Lists are one static query each, with
 * filters that may be absent; a plan that fits every use of it was 600 times slower than one for the values at
 * hand, so theirs are made anew. Their first pages have plans that are kept (`ListQuery`). Both may take long, so each has
 * a connection to itself: sent down one that is busy, it would wait there while others become free. Transactions, and
 * single statements that write, have a pool whose connections may be held while they wait for a lock.
 */
export function connect({ url, listenUrl, poolSize, applicationName, driver, onWait }: Options): Database {
  // An address of its own for LISTEN means a pooler at this one: those refuse settings that they do not know.
  const isDirect = url === listenUrl;
  const open = (pool: string, size: number, settings: Record<string, string>, inTurn?: Turns) => {
    const name = pool === "transactions" ? applicationName : `${applicationName}-${pool}`;
    const own = { application_name: name, TimeZone: "UTC", ...(isDirect && settings) };
    return boundedPool(() => driver({ url, size, settings: own }), inTurn, { pool, size, onWait });
  };
  const quick = open("reads", Math.min(QUICK_CONNECTIONS, poolSize), {});
  const listSize = Math.min(LIST_CONNECTIONS, poolSize);
  const customPlans = { plan_cache_mode: "force_custom_plan" };
  const lists = open("lists", listSize, customPlans, turns(listSize));
  const pageSize = Math.min(PAGE_CONNECTIONS, poolSize);
  const pages = open("pages", pageSize, {}, turns(pageSize));
  const transactions = open("transactions", poolSize, { transaction_timeout: MAX_TRANSACTION });
  return {
    query: quick.query,
    lists,
    pages,
    writes: { query: transactions.write },
    begin: transactions.begin,
    pools: () => [quick, lists, pages, transactions].map((pool) => pool.use()),
    pauseWhile: (work) => work(),
    close: async () =>
      void (await Promise.all([quick.close(), lists.close(), pages.close(), transactions.close()])),
  };
}

/** A pool that answers in time, or is replaced. */
function boundedPool(
  open: () => Pool,
  inTurn: Turns | undefined,
  { pool: name, size, onWait = () => {} }: { pool: string; size: number; onWait?: OnWait | undefined },
) {
  let pool = open();
  let lastAnswerAt = performance.now();
  let atOnce = 0;
  let waiting = 0;

  /** Waits for `work`, which `giveUp` makes fail once its time is up. */
  async function bounded<T>(untilMs: number, work: PromiseLike<T>, giveUp: () => void): Promise<T> {
    atOnce += 1;
    const deadline = deadlines.add(untilMs, () => {
      giveUp();
      // Nothing came for anybody all that time: a peer that vanished keeps its sockets "busy" for minutes.
      if (lastAnswerAt < untilMs - MAX_WAIT_MS) replacePool();
    });
    try {
      const result = await work;
      lastAnswerAt = performance.now();
      return result;
    } finally {
      atOnce -= 1;
      deadlines.remove(deadline);
    }
  }

  /** Until what it returns is called, somebody waits for a connection. */
  function startWaiting(): () => void {
    const since = performance.now();
    waiting += 1;
    return () => {
      waiting -= 1;
      onWait(name, (performance.now() - since) / MS_PER_SECOND);
    };
  }

  function whenItsTurn(turns: Turns, untilMs: number, run: () => Statement): Promise<unknown[]> {
    const hasConnection = startWaiting();
    return turns(() => {
      hasConnection();
      if (performance.now() >= untilMs) throw serviceUnavailable(new Error("No turn in time"));
      return run();
    });
  }

  function use(): PoolUse {
    const used = Math.min(size, atOnce - waiting);
    return { pool: name, used, idle: size - used, waiting };
  }

  function replacePool() {
    lastAnswerAt = performance.now();
    const silent = pool;
    pool = open();
    silent.close(0).catch(() => {});
  }

  const runner =
    (maxAttempts: number) => async (text: string, values: unknown[], deadline?: number | null) => {
      const untilMs = deadline ?? performance.now() + MAX_WAIT_MS;
      for (let attempt = 1; ; attempt += 1) {
        if (performance.now() >= untilMs) throw noAnswerInTime();
        if (atOnce >= MAX_AT_ONCE) throw tooManyAtOnce();
        let cancel = () => {};
        const run = () => {
          const begun = pool.query(text, values);
          cancel = () => begun.cancel();
          return begun;
        };
        try {
          const statement = inTurn === undefined ? run() : whenItsTurn(inTurn, untilMs, run);
          return await bounded(untilMs, statement, () => cancel());
        } catch (error) {
          if (isConnectionLost(error) && attempt < maxAttempts && performance.now() < untilMs) continue;
          throw isUnavailable(error) || isConflict(error) ? serviceUnavailable(error) : error;
        }
      }
    };

  async function begin<T>(work: (handle: TransactionHandle) => Promise<T>, { untilMs }: { untilMs: number }) {
    if (performance.now() >= untilMs) throw noAnswerInTime();
    if (atOnce >= MAX_AT_ONCE) throw tooManyAtOnce();
    const patience = new AbortController();
    let connection: Connection | null = null;
    const reserveAndRun = async () => {
      const hasConnection = startWaiting();
      connection = await pool.reserve(patience.signal).finally(hasConnection);
      try {
        patience.signal.throwIfAborted();
        return await runTransaction(connection, work, () => {
          lastAnswerAt = performance.now();
        });
      } catch (error) {
        // Closed by ourselves: that is not why.
        throw patience.signal.aborted && isConnectionLost(error) ? patience.signal.reason : error;
      } finally {
        connection.release();
      }
    };
    return bounded(untilMs, reserveAndRun(), () => {
      patience.abort(noAnswerInTime());
      connection?.close();
    });
  }

  return { query: runner(MAX_ATTEMPTS), write: runner(1), begin, use, close: () => pool.close(5) };
}
