/**
 * The interface that `connection.ts` needs from a PostgreSQL client.
 * - Column names are returned in camel case.
 * - Errors have the SQLSTATE in `errno` and the violated constraint in `constraint`.
 * - The `code` of a lost connection begins with `ERR_POSTGRES_CONNECTION_`.
 */

/** Opens a pool. Connections are opened later, on demand. */
export type Driver = (options: PoolOptions) => Pool;

/** The session parameters of the connections, such as `TimeZone`. */
export type PoolOptions = { url: string; size: number; settings: Record<string, string> };

/** A pool of connections, which are opened on demand and replaced when lost. */
export interface Pool {
  /** Runs one statement on a connection that others may share. */
  query(text: string, values: unknown[]): Statement;
  /** Reserves a connection. If the signal is aborted first, rejects with its reason. */
  reserve(signal: AbortSignal): Promise<Connection>;
  /** Closes the pool; running statements have this number of seconds to finish. */
  close(seconds: number): Promise<void>;
}

/** The pending result of a statement. If it is cancelled, it rejects at once, even if the server does not respond. */
export interface Statement extends PromiseLike<unknown[]> {
  cancel(): void;
}

/** A reserved connection. */
export interface Connection {
  /** Sends a statement at once (pipelined), without waiting for the results of earlier ones. */
  query(text: string, values: unknown[]): PromiseLike<unknown[]>;
  /** Returns the reserved connection to the pool. */
  release(): void;
  /** Closes the reserved connection at once, even while a statement is running. */
  close(): void;
}

/** Converts a column name to a property name: camel case, without pgtyped's nullability marks `!` and `?`. */
export const toCamelCase = (column: string): string =>
  column.replace(/[!?]$/, "").replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
