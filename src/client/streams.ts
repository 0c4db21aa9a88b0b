import { type Environment, notify } from "./environment.ts";
import { type NotificationEvent, openStream, type StreamStatus } from "./notifications.ts";
import type { Requests } from "./requests.ts";
import type { SessionKeeper } from "./session.ts";

/** Callbacks of a stream, and the signal that ends it. */
export type StreamOptions = {
  readonly onUnreadCount?: (count: number) => void;
  readonly onNotification?: (id: string) => void;
  readonly onStatus?: (status: StreamStatus) => void;
  readonly signal?: AbortSignal;
};

/** A live stream. It reconnects by itself until it is closed, and any number of readers can iterate over it. */
export type NotificationStream = AsyncIterable<NotificationEvent> & {
  /** Ends the stream and its iterators. Throws nothing. */
  readonly close: () => void;
};

/**
 * The maximum number of events buffered for an iterator that is not read. Nothing is lost, because the list
 * contains all notifications.
 */
const MAX_WAITING = 100;

type Listener = (event: NotificationEvent) => void;

/** The streams of one client. They share one connection, because a user may have only ten, and browsers allow few. */
export function createStreams(environment: Environment, session: SessionKeeper, requests: Requests) {
  const listeners = new Set<Listener>();
  /** The latest status and unread count. A listener that is added later gets them first. */
  let latest: NotificationEvent[] = [];
  let closeConnection: (() => void) | null = null;

  function broadcast(event: NotificationEvent) {
    if (event.type !== "notification") latest = [...latest.filter(({ type }) => type !== event.type), event];
    if (event.type === "status" && event.status === "ended") closeConnection = null;
    for (const listener of [...listeners]) listener(event);
  }

  return function stream({
    onUnreadCount,
    onNotification,
    onStatus,
    signal,
  }: StreamOptions = {}): NotificationStream {
    const readers = new Set<Listener>();
    const closing = new AbortController();
    /** Whether this stream was added to a connection that was already open. */
    let joined = false;

    function listen(event: NotificationEvent) {
      notify(() => {
        if (event.type === "unread-count") onUnreadCount?.(event.count);
        if (event.type === "notification") onNotification?.(event.id);
        if (event.type === "status") onStatus?.(event.status);
      });
      for (const reader of [...readers]) reader(event);
      if (event.type !== "status" || event.status !== "ended") return;
      // Runs when the session ends, and when `close` below is called.
      listeners.delete(listen);
      closing.abort();
      signal?.removeEventListener("abort", close);
    }

    function close() {
      if (closing.signal.aborted) return;
      const isLast = listeners.has(listen) && listeners.size === 1;
      if (isLast && closeConnection !== null) closeConnection();
      else listen({ type: "status", status: "ended" });
    }

    signal?.addEventListener("abort", close);
    if (signal?.aborted) close();
    else {
      listeners.add(listen);
      joined = closeConnection !== null;
      if (joined) for (const event of latest) listen(event);
      else {
        latest = [];
        closeConnection = openStream(environment, session, requests, broadcast);
      }
    }
    return {
      close,
      [Symbol.asyncIterator]: () => iterate(readers, joined ? latest : [], close, closing.signal),
    };
  };
}

/**
 * Returns an iterator over the known unread count and all later events. Of several buffered counts, only the latest
 * is kept.
 */
function iterate(
  readers: Set<Listener>,
  latest: readonly NotificationEvent[],
  close: () => void,
  closing: AbortSignal,
): AsyncIterator<NotificationEvent, void, undefined> {
  const waiting = latest.filter(({ type }) => type === "unread-count");
  let resume = () => {};
  const read = (event: NotificationEvent) => {
    if (event.type === "unread-count" && waiting.at(-1)?.type === "unread-count") waiting.pop();
    waiting.push(event);
    if (waiting.length > MAX_WAITING) waiting.shift();
    resume();
  };
  readers.add(read);
  closing.addEventListener("abort", () => resume());
  return {
    async next() {
      while (waiting.length === 0) {
        if (closing.aborted) return { done: true, value: undefined };
        await new Promise<void>((resolve) => {
          resume = resolve;
        });
      }
      return { done: false, value: waiting.shift() as NotificationEvent };
    },
    async return() {
      readers.delete(read);
      close();
      return { done: true, value: undefined };
    },
  };
}
