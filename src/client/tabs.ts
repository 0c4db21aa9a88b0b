import { type Environment, pause } from "./environment.ts";

/**
 * What produced a new access token: a refresh, or the start or switch of a session (`session`). Other tabs compare
 * it, so that the token of a refresh does not replace the token of a concurrent sign-in or switch.
 */
export type Cause = "refresh" | "session";

/**
 * The reasons for which a session ends: the service ended it, which all tabs of the browser are told, or the user
 * signed out in this tab or another one.
 */
export type SignedOutReason = "ended" | "signed-out" | "signed-out-elsewhere";

type Message = { readonly from: string } & (
  | { readonly kind: "ask" }
  | { readonly kind: "begin"; readonly exclusive: boolean }
  | { readonly kind: "end" }
  | { readonly kind: "token"; readonly token: string; readonly cause: Cause; readonly at: number }
  | { readonly kind: "signed-out"; readonly reason: SignedOutReason }
);
type TabEvents = {
  readonly onToken: (token: string, cause: Cause, at: number) => void;
  readonly onSignedOut: (reason: SignedOutReason) => void;
};

export type Tabs = ReturnType<typeof createTabs>;

/**
 * The time after which an announcement of another tab expires: the tab may have been closed or frozen, and must not
 * block others.
 */
const ANNOUNCEMENT_TTL_MS = 10_000;
/** The wait for replies. It is long enough for a message to the other tabs and the reply of an idle tab. */
const PROPAGATION_MS = 50;
const ANSWERED_MS = 20;

/**
 * Coordinates the tabs with the same cookies. They share new tokens, and announce requests that use the cookie.
 * - Every refresh must have ended before a request that ends or switches the session is sent. Otherwise a late
 *   refresh would arrive with a cookie whose successor was used, which the service treats as token reuse (rules
 *   5.8).
 * - The announcements are advisory, not a lock: every wait ends after a few seconds.
 */
export function createTabs(environment: Environment, { onToken, onSignedOut }: TabEvents) {
  const { channel, monotonic } = environment;
  // `crypto.randomUUID` is not available on pages without TLS.
  const id = `${Math.random()}`;
  /**
   * The requests with the cookie that other tabs have announced, with the time at which each announcement expires.
   */
  const others = new Map<string, { exclusive: boolean; until: number }>();
  let waiters: (() => void)[] = [];
  /** The request with the cookie that this tab has announced. */
  let own: { readonly exclusive: boolean } | null = null;
  /** Whether this tab must still ask the others for their announcements, because it did not receive earlier ones. */
  let isNew = channel !== null;

  if (channel !== null)
    channel.onmessage = ({ data }: { data: Message }) => {
      if (data.kind === "ask" && own !== null) post({ kind: "begin", ...own });
      if (data.kind === "begin")
        others.set(data.from, { exclusive: data.exclusive, until: monotonic() + ANNOUNCEMENT_TTL_MS });
      if (data.kind === "end") others.delete(data.from);
      if (data.kind === "token") onToken(data.token, data.cause, data.at);
      if (data.kind === "signed-out") onSignedOut(data.reason);
      const resumable = waiters;
      waiters = [];
      for (const resume of resumable) resume();
    };
  const post = (message: DistributiveOmit<Message, "from">) => channel?.postMessage({ ...message, from: id });

  /** Waits until no other tab has a conflicting announcement, or until the maximum wait is over. */
  async function waitForOtherTabs(matters: (exclusive: boolean, other: string) => boolean) {
    const last = monotonic() + ANNOUNCEMENT_TTL_MS;
    for (;;) {
      const ends = [...others]
        .filter(([other, { exclusive }]) => matters(exclusive, other))
        .map(([, { until }]) => until);
      const rest = Math.min(last, Math.max(...ends)) - monotonic();
      if (!(rest > 0)) return;
      const resumed = new AbortController();
      waiters.push(() => resumed.abort());
      await pause(environment, rest, resumed.signal);
    }
  }

  const begin = (exclusive: boolean) => {
    own = { exclusive };
    post({ kind: "begin", exclusive });
    return () => {
      own = null;
      post({ kind: "end" });
    };
  };

  return {
    /**
     * Waits for other tabs that refresh or change the session, and then announces a refresh. Returns a function
     * that ends the announcement.
     */
    async beginRefresh(isDone: () => boolean): Promise<(() => void) | null> {
      if (isNew) {
        isNew = false;
        post({ kind: "ask" });
        await pause(environment, ANSWERED_MS);
      }
      await waitForOtherTabs(() => !isDone());
      return isDone() ? null : begin(false);
    },
    /**
     * Waits for refreshes of other tabs, and then announces a change of the session, which must not overlap with a
     * refresh.
     */
    async acquireExclusive(): Promise<() => void> {
      await waitForOtherTabs((exclusive) => exclusive);
      const end = begin(true);
      if (channel !== null) await pause(environment, PROPAGATION_MS);
      // If two tabs announced before they received each other's message, the tab with the smaller id goes first.
      await waitForOtherTabs((exclusive, other) => !exclusive || other < id);
      return end;
    },
    /** Sends a message to the other tabs. */
    post,
    close: () => channel?.close(),
  };
}

type DistributiveOmit<Type, Key extends PropertyKey> = Type extends unknown ? Omit<Type, Key> : never;
