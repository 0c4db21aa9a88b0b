/**
 * What `connection.ts` needs of a client of PostgreSQL. Rows come back with columns in camel case. Errors have the SQLSTATE
 * in `errno` and the violated constraint in `constraint`; the `code` of a lost connection begins with
 * `ERR_POSTGRES_CONNECTION_`.
 */

/** Opens a pool without connecting yet. */
export type Driver = (options: PoolOptions) => Pool;

/** `settings` are those of the session, such as `TimeZone`. */
export type PoolOptions = { url: string; size: number; settings: Record<string, string> };

/** Connections, made when they are needed and replaced when they are lost. */
export interface Pool {
  /** Runs one statement on a connection that it may share with others. */
  query(text: string, values: unknown[]): Statement;
  /** A connection for one user alone. Rejects with the signal's reason when that aborts first. */
  reserve(signal: AbortSignal): Promise<Connection>;
  /** Lets what runs end for so many seconds. */
  close(seconds: number): Promise<void>;
}

/** Rows to come. Cancelled, it rejects at once, though the server may be silent. */
export interface Statement extends PromiseLike<unknown[]> {
  cancel(): void;
}

/** A reserved connection. */
export interface Connection {
  /** Sends a statement at once, behind those that were sent before, whether they have been answered or not. */
  query(text: string, values: unknown[]): PromiseLike<unknown[]>;
  /** Gives it back to the pool. */
  release(): void;
  /** Ends it at once, whatever it is doing. */
  close(): void;
}

/** The property that a column becomes: in camel case, without the `!` and `?` by which queries tell pgtyped about nulls. */
export const propertyOf = (column: string): string =>
  column.replace(/[!?]$/, "").replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
