import { SQL } from "bun";
import { type Driver, propertyOf } from "./driver.ts";

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
    async reserve(signal) {
      const reserved = await pool.reserve({ signal });
      return {
        // Executed at once: a query that nobody waits for yet would not be sent.
        query: (text, values) => reserved.unsafe(text, values).execute(),
        release: () => void reserved.release(),
        close: () => void reserved.close().catch(() => {}),
      };
    },
    close: (seconds) => pool.close({ timeout: seconds }),
  };
};
