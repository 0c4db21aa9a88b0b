import { Permits } from "../limits/permits.ts";
import type { PoolUse } from "./database.ts";
import type { Connection, Pool, Statement } from "./drivers/driver.ts";
import { classified, DatabaseUnavailable, isConnectionLost } from "./failures.ts";
import { runTransaction, type TransactionHandle } from "./open-transaction.ts";
import type { Queryable } from "./prepared-query.ts";

/** The maximum number of concurrent statements and transactions. Further ones are rejected, which limits memory. */
const MAX_CONCURRENT = 2_000;
const MAX_ATTEMPTS = 3;
const MS_PER_SECOND = 1000;

const noResponseInTime = () => new DatabaseUnavailable(new Error("No response in time"));
const tooManyAtOnce = () =>
  new DatabaseUnavailable(new Error("Too many statements and transactions at once"));

/** Called with the seconds that a statement or transaction waited for a connection. */
export type OnWait = (pool: string, seconds: number) => void;

type PoolLimits = {
  pool: string;
  size: number;
  /** Whether each connection runs one statement at a time, instead of several that are pipelined. */
  oneAtATime: boolean;
  onWait?: OnWait | undefined;
  maxWaitMs: number;
};

/** Creates a pool with deadlines, which is replaced when it stops responding. */
export function poolWithDeadlines(
  open: () => Pool,
  { pool: name, size, oneAtATime, onWait = () => {}, maxWaitMs }: PoolLimits,
) {
  const connections = new Permits({ pool: { max: size, waiting: Infinity } });
  let pool = open();
  let lastResponseAt = performance.now();
  let atOnce = 0;
  let waiting = 0;

  /** Awaits `work`. At the deadline, calls `onTimeout`, which makes `work` fail. */
  async function withDeadline<T>(
    deadlineAt: number,
    work: PromiseLike<T>,
    onTimeout: () => void,
  ): Promise<T> {
    atOnce += 1;
    const expire = () => {
      onTimeout();
      // No connection has responded for a whole deadline, so the pool is replaced. Sockets of a server that
      // vanished stay open for minutes.
      if (lastResponseAt < deadlineAt - maxWaitMs) replacePool();
    };
    const timer = setTimeout(expire, Math.ceil(deadlineAt - performance.now()));
    try {
      const result = await work;
      lastResponseAt = performance.now();
      return result;
    } finally {
      atOnce -= 1;
      clearTimeout(timer);
    }
  }

  /** Counts a caller that waits for a connection, until the returned function is called. */
  function countWaiting(): () => void {
    const since = performance.now();
    waiting += 1;
    return () => {
      waiting -= 1;
      onWait(name, (performance.now() - since) / MS_PER_SECOND);
    };
  }

  function queued(deadlineAt: number, run: () => Statement): Promise<unknown[]> {
    const stopWaiting = countWaiting();
    const late = () => {
      stopWaiting();
      return new DatabaseUnavailable(new Error("No connection in time"));
    };
    return connections.run({ pool: name }, { deadlineAt, late }, () => {
      stopWaiting();
      return run();
    });
  }

  function use(): PoolUse {
    const used = Math.min(size, atOnce - waiting);
    return { pool: name, used, idle: size - used, waiting };
  }

  function replacePool() {
    lastResponseAt = performance.now();
    const silent = pool;
    pool = open();
    silent.close(0).catch(() => {});
  }

  const runner =
    (maxAttempts: number) => async (text: string, values: unknown[], deadline?: number | null) => {
      const deadlineAt = deadline ?? performance.now() + maxWaitMs;
      for (let attempt = 1; ; attempt += 1) {
        if (performance.now() >= deadlineAt) throw noResponseInTime();
        if (atOnce >= MAX_CONCURRENT) throw tooManyAtOnce();
        let cancel = () => {};
        const run = () => {
          const begun = pool.query(text, values);
          cancel = () => begun.cancel();
          return begun;
        };
        try {
          const statement = oneAtATime ? queued(deadlineAt, run) : run();
          return await withDeadline(deadlineAt, statement, () => cancel());
        } catch (error) {
          if (isConnectionLost(error) && attempt < maxAttempts && performance.now() < deadlineAt) continue;
          throw classified(error);
        }
      }
    };

  async function reserved<T>(work: (connection: Connection) => Promise<T>, deadlineAt: number): Promise<T> {
    if (performance.now() >= deadlineAt) throw noResponseInTime();
    if (atOnce >= MAX_CONCURRENT) throw tooManyAtOnce();
    const abort = new AbortController();
    let connection: Connection | null = null;
    const reserveAndRun = async () => {
      const stopWaiting = countWaiting();
      connection = await pool.reserve(abort.signal).finally(stopWaiting);
      try {
        abort.signal.throwIfAborted();
        return await work(connection);
      } catch (error) {
        // The error comes from closing the connection here, so the original cause is reported instead.
        throw abort.signal.aborted && isConnectionLost(error) ? abort.signal.reason : error;
      } finally {
        connection.release();
      }
    };
    return withDeadline(deadlineAt, reserveAndRun(), () => {
      abort.abort(noResponseInTime());
      connection?.close();
    });
  }

  const onResponse = () => {
    lastResponseAt = performance.now();
  };

  return {
    query: runner(MAX_ATTEMPTS),
    write: runner(1),
    begin: <T>(work: (handle: TransactionHandle) => Promise<T>, { deadlineAt }: { deadlineAt: number }) =>
      reserved((connection) => runTransaction(connection, work, onResponse), deadlineAt),
    autocommit: <T>(
      work: (db: Queryable, deadlineAt: number) => Promise<T>,
      { deadlineAt }: { deadlineAt: number },
    ) =>
      reserved(
        (connection) => work({ query: async (text, values) => connection.query(text, values) }, deadlineAt),
        deadlineAt,
      ),
    use,
    close: () => pool.close(5),
  };
}
