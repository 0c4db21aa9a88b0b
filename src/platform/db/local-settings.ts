import { allSettledOrThrow } from "./all-settled-or-throw.ts";
import type { Connection, Pool, Statement } from "./drivers/driver.ts";

/**
 * A pool behind a pooler in transaction mode. Such a pooler rejects session settings that it does not know, and gives
 * each transaction another session. So the settings are made in each transaction instead, and a single statement gets
 * a transaction around it. The added statements are pipelined, so they need no further round trips.
 */
export function withLocalSettings(pool: Pool, settings: Record<string, string>): Pool {
  const set = Object.entries(settings);
  if (set.length === 0) return pool;
  return {
    query(text, values): Statement {
      const cancelled = new AbortController();
      const result = runOn(pool, cancelled.signal, (connection) => single(connection, text, values));
      const cancel = () => cancelled.abort(Object.assign(new Error("Cancelled"), { errno: "57014" }));
      return Object.assign(result, { cancel });
    },
    async reserve(signal) {
      const connection = await pool.reserve(signal);
      let isBegun = false;
      return {
        query(text, values) {
          if (!isBegun && text !== "BEGIN") return single(connection, text, values);
          const result = connection.query(text, values);
          isBegun = text !== "COMMIT" && text !== "ROLLBACK";
          return text === "BEGIN"
            ? allSettledOrThrow(result, ...setLocal(connection)).then(([begun]) => begun)
            : result;
        },
        release: () => connection.release(),
        close: () => connection.close(),
      };
    },
    close: (seconds) => pool.close(seconds),
  };

  function setLocal(connection: Connection) {
    return set.map((setting) => connection.query("SELECT set_config($1, $2, true)", setting));
  }

  async function single(connection: Connection, text: string, values: unknown[]): Promise<unknown[]> {
    const begun = [connection.query("BEGIN", []), ...setLocal(connection)];
    const result = connection.query(text, values);
    const [rows] = await allSettledOrThrow(result, ...begun, connection.query("COMMIT", []));
    return rows;
  }
}

async function runOn(
  pool: Pool,
  signal: AbortSignal,
  work: (connection: Connection) => Promise<unknown[]>,
): Promise<unknown[]> {
  const connection = await pool.reserve(signal);
  const close = () => connection.close();
  signal.addEventListener("abort", close, { once: true });
  try {
    signal.throwIfAborted();
    return await work(connection);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener("abort", close);
    connection.release();
  }
}
