import { setTimeout } from "node:timers/promises";
import type { Database } from "./database.ts";
import { classified, isConflict, isConnectionLost, isDeadlock } from "./failures.ts";
import type { TransactionHandle } from "./open-transaction.ts";
import type { Queryable } from "./prepared-query.ts";

/** A context with a database, such as that of a request. */
export type WithDatabase = { readonly db: Database };

/**
 * The context inside a transaction. `db` is the transaction's connection, and the context contains no other
 * database.
 * - A statement of `db` that was awaited has happened when the next line runs.
 * - A statement of `effects` returns nothing. It is sent with the next one, at the latest with COMMIT. If it fails, the
 *   transaction fails. Only the effects in `src/core/effects`, the locks in `src/core/locks.ts` and savepoints use it.
 */
export type InTransaction<C extends WithDatabase> = Omit<C, "db"> & {
  readonly db: Queryable;
  readonly effects: Queryable;
  /** Functions that run after the commit, before the caller continues. They must not throw. */
  readonly afterCommit: ((db: Database) => Promise<void>)[];
};

const MAX_RETRIES = 3;
/**
 * The pause before a deadlocked transaction is retried. Without a pause, it might lock the row again before the
 * transaction that waited for it, and deadlock again.
 */
const DEADLOCK_PAUSE_MS = 20;

/** The error for a transaction that finds, under its locks, that it needs other locks. The transaction is retried. */
export const serializationFailure = () =>
  Object.assign(new Error("Serialization failure"), { errno: "40001" });

/**
 * Runs `work` in one transaction at READ COMMITTED.
 * - Deadlocks, serialization failures, and connections lost before COMMIT was sent, are retried up to three times,
 *   so `work` must not have other side effects.
 * - A connection lost during COMMIT is not retried: it is unknown whether the COMMIT took effect, and the caller
 *   gets 503.
 * @throws DatabaseUnavailable if the database is unreachable or does not respond for 8 s; every error of `work`
 */
export async function transaction<C extends WithDatabase, T>(
  call: C,
  work: (tx: InTransaction<C>) => Promise<T>,
): Promise<T> {
  let afterCommit: ((db: Database) => Promise<void>)[] = [];
  let committing = false;
  const attempt = (deadlineAt: number) => {
    afterCommit = [];
    committing = false;
    const inTransaction = async (db: TransactionHandle) => {
      const tx: InTransaction<C> = { ...call, db, effects: db.pipelined, afterCommit };
      const result = await work(tx);
      committing = true;
      return result;
    };
    return call.db.begin(inTransaction, { deadlineAt });
  };
  const result = await retried(call, attempt, (error) => isConnectionLost(error) && !committing);
  for (const next of afterCommit) await next(call.db);
  return result;
}

/**
 * Runs a single statement that changes something, as an implicit transaction, in one round trip.
 * - It is retried like a transaction, and also if its connection is lost after it may have taken effect. So running
 *   it twice must be harmless.
 * - At the deadline its connection is closed, but a server that froze or could not be reached may still run it
 *   later. So `work` gets the deadline, on the clock of `performance.now()`, and the statement must do nothing
 *   after it.
 * @throws DatabaseUnavailable, as transactions do
 */
export const singleStatement = <T>(
  call: WithDatabase,
  work: (db: Queryable, deadlineAt: number) => Promise<T>,
): Promise<T> => retried(call, (deadlineAt) => call.db.autocommit(work, { deadlineAt }), isConnectionLost);

async function retried<T>(
  { db }: WithDatabase,
  attempt: (deadlineAt: number) => Promise<T>,
  mayRepeat: (error: unknown) => boolean,
): Promise<T> {
  const deadlineAt = performance.now() + db.maxWaitMs;
  for (let retries = 0; ; retries += 1) {
    try {
      return await attempt(deadlineAt);
    } catch (error) {
      const mayWork = isConflict(error) || mayRepeat(error);
      if (!mayWork || retries === MAX_RETRIES || performance.now() >= deadlineAt) throw classified(error);
      if (isDeadlock(error)) await setTimeout(DEADLOCK_PAUSE_MS);
    }
  }
}
