import type { Call } from "../context.ts";
import { serviceUnavailable } from "../http/errors.ts";
import { LONGEST_WAIT_MS, type TransactionHandle } from "./connection.ts";
import { isConflict, isConnectionLost, isOutOfReach } from "./failures.ts";

/** A call inside its transaction. Queries run on `db`; effects take the whole. */
export interface Tx extends Call {
  readonly db: TransactionHandle;
  /** Run at the end, as the last statements before the commit. */
  readonly beforeCommit: (() => Promise<unknown>)[];
}

const MOST_ATTEMPTS = 3;

/**
 * Runs `work` in one transaction at READ COMMITTED. Deadlocks, and connections lost before the commit was
 * asked for, are tried again, so `work` may run up to three times and must touch nothing outside. A connection
 * lost during the commit is not: whether it took effect is unknown, and the caller is told 503.
 * @throws serviceUnavailable when the database is out of reach or silent for 8 s; whatever `work` throws.
 */
export async function transaction<T>(call: Call, work: (tx: Tx) => Promise<T>): Promise<T> {
  const untilMs = performance.now() + LONGEST_WAIT_MS;
  for (let attempt = 1; ; attempt += 1) {
    let committing = false;
    try {
      return await call.app.db.begin(
        async (db) => {
          const tx: Tx = { ...call, db, beforeCommit: [] };
          const result = await work(tx);
          for (const last of tx.beforeCommit) await last();
          committing = true;
          return result;
        },
        { untilMs },
      );
    } catch (error) {
      const again = isConflict(error) || (isConnectionLost(error) && !committing);
      if (again && attempt < MOST_ATTEMPTS && performance.now() < untilMs) continue;
      throw isOutOfReach(error) || isConflict(error) ? serviceUnavailable() : error;
    }
  }
}
