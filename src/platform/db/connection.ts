import { serviceUnavailable } from "../errors.ts";
import type { Logger } from "../log.ts";
import type { Database, PoolUse, Replica } from "./database.ts";
import { deadlines } from "./deadlines.ts";
import type { Connection, Driver, Pool, Statement } from "./drivers/driver.ts";
import { isConflict, isConnectionLost, isUnavailable } from "./failures.ts";
import { limitConcurrency, type RunLimited } from "./limit-concurrency.ts";
import { withLocalSettings } from "./local-settings.ts";
import { runTransaction, type TransactionHandle } from "./open-transaction.ts";
import { withRemedy } from "./poolers.ts";
import type { Queryable } from "./prepared-query.ts";
import { followReplica } from "./replica.ts";

export type { Database, ListPools, PoolUse, TransactionPool } from "./database.ts";

/** The total time that a request waits for the database; then it gets 503. */
export const MAX_WAIT_MS = 8_000;
/**
 * As a multiple of `maxWaitMs`: the server aborts longer transactions, so that a crashed client cannot hold its
 * locks.
 */
const MAX_TRANSACTION_WAITS = 1.5;
/** The transaction timeout, as a PostgreSQL setting, for requests that wait at most `maxWaitMs`. */
export const maxTransaction = (maxWaitMs = MAX_WAIT_MS) =>
  `${Math.ceil(MAX_TRANSACTION_WAITS * maxWaitMs)}ms`;
/** The maximum number of concurrent statements and transactions. Further ones are rejected, to limit memory. */
const MAX_CONCURRENT = 2_000;
const MAX_ATTEMPTS = 3;
const MS_PER_SECOND = 1000;
const QUICK_CONNECTIONS = 3;
const SIGN_IN_CONNECTIONS = 4;
/**
 * One organization runs at most three lists, of two slow statements each, and two exports at once: two connections
 * remain for others.
 */
const LIST_CONNECTIONS = 10;
/** One statement per page, so one organization uses at most three connections. */
const PAGE_CONNECTIONS = 5;

const noAnswerInTime = () => serviceUnavailable(new Error("No answer in time"));
const tooManyAtOnce = () => serviceUnavailable(new Error("Too many statements and transactions at once"));

/** The address of a database, the driver, and the limits of its pools. */
export type DatabaseOptions = {
  url: string;
  listenUrl: string;
  replica?: { url: string; log: Logger } | null;
  poolSize: number;
  applicationName: string;
  driver: Driver;
  onWait?: OnWait;
  /** Defaults to MAX_WAIT_MS. */
  maxWaitMs?: number | undefined;
};
/** Called with the time that a statement or transaction waited for a connection. */
type OnWait = (pool: string, seconds: number) => void;

/**
 * Five pools, so that no kind of work waits for another.
 * - Fast statements share few connections, on which they are pipelined: measured at 1.2 times the requests of ten
 *   connections.
 * - Lists are one static query each, with optional filters. A generic plan was 600 times slower than a custom one, so
 *   they always use custom plans; only their first pages use cached plans (`ListQuery`). Both may take long, so each
 *   statement has a connection to itself: pipelined behind a slow statement, it would wait while other connections
 *   become free.
 * - Transactions and single writes have a pool whose connections may be occupied while they wait for a lock.
 * - Sign-in, refresh and switch have a separate pool, so that they never wait for other writes.
 */
export function connect(options: DatabaseOptions): Database {
  const { url, listenUrl, poolSize, applicationName, driver, onWait, maxWaitMs = MAX_WAIT_MS } = options;
  // A separate address for LISTEN means that `url` points to a pooler.
  const isDirect = url === listenUrl;
  type Opened = { settings?: Record<string, string>; inTurn?: RunLimited; at?: string };
  const open = (pool: string, size: number, { settings = {}, inTurn, at = url }: Opened = {}) => {
    const name = pool === "transactions" ? applicationName : `${applicationName}-${pool}`;
    const session = { application_name: name, TimeZone: "UTC", ...(isDirect && settings) };
    const start = () =>
      withLocalSettings(driver({ url: at, size, settings: session }), isDirect ? {} : settings);
    return boundedPool(start, inTurn, { pool, size, onWait, maxWaitMs });
  };
  const openLists = (at: string, suffix = "") => {
    const [listSize, pageSize] = [Math.min(LIST_CONNECTIONS, poolSize), Math.min(PAGE_CONNECTIONS, poolSize)];
    const settings = { plan_cache_mode: "force_custom_plan" };
    const lists = open(`lists${suffix}`, listSize, { settings, inTurn: limitConcurrency(listSize), at });
    return { lists, pages: open(`pages${suffix}`, pageSize, { inTurn: limitConcurrency(pageSize), at }) };
  };
  const quick = open("reads", Math.min(QUICK_CONNECTIONS, poolSize));
  const { lists, pages } = openLists(url);
  const transaction_timeout = maxTransaction(maxWaitMs);
  const transactions = open("transactions", poolSize, { settings: { transaction_timeout } });
  const signInSize = Math.min(SIGN_IN_CONNECTIONS, poolSize);
  const signIns = open("sign-in", signInSize, { settings: { transaction_timeout } });
  const pools = [quick, lists, pages, transactions, signIns];
  let replica: Replica | null = null;
  if (options.replica) {
    const { url: at, log } = options.replica;
    const there = openLists(at, "-replica");
    const position = open("reads-replica", 1, { at });
    pools.push(there.lists, there.pages, position);
    // Statements on the replica are never retried there: after a restart it may be further behind than before.
    const once = { lists: { query: there.lists.write }, pages: { query: there.pages.write } };
    replica = followReplica({ primary: quick, replica: { query: position.write }, pools: once, log });
  }
  return {
    query: quick.query,
    lists,
    pages,
    replica,
    writes: { query: transactions.write },
    maxWaitMs,
    begin: transactions.begin,
    runAlone: transactions.runAlone,
    signIns: { begin: signIns.begin, runAlone: signIns.runAlone, writes: { query: signIns.write } },
    pools: () => pools.map((pool) => pool.use()),
    pauseWhile: (work) => work(),
    async close() {
      replica?.close();
      await Promise.all(pools.map((pool) => pool.close()));
    },
  };
}

type PoolLimits = { pool: string; size: number; onWait?: OnWait | undefined; maxWaitMs: number };

/** A pool with deadlines, which is replaced when it stops responding. */
function boundedPool(
  open: () => Pool,
  inTurn: RunLimited | undefined,
  { pool: name, size, onWait = () => {}, maxWaitMs }: PoolLimits,
) {
  let pool = open();
  let lastAnswerAt = performance.now();
  let atOnce = 0;
  let waiting = 0;

  /** Awaits `work`; at the deadline, calls `giveUp`, which makes it fail. */
  async function bounded<T>(untilMs: number, work: PromiseLike<T>, giveUp: () => void): Promise<T> {
    atOnce += 1;
    const deadline = deadlines.add(untilMs, () => {
      giveUp();
      // No connection responded during that time. The sockets of a peer that vanished stay open for minutes.
      if (lastAnswerAt < untilMs - maxWaitMs) replacePool();
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

  /** Counts a caller that waits for a connection, until the returned function is called. */
  function startWaiting(): () => void {
    const since = performance.now();
    waiting += 1;
    return () => {
      waiting -= 1;
      onWait(name, (performance.now() - since) / MS_PER_SECOND);
    };
  }

  function whenItsTurn(limited: RunLimited, untilMs: number, run: () => Statement): Promise<unknown[]> {
    const hasConnection = startWaiting();
    return limited(() => {
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
      const untilMs = deadline ?? performance.now() + maxWaitMs;
      for (let attempt = 1; ; attempt += 1) {
        if (performance.now() >= untilMs) throw noAnswerInTime();
        if (atOnce >= MAX_CONCURRENT) throw tooManyAtOnce();
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
          throw isUnavailable(error) || isConflict(error) ? serviceUnavailable(withRemedy(error)) : error;
        }
      }
    };

  async function reserved<T>(work: (connection: Connection) => Promise<T>, untilMs: number): Promise<T> {
    if (performance.now() >= untilMs) throw noAnswerInTime();
    if (atOnce >= MAX_CONCURRENT) throw tooManyAtOnce();
    const patience = new AbortController();
    let connection: Connection | null = null;
    const reserveAndRun = async () => {
      const hasConnection = startWaiting();
      connection = await pool.reserve(patience.signal).finally(hasConnection);
      try {
        patience.signal.throwIfAborted();
        return await work(connection);
      } catch (error) {
        // The pool closed the connection itself, so the original cause is reported.
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

  const onAnswer = () => {
    lastAnswerAt = performance.now();
  };

  return {
    query: runner(MAX_ATTEMPTS),
    write: runner(1),
    begin: <T>(work: (handle: TransactionHandle) => Promise<T>, { untilMs }: { untilMs: number }) =>
      reserved((connection) => runTransaction(connection, work, onAnswer), untilMs),
    runAlone: <T>(work: (db: Queryable, untilMs: number) => Promise<T>, { untilMs }: { untilMs: number }) =>
      reserved(
        (connection) => work({ query: async (text, values) => connection.query(text, values) }, untilMs),
        untilMs,
      ),
    use,
    close: () => pool.close(5),
  };
}
