import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../log.ts";
import type { ListPools, Replica } from "./database.ts";
import { DatabaseUnavailable } from "./failures.ts";
import type { Queryable } from "./prepared-query.ts";

/**
 * How long a request waits for the replica to catch up. A replica that takes longer is not used until it has caught
 * up.
 */
const MAX_BEHIND_MS = 100;
const MAX_PROBE_MS = 1_000;
const PROBE_AGAIN_MS = 1_000;
const MAX_PAUSE_MS = 8;

/**
 * Queries the flushed position of the write-ahead log. It includes every visible commit, unless `synchronous_commit`
 * is off. Returns null if the server that should be the replica is a primary.
 */
const WRITTEN = "SELECT (pg_current_wal_flush_lsn() - '0/0')::text AS lsn";
const REPLAYED = "SELECT (pg_last_wal_replay_lsn() - '0/0')::text AS lsn";
const IDENTITY = "SELECT system_identifier::text AS id FROM pg_control_system()";

type Options = {
  primary: Queryable;
  replica: Queryable;
  /** The pools of the replica, and those of the primary, which serve what the replica cannot. */
  pools: ListPools;
  fallback: ListPools;
  log: Logger;
};

/** Monitors a replica until it is closed. Before the replica is known to be up to date, the primary is read. */
export function followReplica({ primary, replica, pools, fallback, log }: Options): Replica {
  const written = sharedAsk(() => position(primary, WRITTEN));
  const replayed = sharedAsk(() => position(replica, REPLAYED));
  let serving = false;
  let closed = false;
  let timer: Timer | null = null;

  async function catchUp(signal: AbortSignal): Promise<void> {
    let [wanted, reached] = await Promise.all([written(), replayed()]);
    for (let pause = 1; reached < wanted; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      signal.throwIfAborted();
      await sleep(pause);
      reached = await replayed();
    }
  }

  /**
   * Checks the server before the replica is used, and again after each lost connection: the URL may lead to another
   * server now.
   */
  async function probe(signal: AbortSignal): Promise<void> {
    const [ours, theirs] = await Promise.all([identity(primary), identity(replica)]);
    if (ours !== theirs) throw new Error("DATABASE_REPLICA_URL is not a replica of DATABASE_URL");
    await catchUp(signal);
  }

  function leave(cause: unknown) {
    if (serving) log.warn("replica left, the primary serves lists", { err: cause });
    serving = false;
    if (!closed) timer ??= setTimeout(probeAgain, PROBE_AGAIN_MS);
  }

  async function probeAgain(): Promise<boolean> {
    timer = null;
    try {
      await within(MAX_PROBE_MS, probe);
      if (!serving) log.info("replica serves lists");
      serving = true;
    } catch (error) {
      leave(error);
    }
    return serving;
  }

  void probeAgain();
  return {
    async current() {
      if (!serving) return null;
      try {
        await within(MAX_BEHIND_MS, catchUp);
        return withFallback(pools, fallback);
      } catch (error) {
        leave(error);
        return null;
      }
    },
    check: probeAgain,
    isServing: () => serving,
    close() {
      closed = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/**
 * Returns the pools of a replica for one request. If the replica fails, or cancels a statement because of a conflict with
 * replay, the request reads the primary from then on.
 */
function withFallback(replica: ListPools, primary: ListPools): ListPools {
  let hasFailed = false;
  const read = (pool: keyof ListPools): ListPools["lists"] => ({
    async query(...statement) {
      try {
        if (!hasFailed) return await replica[pool].query(...statement);
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) throw error;
        hasFailed = true;
      }
      return primary[pool].query(...statement);
    },
  });
  return { lists: read("lists"), pages: read("pages") };
}

/** Returns a position in the write-ahead log, in bytes. */
async function position(db: Queryable, text: string): Promise<bigint> {
  const [row] = (await db.query(text, [])) as { lsn: string | null }[];
  if (row?.lsn == null) throw new Error("DATABASE_REPLICA_URL is not a replica");
  return BigInt(row.lsn);
}

const identity = async (db: Queryable) => ((await db.query(IDENTITY, [])) as { id: string }[])[0]?.id;

/** Callers share the result of a check, but only of a check that was started after they called. */
function sharedAsk<T>(ask: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  const begin = () => {
    next = null;
    const asked = ask();
    running = asked.catch(() => {});
    return asked;
  };
  return () => (next ??= running.then(begin));
}

async function within(milliseconds: number, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const tooLong = new AbortController();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new Error(`The replica is more than ${milliseconds} ms behind, or does not respond`);
    tooLong.abort(error);
    reject(error);
  }, milliseconds);
  try {
    await Promise.race([work(tooLong.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}
