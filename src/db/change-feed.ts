import pg from "pg";
import type { Logger } from "pino";

/** Steps between attempts to reconnect, then the last one again and again (specification 6.2.6). */
export const BACKOFF_SECONDS = [1, 2, 4, 8, 16, 30];
/** A connection that lasted this long starts the steps anew. */
export const STABLE_SECONDS = 60;

/** The one connection by which an instance hears of changes that any instance committed. */
export interface ChangeFeed {
  isConnected(): boolean;
  stop(): Promise<void>;
}

type Options = {
  url: string;
  channel: string;
  log: Logger;
  onPayload: (payload: string) => void;
  /** Called after a connection that was lost is there again: what was announced in between is not repeated. */
  onReconnect: () => void;
};

/**
 * Listens on a channel for as long as the process lives. It has a connection of its own, which must not go
 * through a pooler in transaction mode (`DATABASE_LISTEN_URL`).
 */
export function startChangeFeed({ url, channel, log, onPayload, onReconnect }: Options): ChangeFeed {
  let client: pg.Client | null = null;
  let connectedAt: number | null = null;
  let stopped = false;
  let step = 0;
  let timer: Timer | null = null;
  let wasConnected = false;

  async function connect() {
    const attempt = new pg.Client({
      connectionString: url,
      application_name: "change-feed",
      connectionTimeoutMillis: 5_000,
      // Without traffic a peer that vanished is only noticed by probes.
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    client = attempt;
    let lost = false;
    const onceLost = (error?: unknown) => {
      if (lost || stopped) return;
      lost = true;
      attempt.removeAllListeners("notification");
      attempt.end().catch(() => {});
      reconnectLater(error);
    };
    attempt.on("error", onceLost);
    attempt.on("end", () => onceLost());
    attempt.on("notification", ({ payload }) => onPayload(payload ?? ""));
    try {
      await attempt.connect();
      await attempt.query(`LISTEN ${attempt.escapeIdentifier(channel)}`);
    } catch (error) {
      onceLost(error);
      return;
    }
    if (lost || stopped) return;
    connectedAt = performance.now();
    if (wasConnected) onReconnect();
    wasConnected = true;
  }

  function reconnectLater(error: unknown) {
    if (connectedAt !== null && performance.now() - connectedAt >= STABLE_SECONDS * 1000) step = 0;
    connectedAt = null;
    const seconds = BACKOFF_SECONDS[Math.min(step, BACKOFF_SECONDS.length - 1)] ?? 30;
    step += 1;
    log.warn({ err: error, retryInSeconds: seconds }, "change feed lost");
    timer = setTimeout(connect, seconds * 1000);
  }

  void connect();
  return {
    isConnected: () => connectedAt !== null,
    async stop() {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
      connectedAt = null;
      await client?.end().catch(() => {});
    },
  };
}
