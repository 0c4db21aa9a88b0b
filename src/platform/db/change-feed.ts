import { Socket } from "node:net";
import pg from "pg";
import type { Logger } from "../log.ts";

/** The delays between reconnection attempts; the last delay repeats (rules 17.10). */
const BACKOFF_SECONDS = [1, 2, 4, 8, 16, 30];
/** After a connection of this duration, the delays start again from the first. */
const STABLE_SECONDS = 60;
const CONNECT_SECONDS = 5;

/** The change feed: the LISTEN connection of an instance, by which it learns of changes committed by any instance. */
export interface ChangeFeed {
  isConnected(): boolean;
  /**
   * Ends the pause before the next connection attempt, if there is one. Resolves when that attempt has ended;
   * returns whether it connected.
   */
  connectNow(): Promise<boolean>;
  stop(): Promise<void>;
}

type Options = {
  url: string;
  /** The channels to listen on, each with the function that is called for a payload. */
  channels: Record<string, (payload: string) => void>;
  log: Logger;
  /** Called when the change feed has connected again. Notifications that were sent in between are lost. */
  onConnect: () => void;
  /** Called when the change feed has lost its connection. */
  onLost?: () => void;
  /**
   * Converts the delays and timeouts of this file from seconds to milliseconds: 1,000 by default. Tests use a smaller
   * factor.
   */
  second?: number;
};

/**
 * Listens on channels as long as the process runs. Uses its own connection, which must not go through a pooler in
 * transaction mode (`DATABASE_LISTEN_URL`).
 */
export function startChangeFeed(options: Options): ChangeFeed {
  const { url, channels, log, onConnect, onLost = () => {}, second = 1_000 } = options;
  let current: Socket | null = null;
  let connectedAt: number | null = null;
  let step = 0;
  let timer: Timer | null = null;
  let attempt: Promise<void> = Promise.resolve();

  async function connect() {
    const socket = new Socket();
    const client = new pg.Client({
      connectionString: url,
      application_name: "change-feed",
      stream: () => socket,
      // Detects a server that vanished without closing the connection: while nothing changes, nothing else is sent.
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    current = socket;
    // One lost connection causes several events; only the first counts.
    const lost = (error?: unknown) => {
      if (current === socket) reconnectLater(error);
    };
    client.on("error", lost);
    client.on("end", () => lost());
    client.on("notification", ({ channel, payload }) => {
      if (current === socket) channels[channel]?.(payload ?? "");
    });
    const silence = setTimeout(() => lost(new Error("No response in time")), CONNECT_SECONDS * second);
    try {
      await client.connect();
      const listen = Object.keys(channels).map((channel) => `LISTEN ${client.escapeIdentifier(channel)}`);
      await client.query(listen.join("; "));
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
    timer = setTimeout(begin, seconds * second);
  }

  function begin() {
    timer = null;
    attempt = connect();
  }

  /** Closes the connection without a protocol message, because the server may not respond. */
  function hangUp() {
    connectedAt = null;
    current?.destroy();
    current = null;
  }

  begin();
  return {
    isConnected: () => connectedAt !== null,
    async connectNow() {
      if (timer !== null) {
        clearTimeout(timer);
        step = 0;
        begin();
      }
      await attempt;
      return connectedAt !== null;
    },
    async stop() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      hangUp();
    },
  };
}
