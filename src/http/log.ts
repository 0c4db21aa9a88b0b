import { destination, type Logger, pino } from "pino";

/**
 * Structured logs, one JSON object a line, on standard output. Nothing secret is ever handed to it: request
 * lines carry no headers and no bodies, and `token` values of the query are masked.
 */
export function createLogger(level: string): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    // Written in batches: a line a request would otherwise be a system call a request.
    destination({ sync: false, minLength: 4096, periodicFlush: 500 }),
  );
}

/** The path and query of a URL as logs may show it: secrets of the query masked. */
export function loggableUrl(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  const path = start < 0 ? "/" : url.slice(start);
  return path.includes("?")
    ? path.replace(/([?&][^=&]*(?:token|code|state|secret|password)[^=&]*=)[^&]*/gi, "$1…")
    : path;
}
