/** The error message if a direct connection is needed, but a pooler in transaction mode is used. */
const SENTENCE =
  "DATABASE_URL leads to a pooler, which refuses or drops settings of connections: set DATABASE_LISTEN_URL to the address of PostgreSQL itself";
const CODE = "POOLER_WITHOUT_DIRECT_URL";

/** The error message of PgBouncer for session settings that it does not track. */
const REFUSED = /unsupported startup parameter/;

const messageOf = (error: unknown) => (error instanceof Error ? error.message : "");

/** Whether a pooler has refused the settings of a connection. */
export const isRefusedByPooler = (error: unknown): boolean =>
  REFUSED.test(messageOf(error)) || (error as { code?: unknown } | null)?.code === CODE;

/** Converts a pooler's refusal to an error that says what to do. Returns every other error unchanged. */
export const withHint = (error: unknown): unknown =>
  REFUSED.test(messageOf(error)) ? poolerError(error) : error;

export const poolerError = (cause?: unknown) => Object.assign(new Error(SENTENCE, { cause }), { code: CODE });
