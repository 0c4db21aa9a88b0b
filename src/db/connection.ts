import { SQL } from "bun";
import { serviceUnavailable } from "../http/errors.ts";
import { deadlines } from "./deadlines.ts";
import { isConnectionLost, isOutOfReach } from "./failures.ts";
import type { Queryable } from "./prepared-query.ts";

/** A transaction in progress. Statements after its end, or after its time is up, are refused. */
export interface TransactionHandle extends Queryable {
  /** Runs `work` so that its failure undoes it alone; answers the failure, or null. */
  attempt(work: () => Promise<unknown>): Promise<unknown | null>;
}

/** The request path's database: a pool that answers, refuses in time, and heals by itself. */
export interface Database extends Queryable {
  /** Runs a single statement that changes nothing; repeated when its connection is lost. */
  query(text: string, values: unknown[]): Promise<unknown[]>;
  /** Runs `work` in one READ COMMITTED transaction, once. Refuses with 503 when the time is up. */
  begin<T>(work: (handle: TransactionHandle) => Promise<T>, options: { untilMs: number }): Promise<T>;
  close(): Promise<void>;
}

/** No request waits longer than this for the database, frozen or not; the answer is then 503. */
export const LONGEST_WAIT_MS = 8_000;
/** Beyond this many statements and transactions at once, new ones are refused: memory stays bounded. */
const MOST_AT_ONCE = 2_000;
/** With waits running out and nothing answered for this long, the connections are given up for new ones. */
const SILENCE_MS = 15_000;

const camelCase = (name: string) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/**
 * The pool on Bun's own client, which was chosen by its behaviour when backends die (README, "Decisions").
 * Columns come back in camel case, without the `!` and `?` by which queries tell pgtyped about nulls.
 */
export function connect(options: { url: string; poolSize: number; applicationName: string }): Database {
  const open = () =>
    new SQL({
      url: options.url,
      max: options.poolSize,
      connectionTimeout: 5,
      connection: { application_name: options.applicationName, TimeZone: "UTC" },
      transform: { column: { from: (name) => camelCase(name.replace(/[!?]$/, "")) } },
    });
  let pool = open();
  let lastAnswerAt = performance.now();
  let atOnce = 0;

  /** Waits for `work` until its time is up, then gives up on it by `giveUp` and refuses. */
  async function bounded<T>(work: Promise<T>, untilMs: number, giveUp: () => void): Promise<T> {
    if (atOnce >= MOST_AT_ONCE) {
      giveUp();
      work.catch(() => {});
      throw serviceUnavailable();
    }
    atOnce += 1;
    const { promise: timeUp, reject } = Promise.withResolvers<never>();
    const timer = deadlines.add(untilMs, () => {
      giveUp();
      replaceSilentPool();
      reject(serviceUnavailable());
    });
    try {
      const result = await Promise.race([work, timeUp]);
      lastAnswerAt = performance.now();
      return result;
    } finally {
      atOnce -= 1;
      deadlines.remove(timer);
    }
  }

  /** A peer that vanished without a word keeps its sockets "busy" for minutes; a fresh pool does not wait for it. */
  function replaceSilentPool() {
    if (performance.now() - lastAnswerAt < SILENCE_MS) return;
    lastAnswerAt = performance.now();
    const silent = pool;
    pool = open();
    silent.close({ timeout: 0 }).catch(() => {});
  }

  async function query(text: string, values: unknown[]): Promise<unknown[]> {
    const untilMs = performance.now() + LONGEST_WAIT_MS;
    for (let attempt = 1; ; attempt += 1) {
      const statement = pool.unsafe(text, values);
      try {
        return await bounded(statement, untilMs, () => statement.cancel());
      } catch (error) {
        if (isConnectionLost(error) && attempt < 3 && performance.now() < untilMs) continue;
        throw isOutOfReach(error) ? serviceUnavailable() : error;
      }
    }
  }

  function begin<T>(work: (handle: TransactionHandle) => Promise<T>, { untilMs }: { untilMs: number }) {
    let givenUp = false;
    let current: { cancel(): unknown } | null = null;
    const refuseLate = () => {
      if (givenUp) throw serviceUnavailable();
    };

    const transaction = pool.begin(async (tx) => {
      const handle: TransactionHandle = {
        async query(text, values) {
          refuseLate();
          const statement = tx.unsafe(text, values);
          current = statement;
          return await statement;
        },
        async attempt(effect) {
          let failure: unknown = null;
          await tx
            .savepoint(async () => await effect())
            .catch((error) => {
              if (isOutOfReach(error)) throw error;
              failure = error;
            });
          return failure;
        },
      };
      refuseLate();
      const result = await work(handle);
      refuseLate();
      return { result };
    });
    // A transaction that was given up settles later, when nobody listens any more.
    return bounded(transaction, untilMs, () => {
      givenUp = true;
      current?.cancel();
      transaction.catch(() => {});
    }).then(({ result }) => result as T);
  }

  return { query, begin, close: () => pool.close({ timeout: 5 }) };
}
