import { Socket } from "node:net";
import pg from "pg";
import type { Logger } from "../log.ts";

/** Steps between attempts to reconnect, then the last one again and again (rules 17.10). */
const BACKOFF_SECONDS = [1, 2, 4, 8, 16, 30];
/** A connection that lasted this long starts the steps anew. */
const STABLE_SECONDS = 60;
const CONNECT_SECONDS = 5;

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
  /** Called when there is a connection after there was none: what was announced meanwhile is not repeated. */
  onConnect: () => void;
  /** Called when a connection that there was is lost. */
  onLost?: () => void;
  /** How long a second lasts, in milliseconds; tests make it shorter. */
  second?: number;
};

/**
 * Listens on a channel for as long as the process lives. It has a connection of its own, which must not go
 * through a pooler in transaction mode (`DATABASE_LISTEN_URL`).
 */
export function startChangeFeed(options: Options): ChangeFeed {
  const { url, channel, log, onPayload, onConnect, onLost = () => {}, second = 1_000 } = options;
  let current: Socket | null = null;
  let connectedAt: number | null = null;
  let step = 0;
  let timer: Timer | null = null;

  async function connect() {
    const socket = new Socket();
    const client = new pg.Client({
      connectionString: url,
      application_name: "change-feed",
      stream: () => socket,
      // Without traffic a peer that vanished is only noticed by probes.
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    current = socket;
    // One loss shows by several signs: the first one counts.
    const lost = (error?: unknown) => {
      if (current === socket) reconnectLater(error);
    };
    client.on("error", lost);
    client.on("end", () => lost());
    client.on("notification", ({ payload }) => {
      if (current === socket) onPayload(payload ?? "");
    });
    const silence = setTimeout(() => lost(new Error("No answer in time")), CONNECT_SECONDS * second);
    try {
      await client.connect();
      await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
    } catch (error) {
      lost(error);
    } finally {
      clearTimeout(silence);
    }
    if (current !== socket) return;
    connectedAt = performance.now();
    onConnect();
  }

  function reconnectLater(error: unknown) {
    if (connectedAt !== null && performance.now() - connectedAt >= STABLE_SECONDS * second) step = 0;
    if (connectedAt !== null) onLost();
    hangUp();
    const seconds = BACKOFF_SECONDS[Math.min(step, BACKOFF_SECONDS.length - 1)] ?? 30;
    step += 1;
    log.warn("change feed lost", { err: error, retryInSeconds: seconds });
    timer = setTimeout(connect, seconds * second);
  }

  /** Without a goodbye: the peer may be silent. */
  function hangUp() {
    connectedAt = null;
    current?.destroy();
    current = null;
  }

  void connect();
  return {
    isConnected: () => connectedAt !== null,
    async stop() {
      if (timer !== null) clearTimeout(timer);
      hangUp();
    },
  };
}
