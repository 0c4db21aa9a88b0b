import type { Logger } from "#kit";
import { LIMITS } from "./limits.ts";
import type { NotificationStreamEvent } from "./stream-events.ts";
import type { Timing } from "./timing.ts";

declare module "../../core/context.ts" {
  interface App {
    readonly streams: Streams;
  }
}

/**
 * The maximum number of events that wait for a slow reader. Beyond it the stream is closed; after reconnecting, the
 * client loads what it missed. A change causes one or two events. They are counted, because measuring their size
 * would need more memory than the rest of a stream.
 */
const MAX_UNREAD_PIECES = 200;

/** The open notification streams of this instance. */
export interface Streams {
  /**
   * Opens a stream for a user until the token expires (`exp`, in seconds since 1970), with `organizationId` only for
   * notifications about that organization. Returns null if the user already has ten streams.
   */
  open(userId: string, exp: number, organizationId?: string | null): ReadableStream<Uint8Array> | null;
  /** Handles a message of the change feed: one line per user, with the id of a new notification if there is one. */
  onChange(payload: string): void;
  /**
   * Sends the current unread count to all streams, because changes may have been missed while the change feed was
   * disconnected.
   */
  refreshAll(): void;
  /** Returns the number of open streams. */
  size(): number;
  /**
   * Ends every stream at a random time within `withinMs`, so that the clients do not all reconnect at once. Streams
   * that are opened later end at once.
   */
  stop(withinMs?: number): void;
}

/** The functions of the service that the streams use. */
export type StreamOptions = {
  /** Returns the unread counts of these users. Users without unread notifications may be missing. */
  count: (userIds: string[]) => Promise<Map<string, number>>;
  /** Returns the unread count about one organization, and those of the ids that are about it. */
  countIn: (place: { userId: string; organizationId: string; ids: string[] }) => Promise<{
    count: number;
    ids: string[];
  }>;
  log: Logger;
  timing: Timing;
  /** Called for each stream that this instance ends, with the reason. */
  onDrop?: (reason: DropReason) => void;
};

type DropReason = "expired" | "slow" | "gone" | "stopping";

type Reader = {
  userId: string;
  /** The organization that the reader's session is confined to; null if none. */
  organizationId: string | null;
  /** New notifications that may be about this organization. */
  waiting: string[];
  controller: ReadableStreamDefaultController<Uint8Array>;
  /** Ends the stream when its token has expired, or when the instance stops. */
  ending: Timer | null;
  /** When that is, on the clock of `performance.now()`. */
  endsAt: number;
};

const encoder = new TextEncoder();
const text = ({ event, data }: NotificationStreamEvent) =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
const frame = (event: NotificationStreamEvent) => encoder.encode(text(event));
const TOKEN_EXPIRED = frame({ event: "token-expired", data: {} });
const HEARTBEAT = encoder.encode(": heartbeat\n\n");
/**
 * The first bytes of a stream. They are sent at once, so that the client gets the response headers before the first
 * count.
 */
const CONNECTED = encoder.encode(": connected\n\n");

/**
 * Creates the notification streams of an instance. One timer sends the heartbeats of all streams. Changes are collected
 * for a moment, so that one query counts the unread notifications of all affected users.
 */
export function createStreams({ count, countIn, log, timing, onDrop = () => {} }: StreamOptions): Streams {
  const readers = new Map<string, Set<Reader>>();
  const changed = new Set<string>();
  let gathering: Timer | null = null;
  let countedAt = Number.NEGATIVE_INFINITY;
  let isStopped = false;

  const readersOf = (userId: string) => [...(readers.get(userId) ?? [])];
  const everyReader = () => [...readers.keys()].flatMap(readersOf);
  const heartbeat = setInterval(() => {
    for (const reader of everyReader()) send(reader, HEARTBEAT);
  }, timing.heartbeatMs);
  heartbeat.unref();

  function send(reader: Reader, bytes: Uint8Array) {
    try {
      reader.controller.enqueue(bytes);
      if ((reader.controller.desiredSize ?? 0) < 0) drop(reader);
    } catch (err) {
      log.warn("event not sent", { err });
      forget(reader);
      onDrop("gone");
    }
  }

  /** Ends a stream that the client does not read, and discards its waiting events. */
  function drop(reader: Reader) {
    forget(reader);
    onDrop("slow");
    reader.controller.error(new Error("The reader is too slow"));
  }

  function close(reader: Reader, reason: DropReason) {
    forget(reader);
    onDrop(reason);
    try {
      reader.controller.close();
    } catch {
      // Ignored: the stream was already closed.
    }
  }

  function forget(reader: Reader) {
    if (reader.ending !== null) clearTimeout(reader.ending);
    const ofUser = readers.get(reader.userId);
    ofUser?.delete(reader);
    if (ofUser?.size === 0) readers.delete(reader.userId);
  }

  function scheduleCount(userId: string) {
    if (!readers.has(userId)) return;
    changed.add(userId);
    gather();
  }

  function gather() {
    if (gathering !== null) return;
    const wait = Math.max(timing.debounceMs, countedAt + timing.betweenCountsMs - performance.now());
    gathering = setTimeout(sendCounts, wait);
  }

  async function sendCounts() {
    // Users whose streams were closed meanwhile need no unread count.
    const userIds = [...changed].filter((userId) => readers.has(userId));
    changed.clear();
    try {
      const counts = userIds.length === 0 ? new Map() : await count(userIds);
      for (const userId of userIds) {
        const bytes = frame({ event: "unread-count", data: { count: counts.get(userId) ?? 0 } });
        for (const reader of readersOf(userId)) {
          if (reader.organizationId === null) send(reader, bytes);
          else await sendConfined(reader, reader.organizationId);
        }
      }
    } catch (err) {
      // A count that failed is not repeated: the next change, or the next connection of the change feed, sends a
      // new count.
      log.error("unread notifications not counted", { err });
    }
    countedAt = performance.now();
    gathering = null;
    if (changed.size > 0) gather();
  }

  async function sendConfined(reader: Reader, organizationId: string) {
    const waiting = reader.waiting.splice(0);
    const { count, ids } = await countIn({ userId: reader.userId, organizationId, ids: waiting });
    for (const id of ids) send(reader, frame({ event: "notification", data: { id } }));
    send(reader, frame({ event: "unread-count", data: { count } }));
  }

  /** Ends a stream after a time, unless it ends earlier anyway. */
  function endAfter(reader: Reader, ms: number, reason: "expired" | "stopping") {
    const endsAt = performance.now() + ms;
    if (endsAt >= reader.endsAt) return;
    if (reader.ending !== null) clearTimeout(reader.ending);
    reader.endsAt = endsAt;
    reader.ending = setTimeout(() => {
      if (reason === "expired") send(reader, TOKEN_EXPIRED);
      close(reader, reason);
    }, ms);
    reader.ending.unref();
  }

  return {
    open(userId, exp, organizationId = null) {
      const ofUser = readers.get(userId) ?? new Set();
      if (ofUser.size >= LIMITS.streams.levels.user.max) return null;
      let reader: Reader | null = null;
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            if (isStopped) {
              controller.close();
              return;
            }
            reader = { userId, organizationId, waiting: [], controller, ending: null, endsAt: Infinity };
            readers.set(userId, ofUser.add(reader));
            controller.enqueue(CONNECTED);
            const endsAt = exp * 1000 + timing.afterExpiryMs;
            endAfter(reader, Math.max(0, endsAt - Date.now()), "expired");
            scheduleCount(userId);
          },
          cancel() {
            if (reader !== null) forget(reader);
          },
        },
        { highWaterMark: MAX_UNREAD_PIECES },
      );
    },
    onChange(payload) {
      const changes = payload.split("\n").map((line) => line.split(" "));
      for (const [userId = "", ofUser] of Map.groupBy(changes, ([id]) => id)) {
        const ids = ofUser.flatMap(([, id]) => id ?? []);
        if (ids.length > 0) {
          const bytes = encoder.encode(
            ids.map((id) => text({ event: "notification", data: { id } })).join(""),
          );
          for (const reader of readersOf(userId)) {
            if (reader.organizationId === null) send(reader, bytes);
            else reader.waiting.push(...ids.slice(0, MAX_UNREAD_PIECES - reader.waiting.length));
          }
        }
        scheduleCount(userId);
      }
    },
    size: () => everyReader().length,
    refreshAll() {
      for (const userId of readers.keys()) scheduleCount(userId);
    },
    stop(withinMs = 0) {
      isStopped = true;
      clearInterval(heartbeat);
      for (const reader of everyReader()) {
        if (withinMs === 0) close(reader, "stopping");
        else endAfter(reader, Math.random() * withinMs, "stopping");
      }
    },
  };
}
