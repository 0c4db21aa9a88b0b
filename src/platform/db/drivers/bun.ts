import { type ReservedSQL, SQL } from "bun";
import { type Connection, type Driver, propertyOf } from "./driver.ts";

/** Bun's own client, which was chosen by its behaviour when backends die (docs/decisions.md, 1). */
export const bunDriver: Driver = ({ url, size, settings }) => {
  const pool = new SQL({
    url,
    max: size,
    connectionTimeout: 5,
    connection: settings,
    transform: { column: { from: propertyOf } },
  });
  return {
    query: (text, values) => pool.unsafe(text, values),
    reserve: async (signal) => connection(await pool.reserve({ signal })),
    close: (seconds) => pool.close({ timeout: seconds }),
  };
};

function connection(reserved: ReservedSQL): Connection {
  return {
    async begin<T>(work: Parameters<Connection["begin"]>[0]) {
      const { result } = await reserved.begin(async (tx) => {
        const result = await work({
          query: (text, values) => tx.unsafe(text, values),
          savepoint: (inner) => tx.savepoint(inner),
        });
        // In an object, because Bun's client looks into a result that is an array.
        return { result };
      });
      return result as T;
    },
    release: () => void reserved.release(),
    close: () => void reserved.close().catch(() => {}),
  };
}
