import { backoff, type Environment, pause } from "./environment.ts";
import { isApiError } from "./errors.ts";
import { readEvents } from "./event-stream.ts";
import { isUnauthenticated, type Requests } from "./requests.ts";
import type { SessionKeeper } from "./session.ts";

/**
 * An event of a notification stream: the unread count, a new notification, or a change of the connection's status.
 */
export type NotificationEvent =
  | { readonly type: "unread-count"; readonly count: number }
  | { readonly type: "notification"; readonly id: string }
  | { readonly type: "status"; readonly status: StreamStatus };

/**
 * The status of the connection.
 * - `down`: not connected. Also if the service has no streams (501), in which case the count is polled once a
 *   minute.
 * - `ended`: closed permanently.
 */
export type StreamStatus = "connecting" | "open" | "down" | "ended";

const STREAM = "GET /api/notifications/stream";
const COUNT = "GET /api/notifications/unread-count";
/**
 * The timeout for silence: a heartbeat is sent every 25 seconds (rules 17.7), so a connection that is silent for
 * longer is broken.
 */
const SILENCE_MS = 60_000;
const POLL_MS = 60_000;
/** After a connection of this duration, the backoff starts again. */
const STABLE_MS = 60_000;
/**
 * The minimum remaining lifetime of the token when the stream connects. If the token expires sooner, this counts as
 * a failure, because clocks that differ could otherwise cause a reconnect storm.
 */
const LEAST_MS = 1_000;
/**
 * The time after which a hidden page closes its stream: a user may have ten streams, and browsers allow few
 * connections.
 */
const HIDDEN_MS = 20_000;
/** The timer of a hidden page. It is stopped when the page becomes visible. */
const LONG_MS = 3_600_000;

/**
 * Subscribes to the user's notifications until the subscription is closed or the session ends. Returns the function
 * that closes it.
 */
export function openStream(
  environment: Environment,
  session: SessionKeeper,
  { authorized, once, request }: Requests,
  emit: (event: NotificationEvent) => void,
): () => void {
  const { monotonic, wall, after } = environment;
  const closing = new AbortController();
  let status: StreamStatus | null = null;
  /** Aborts the current connection, or the pause before the next connection. */
  let current = new AbortController();
  let heardAt = 0;
  let openedAt: number | null = null;
  /** The access token that opened the current connection. */
  let used: string | null = null;
  /** The pause that the service requested by `Retry-After`. */
  let askedMs = 0;
  /** Whether the service has no streams (501), so that the unread count is polled. */
  let isWithout = false;

  function become(next: StreamStatus) {
    if (status === next) return;
    status = next;
    emit({ type: "status", status });
  }

  /** Reads the stream to its end. Returns whether it ended because the token expired. */
  async function readOnce(attempt: AbortController): Promise<boolean> {
    let dead = () => {};
    const heard = () => {
      heardAt = wall();
      dead();
      dead = after(SILENCE_MS, () => attempt.abort());
    };
    try {
      heard();
      const { body } = await authorized((token) => {
        used = token;
        return once(STREAM, { signal: attempt.signal }, token, async (response) => response);
      });
      if (body === null) return false;
      openedAt = monotonic();
      become("open");
      for await (const { event, data } of readEvents(body, heard)) {
        if (event === "token-expired") return true;
        if (event === "unread-count") emit({ type: event, count: data.count });
        if (event === "notification") emit({ type: event, id: data.id });
      }
      return false;
    } finally {
      dead();
    }
  }

  /** Connects and reads until the connection ends. Returns whether to reconnect without waiting. */
  async function connect(attempt: AbortController): Promise<boolean> {
    openedAt = null;
    askedMs = 0;
    try {
      const isExpired = await readOnce(attempt);
      // A token that the service considers expired is not used again, even if it is valid by the local clock.
      if (isExpired && used !== null) await session.another(used);
      return isExpired && livedFor() > LEAST_MS;
    } catch (error) {
      if (isApiError(error)) {
        if (error.status === 501) isWithout = true;
        askedMs = (error.retryAfter ?? 0) * 1000;
      }
      // The renewed token was rejected too.
      if (isUnauthenticated(error) && used !== null) session.refused(used);
      return false;
    }
  }

  async function run() {
    become("connecting");
    for (let step = 0; !closing.signal.aborted; ) {
      current = new AbortController();
      if (!environment.isVisible() || isWithout) {
        become("down");
        await pause(environment, LONG_MS, current.signal);
        isWithout = false;
        step = 0;
        continue;
      }
      const isToGoOn = await connect(current);
      if (session.get().status === "signed-out") return close();
      if (isToGoOn || livedFor() > STABLE_MS) step = 0;
      if (isToGoOn || closing.signal.aborted) continue;
      become("down");
      if (isWithout) {
        void askCount();
        continue;
      }
      current = new AbortController();
      await pause(environment, Math.max(backoff(environment, step), askedMs), current.signal);
      // If the pause was ended early, the backoff starts again from its first step.
      step = current.signal.aborted ? 0 : Math.min(step + 1, 5);
    }
  }

  const livedFor = () => (openedAt === null ? 0 : monotonic() - openedAt);

  let stopHiding = () => {};
  const forgetPage = environment.onPageChange((restored) => {
    stopHiding();
    if (!environment.isVisible()) stopHiding = after(HIDDEN_MS, () => current.abort());
    // Timers stop while a machine sleeps. After that, a connection that was silent for too long is broken, and no
    // pause continues.
    else if (restored || status !== "open" || wall() - heardAt > SILENCE_MS) current.abort();
  });
  let user = userOf(session);
  const forgetSession = session.subscribe(() => {
    const before = user;
    user = userOf(session);
    if (session.get().status === "signed-out") close();
    // The connection is closed. Otherwise it would continue with the permissions of the previous user.
    else if (before !== null && user !== before) current.abort();
  });

  let stopPolling = () => {};
  function poll() {
    stopPolling = after(POLL_MS, () => {
      if (status !== "down") return poll();
      void askCount().finally(() => closing.signal.aborted || poll());
    });
  }
  const askCount = () =>
    request(COUNT, { signal: closing.signal })
      .then(({ count }) => emit({ type: "unread-count", count }))
      .catch(() => {});

  function close() {
    if (closing.signal.aborted) return;
    closing.abort();
    current.abort();
    for (const stop of [stopHiding, stopPolling, forgetPage, forgetSession]) stop();
    become("ended");
  }

  poll();
  void run();
  return close;
}

function userOf({ get }: SessionKeeper): string | null {
  const now = get();
  return now.status === "signed-in" ? now.userId : null;
}
