/**
 * The interface that `connection.ts` needs from a PostgreSQL client. Column names are returned in camel case. Errors
 * have the SQLSTATE in `errno` and the violated constraint in `constraint`; the `code` of a lost connection begins
 * with `ERR_POSTGRES_CONNECTION_`.
 */

/** Opens a pool without connecting yet. */
export type Driver = (options: PoolOptions) => Pool;

/** `settings` are session parameters, such as `TimeZone`. */
export type PoolOptions = { url: string; size: number; settings: Record<string, string> };

/** A pool of connections, opened on demand and replaced when lost. */
export interface Pool {
  /** Runs one statement on a connection that others may share. */
  query(text: string, values: unknown[]): Statement;
  /** Reserves a connection. Rejects with the signal's reason if it is aborted first. */
  reserve(signal: AbortSignal): Promise<Connection>;
  /** Closes the pool; running statements have this many seconds to finish. */
  close(seconds: number): Promise<void>;
}

/** A pending result. When cancelled, it rejects at once, even if the server does not respond. */
export interface Statement extends PromiseLike<unknown[]> {
  cancel(): void;
}

/** A reserved connection. */
export interface Connection {
  /** Sends a statement at once (pipelined), without waiting for the results of earlier ones. */
  query(text: string, values: unknown[]): PromiseLike<unknown[]>;
  /** Returns the connection to the pool. */
  release(): void;
  /** Closes the connection at once, even in the middle of a statement. */
  close(): void;
}

/** Converts a column name to a property name: camel case, without pgtyped's nullability marks `!` and `?`. */
export const toCamelCase = (column: string): string =>
  column.replace(/[!?]$/, "").replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
