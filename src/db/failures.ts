/** Tells the ways apart in which the database fails. SQLSTATE is in `errno`, Bun's own code in `code`. */
type Failure = { code?: unknown; errno?: unknown; constraint?: unknown };

const LOST = new Set(["57P01", "57P02", "57P03", "08000", "08003", "08006", "08001", "08004"]);
const CROWDED = new Set(["53000", "53100", "53200", "53300", "53400", "57014"]);
const CONFLICT = new Set(["40001", "40P01"]);

/** The connection went away: the server stops, a backend was terminated, a socket broke, or none could be made. */
export function isConnectionLost(error: unknown): boolean {
  const { code, errno } = failure(error);
  if (typeof errno === "string" && LOST.has(errno)) return true;
  return (
    typeof code === "string" && /^ERR_POSTGRES_(CONNECTION|LIFETIME|IDLE)|^ECONN|^EPIPE|^ENOENT/.test(code)
  );
}

/** The database cannot serve now: a lost connection, a cancelled wait, or a server at its limits. */
export function isOutOfReach(error: unknown): boolean {
  const { code, errno } = failure(error);
  return (
    isConnectionLost(error) ||
    (typeof errno === "string" && CROWDED.has(errno)) ||
    code === "ERR_POSTGRES_QUERY_CANCELLED" ||
    code === "ERR_POSTGRES_INVALID_TRANSACTION_STATE"
  );
}

/** Two transactions could not both go on (a deadlock, or a failed serialization); trying again may work. */
export function isConflict(error: unknown): boolean {
  const { errno } = failure(error);
  return typeof errno === "string" && CONFLICT.has(errno);
}

/** The name of the constraint that was violated, or null. */
export function violatedConstraint(error: unknown): string | null {
  const { errno, constraint } = failure(error);
  return typeof errno === "string" && errno.startsWith("23") && typeof constraint === "string"
    ? constraint
    : null;
}

const failure = (error: unknown): Failure => (typeof error === "object" && error !== null ? error : {});
