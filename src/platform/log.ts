import { z } from "zod";
import { configSection } from "./environment.ts";
import type { LogOutput } from "./log-output.ts";

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export type LogConfig = { logLevel: LogLevel };

/** The configuration of the log. */
export const logConfig = configSection({
  variables: { LOG_LEVEL: z.enum(LOG_LEVELS).default("info") },
  read: (env): LogConfig => ({ logLevel: env.LOG_LEVEL }),
});

/**
 * Structured logs, one JSON object per line. They never contain secrets: request lines have no headers and no bodies,
 * and secrets in a query are masked. Implemented here, because a line of a logging library cost five times as much, a
 * third of a small request.
 */
export interface Logger {
  isEnabled(level: LogLevel): boolean;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
}

/** The fields of a log line. Of an error in `err`, only properties that cannot contain values of rows are logged. */
type Fields = { err?: unknown; [name: string]: unknown };

/** The lowest level that is written. */
export function createLogger(level: LogLevel, output: LogOutput): Logger {
  const isEnabled = (requested: LogLevel) => LOG_LEVELS.indexOf(requested) >= LOG_LEVELS.indexOf(level);
  const writer = (own: LogLevel) =>
    isEnabled(own)
      ? (msg: string, fields?: Fields) => {
          const line: Fields = { level: own, time: timeOfDay(), msg, ...fields };
          if (line.err !== undefined) line.err = describe(line.err);
          output.write(`${JSON.stringify(line)}\n`);
        }
      : () => {};
  return { isEnabled, info: writer("info"), warn: writer("warn"), error: writer("error") };
}

/** Returns a logger whose lines also have these fields; fields of a single call take precedence. */
export const withFields = (logger: Logger, fields: Fields): Logger => ({
  isEnabled: (level) => logger.isEnabled(level),
  info: (message, own) => logger.info(message, { ...fields, ...own }),
  warn: (message, own) => logger.warn(message, { ...fields, ...own }),
  error: (message, own) => logger.error(message, { ...fields, ...own }),
});

let lastMillisecond = 0;
let lastTime = "";

/**
 * Returns the current time in ISO 8601, cached per millisecond: formatting it costs as much as the rest of a log
 * line.
 */
function timeOfDay(): string {
  const now = Date.now();
  if (now !== lastMillisecond) {
    lastMillisecond = now;
    lastTime = new Date(now).toISOString();
  }
  return lastTime;
}

/** PostgreSQL's `detail` and `where` are left out, because they contain values of rows. */
function describe(err: unknown) {
  if (typeof err !== "object" || err === null) return { message: String(err) };
  const { name, stack, cause } = err as Partial<Error>;
  const { constraint, responseCode, command } = err as Record<string, unknown>;
  return {
    ...{ type: name, ...inShort(err), constraint, responseCode, command },
    ...(typeof cause === "object" && cause !== null && { cause: inShort(cause) }),
    stack,
  };
}

function inShort(err: object) {
  const { message, code, errno } = err as Record<string, unknown>;
  return { message, code, errno };
}
