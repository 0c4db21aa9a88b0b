const FLUSH_MS = 250;
const BUFFER_BYTES = 64 * 1024;
/**
 * The maximum number of unwritten characters. Above it, log lines are dropped: a blocked reader must not exhaust
 * the service's memory.
 */
const MAX_WAITING_CHARACTERS = 16_000_000;

/** The destination of log lines. They are written in batches, at most a quarter of a second late. */
export interface LogOutput {
  write(line: string): void;
  /** Resolves when all lines written so far have been flushed. */
  flush(): Promise<void>;
}

/**
 * Writes log lines to standard output with the runtime's buffered writer. pino's writer measures its whole buffer
 * again for each line, which cost more than the rest of a small request.
 */
export function standardOutput(): LogOutput {
  const sink = Bun.stdout.writer({ highWaterMark: BUFFER_BYTES });
  let waiting = 0;
  let dropped = 0;
  let isScheduled = false;

  async function flush() {
    isScheduled = false;
    const flushed = waiting;
    await sink.flush();
    waiting -= flushed;
    if (dropped > 0) {
      sink.write(
        `${JSON.stringify({ level: "warn", msg: `${dropped} log lines were dropped, nobody read them` })}\n`,
      );
      dropped = 0;
    }
  }

  return {
    write(line) {
      if (waiting > MAX_WAITING_CHARACTERS) {
        dropped += 1;
        return;
      }
      waiting += line.length;
      sink.write(line);
      if (isScheduled) return;
      isScheduled = true;
      setTimeout(flush, FLUSH_MS);
    },
    flush,
  };
}

/** Writes each log line with `console.log`, for runtimes without standard output. */
export function consoleOutput(): LogOutput {
  return { write: (line) => console.log(line.trimEnd()), flush: async () => {} };
}
