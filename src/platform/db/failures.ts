/** The database cannot serve a request now; the same request may work later. `cause` is the reason. */
export class DatabaseUnavailable extends Error {
  constructor(cause: unknown) {
    super("The database is unavailable", { cause: withHint(cause) });
  }
}

/** Returns the error as `DatabaseUnavailable` if the same request may work later, otherwise unchanged. */
export const classified = (error: unknown): unknown =>
  !(error instanceof DatabaseUnavailable) && (isUnavailable(error) || isConflict(error))
    ? new DatabaseUnavailable(error)
    : error;

/** Classifies errors of the database. SQLSTATE is in `errno`, the client's own code in `code`. */
type Failure = { code?: unknown; errno?: unknown; constraint?: unknown };

/** Terminated by an administrator, a crash, a shutdown or an idle timeout; rejected; or a broken socket. */
const LOST = new Set(["57P01", "57P02", "57P03", "57P05", "08000", "08001", "08003", "08004", "08006"]);
/**
 * Errors of an unavailable server: its limits are reached (class 53), a timeout (57014, 55P03, 25P03, 25P04), a
 * standby (25006), or a database that does not exist yet or rejects connections.
 */
const UNABLE = new Set([
  ...["53000", "53100", "53200", "53300", "53400", "57014", "55P03", "25P03", "25P04", "25006"],
  ...["28000", "28P01", "3D000"],
]);
const DEADLOCK = "40P01";
const CONFLICT = new Set(["40001", DEADLOCK]);

/**
 * Whether the connection was lost: the server stops, a backend was terminated, a socket broke, or connecting failed.
 */
export function isConnectionLost(error: unknown): boolean {
  const { code, errno } = failure(error);
  return (
    (typeof errno === "string" && LOST.has(errno)) ||
    (typeof code === "string" && code.startsWith("ERR_POSTGRES_CONNECTION_"))
  );
}

/** Whether the database is unavailable, so that the same request may work later. */
export function isUnavailable(error: unknown): boolean {
  const { code, errno } = failure(error);
  // Statements are cancelled only by a timeout.
  const cancelled = code === "ERR_POSTGRES_QUERY_CANCELLED";
  return (
    error instanceof DatabaseUnavailable ||
    isConnectionLost(error) ||
    cancelled ||
    isRefusedByPooler(error) ||
    (typeof errno === "string" && UNABLE.has(errno))
  );
}

/** Whether two transactions conflict (deadlock or serialization failure), so that a retry may work. */
export function isConflict(error: unknown): boolean {
  const { errno } = failure(error);
  return typeof errno === "string" && CONFLICT.has(errno);
}

/** Whether the server aborted the transaction because of a deadlock. */
export const isDeadlock = (error: unknown): boolean => failure(error).errno === DEADLOCK;

/** Whether PostgreSQL rejected a value that it alone can judge, such as the name of a time zone. */
export const isInvalidParameter = (error: unknown): boolean => failure(error).errno === "22023";

/** Whether the error is that of a statement in a transaction in which an earlier statement had failed. */
export function isInFailedTransaction(error: unknown): boolean {
  return failure(error).errno === "25P02";
}

/** Returns the name of the constraint that was violated, or null. */
export function violatedConstraint(error: unknown): string | null {
  const { errno, constraint } = failure(error);
  return typeof errno === "string" && errno.startsWith("23") && typeof constraint === "string"
    ? constraint
    : null;
}

const failure = (error: unknown): Failure => (typeof error === "object" && error !== null ? error : {});

/** The error message if a direct connection is needed, but a pooler in transaction mode is used. */
const POOLER_MESSAGE =
  "DATABASE_URL leads to a pooler, which refuses or drops settings of connections: set DATABASE_LISTEN_URL to the address of PostgreSQL itself";
const POOLER_CODE = "POOLER_WITHOUT_DIRECT_URL";

/** The error message of PgBouncer for session settings that it does not track. */
const POOLER_REFUSED = /unsupported startup parameter/;

const messageOf = (error: unknown) => (error instanceof Error ? error.message : "");

/** Whether a pooler has refused the settings of a connection. */
export const isRefusedByPooler = (error: unknown): boolean =>
  POOLER_REFUSED.test(messageOf(error)) || (error as { code?: unknown } | null)?.code === POOLER_CODE;

/** Converts a pooler's refusal to an error that says what to do. Returns every other error unchanged. */
export const withHint = (error: unknown): unknown =>
  POOLER_REFUSED.test(messageOf(error)) ? poolerError(error) : error;

export const poolerError = (cause?: unknown) =>
  Object.assign(new Error(POOLER_MESSAGE, { cause }), { code: POOLER_CODE });
