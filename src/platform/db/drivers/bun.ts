import { SQL } from "bun";
import { type Driver, toCamelCase } from "./driver.ts";

const template = (strings: TemplateStringsArray) => strings;

/**
 * BEGIN, COMMIT and savepoints as query templates. As plain text, each would be sent in a separate packet, by the simple query
 * protocol. Templates are prepared, and pipelined in one packet with the neighbouring statements.
 */
const PREPARED = new Map([
  ["BEGIN", template`BEGIN`],
  ["COMMIT", template`COMMIT`],
  ["ROLLBACK", template`ROLLBACK`],
  ["SAVEPOINT part", template`SAVEPOINT part`],
  ["ROLLBACK TO SAVEPOINT part", template`ROLLBACK TO SAVEPOINT part`],
  ["RELEASE SAVEPOINT part", template`RELEASE SAVEPOINT part`],
]);

/**
 * The driver for Bun's own PostgreSQL client. It was chosen for its behaviour when server processes die
 * (docs/decisions/0001).
 */
export const bunDriver: Driver = ({ url, size, settings }) => {
  const pool = new SQL({
    url,
    max: size,
    connectionTimeout: 5,
    connection: settings,
    transform: { column: { from: toCamelCase } },
  });
  return {
    query: (text, values) => pool.unsafe(text, values),
    async reserve(signal) {
      const reserved = await pool.reserve({ signal });
      return {
        // The query is executed explicitly, because Bun does not send a query that is not awaited.
        query: (text, values) => {
          const strings = PREPARED.get(text);
          return (strings === undefined ? reserved.unsafe(text, values) : reserved(strings)).execute();
        },
        release: () => void reserved.release(),
        close: () => void reserved.close().catch(() => {}),
      };
    },
    close: (seconds) => pool.close({ timeout: seconds }),
  };
};
