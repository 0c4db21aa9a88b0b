import { isRefusedByPooler, withHint } from "../platform/db/failures.ts";
import { readDatabaseConfig } from "./config.ts";

/** The names of socket and driver errors that mean that no server responds. */
const AWAY = /^(ECONN|ENOTFOUND|EAI_|EHOST|ENET|ETIMEDOUT|ERR_POSTGRES_CONNECTION_)/;
const SQLSTATE = /^[0-9A-Z]{5}$/;
const UNDEFINED_TABLE = "42P01";

/**
 * Runs a command; returns its exit code, 0 by default. An error that the operator can fix, such as the usage text, is
 * printed on standard error; a programming error keeps its stack trace.
 */
export async function runCommand(run: () => Promise<number> | Promise<void>): Promise<number> {
  try {
    return (await run()) ?? 0;
  } catch (error) {
    const sentence = sentenceOf(rootOf(error));
    if (sentence === null) throw error;
    console.error(sentence);
    return 1;
  }
}

/** Returns a configuration that was read. @throws Error that lists its problems */
export function needed<Config extends object>({
  config,
  problems,
}: {
  config: Config | null;
  problems: string[] | null;
}): Config {
  if (config === null) throw new Error(problems?.join("\n"));
  return config;
}

/** Returns the cause of an error that says only that the database is unavailable. */
function rootOf(error: unknown): unknown {
  const { cause, code } = (error ?? {}) as { cause?: unknown; code?: unknown };
  return cause instanceof Error && code === "SERVICE_UNAVAILABLE" ? rootOf(cause) : error;
}

function sentenceOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if (isRefusedByPooler(error)) return (withHint(error) as Error).message;
  const { code, errno } = error as { code?: unknown; errno?: unknown };
  const codes = [errno, code].filter((one): one is string => typeof one === "string");
  const place = placeOfDatabase();
  if (codes.some((one) => AWAY.test(one))) return `${place} cannot be reached: ${codes.join(" ")}`;
  if (codes.includes(UNDEFINED_TABLE)) return `${place} is not migrated: run "bun run migrate"`;
  if (codes.some((one) => SQLSTATE.test(one)) || error.message.startsWith("SASL"))
    return `${place} refused: ${error.message}`;
  // The service's own error messages are plain errors. A programming error is a TypeError or similar.
  return error.constructor === Error ? error.message : null;
}

/** Returns a URL without user and password. */
function placeOfDatabase(): string {
  const { config } = readDatabaseConfig(process.env);
  if (config === null || !URL.canParse(config.listenUrl)) return "The database";
  const { hostname, port, pathname } = new URL(config.listenUrl);
  return `The database ${pathname.slice(1)} at ${hostname || "this machine"}:${port || 5432}`;
}
