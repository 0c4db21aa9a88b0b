import { type AccessToken, type Claims, readToken } from "./claims.ts";
import { backoff, type Environment, notify, pause } from "./environment.ts";
import { ApiError, type ConnectionError } from "./errors.ts";
import { isTransient, send } from "./http.ts";
import { type Cause, createTabs, type SignedOutReason } from "./tabs.ts";

/** Who is signed in. `loading` until the first refresh has got a response. */
export type Session =
  | {
      readonly status: "loading";
      /** The error for which the first refresh is being retried; null if there is none. */
      readonly problem: ApiError | ConnectionError | null;
    }
  | { readonly status: "signed-out" }
  | ({ readonly status: "signed-in" } & Claims);

export type SessionKeeper = ReturnType<typeof createSession>;
type SessionOptions = {
  readonly baseUrl: string;
  readonly remembers?: boolean;
  readonly onSignedOut?: (reason: SignedOutReason) => void;
};
type CurrentToken = AccessToken & {
  readonly cause: Cause;
  readonly monotonic: number;
  readonly wall: number;
};

const REFRESH = "POST /api/auth/refresh";
/**
 * The timeout of a refresh. A refresh that hangs is aborted and retried, because it may have been processed. With
 * this timeout all four attempts begin within the 30 seconds in which the service still accepts the replaced cookie
 * (rules 5.7), even if each of them hangs. Later it would count as stolen.
 */
const REFRESH_TIMEOUT_MS = 8_000;
/** The maximum delay of `setTimeout`, which overflows with longer delays. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const QUICK_RETRIES_MS = [300, 1_000, 3_000];
/** The maximum time that a caller whose refresh failed waits for its retry. */
const MAX_QUICK_MS = 3_000;
/** The minimum remaining lifetime of an access token. A token that expires sooner is renewed before it is used. */
const leadOf = ({ lifetimeMs }: CurrentToken) => Math.min(60_000, lifetimeMs / 5);
const nearEndOf = ({ lifetimeMs }: CurrentToken) => Math.min(5_000, lifetimeMs / 10);

/** Holds the access token, only in memory. All callers share one running refresh. */
export function createSession(
  environment: Environment,
  { baseUrl, remembers = false, onSignedOut }: SessionOptions,
) {
  const { monotonic, wall, random, after, hasPage } = environment;
  const memory = remembers ? environment.memory : null;
  const listeners = new Set<() => void>();
  let session: Session = { status: "loading", problem: null };
  let current: CurrentToken | null = null;
  let inFlight: { readonly before: CurrentToken | null; readonly done: Promise<void> } | null = null;
  /** Settles when the current change of the session, such as a switch, has ended. Until then no refresh is sent. */
  let exclusiveWork: Promise<unknown> = Promise.resolve();
  let disarm = () => {};
  let failures = 0;
  /** The latest rejection with a `Retry-After`. Until that time has passed, every refresh has this outcome. */
  let refusal: { readonly error: ApiError; readonly until: number } | null = null;
  let isClosed = false;

  const tabs = createTabs(environment, {
    onToken: (token, cause, at) => setToken(token, cause, at),
    onSignedOut: (reason) => clear(reason, true),
  });
  const forgetPage = environment.onPageChange((restored) => {
    if (restored && current !== null) void refresh().catch(() => {});
    else arm(0);
  });

  function set(next: Session) {
    if (JSON.stringify(next) === JSON.stringify(session)) return;
    session = next;
    for (const listener of [...listeners]) notify(listener);
  }

  /**
   * Returns the time until a token expires. Measures only how long the token has been current, so the local clocks may
   * be wrong.
   */
  const leftOf = ({ lifetimeMs, monotonic: since, wall: at }: CurrentToken) =>
    lifetimeMs - Math.max(monotonic() - since, wall() - at);

  /** Accepts a token from the service, or from another tab with the time of its arrival. */
  function setToken(token: string, cause: Cause, at?: number) {
    if (isClosed) return;
    const read = readToken(token);
    // If two tabs got tokens at the same time, the newer token wins. Within the same second, the token from a
    // switch of the organization is kept.
    const age =
      current === null || at === undefined || cause === "session" ? 1 : read.issuedAt - current.issuedAt;
    if (age < 0 || (age === 0 && current?.cause === "session")) return;
    current = {
      ...read,
      cause,
      monotonic: monotonic() - (at === undefined ? 0 : Math.max(0, wall() - at)),
      wall: at ?? wall(),
    };
    failures = 0;
    memory?.set(true);
    if (at === undefined) tabs.post({ kind: "token", token, cause, at: wall() });
    set({ status: "signed-in", ...read.claims });
    arm();
  }

  function clear(reason: SignedOutReason, isElsewhere = false) {
    const { status } = session;
    const isKnown = status === "loading" && reason === "ended" && memory?.get() === true;
    memory?.set(false);
    current = null;
    disarm();
    set({ status: "signed-out" });
    if (status !== "signed-in" && !isKnown) return;
    // A page that has just been loaded may know only an older session than the other tabs, so it does not sign the
    // other tabs out.
    if (!isElsewhere && !isKnown)
      tabs.post({ kind: "signed-out", reason: reason === "ended" ? reason : "signed-out-elsewhere" });
    notify(() => onSignedOut?.(reason));
  }

  /** Schedules the next background refresh: before the token expires, or after a failure. */
  function arm(atMost = MAX_TIMER_MS) {
    disarm();
    if (!hasPage || isClosed || session.status === "signed-out") return;
    // Each tab waits for a random time: the first tab to refresh shares its token, so that the others need no
    // refresh.
    const ahead = current === null ? 0 : leftOf(current) - leadOf(current) * (0.5 + random() / 2);
    const step = failures > 0 ? Math.min(atMost, backoff(environment, failures - 1)) : Math.max(0, ahead);
    const wait = Math.max(step, (refusal?.until ?? 0) - monotonic());
    disarm = after(Math.min(wait, MAX_TIMER_MS), () => {
      // A hidden page does not refresh until it is shown, or until it sends a request.
      if (environment.isVisible() || session.status === "loading") void refresh().catch(() => {});
    });
  }

  /** Renews the token. Concurrent callers with the same token share one refresh. */
  function refresh(): Promise<void> {
    const before = current;
    if (inFlight?.before === before) return inFlight.done;
    const previous = [exclusiveWork, inFlight?.done.catch(() => {})];
    const done = Promise.all(previous)
      .then(() => renew(before))
      .finally(() => {
        if (inFlight?.done === done) inFlight = null;
      });
    inFlight = { before, done };
    return done;
  }

  /** Replaces a token, unless the token was already replaced by another one. */
  async function renew(before: CurrentToken | null): Promise<void> {
    const end = await tabs.beginRefresh(() => current !== before);
    if (end === null || isClosed) return;
    try {
      await attempt(() => current !== before);
    } catch (error) {
      failures = Math.min(failures + 1, 6);
      if (session.status === "loading" && isTransient(error)) set({ status: "loading", problem: error });
      arm();
      throw error;
    } finally {
      end();
    }
  }

  async function attempt(isDone: () => boolean): Promise<void> {
    if (refusal !== null && monotonic() < refusal.until) throw refusal.error;
    refusal = null;
    for (const retry of [...QUICK_RETRIES_MS, null]) {
      try {
        const sending = { timeoutMs: REFRESH_TIMEOUT_MS, keepalive: true };
        const sent = { baseUrl, endpoint: REFRESH, parts: {}, token: null } as const;
        const { accessToken } = await send(environment, sent, sending, readAccessToken);
        return setToken(accessToken, "refresh");
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) return clear("ended");
        const asked = error instanceof ApiError ? (error.retryAfter ?? 0) * 1000 : 0;
        if (asked > MAX_QUICK_MS) refusal = { error: error as ApiError, until: monotonic() + asked };
        if (retry === null || !isTransient(error) || refusal !== null) throw error;
        await pause(environment, Math.max(asked, retry * (0.5 + random() / 2)));
        if (isDone()) return;
      }
    }
  }

  return {
    /** Returns the current session. */
    get: () => session,
    /** Calls the listener after each change. Returns a function that unsubscribes. */
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    /**
     * Requests a session on loading, unless the application sets a token or refreshes first. Without a page, the
     * first request does this instead.
     */
    start() {
      if (!hasPage) return;
      queueMicrotask(() => {
        if (current !== null || session.status !== "loading" || inFlight !== null) return;
        if (memory?.get() === false) set({ status: "signed-out" });
        else void refresh().catch(() => {});
      });
    },
    setToken: (token: string) => setToken(token, "session"),
    clear,
    /** Ends the session because its token was rejected, unless the session has a new token by now. */
    refused(token: string) {
      if (current?.token === token) clear("ended");
    },
    refresh,
    /**
     * Returns a token for a request; null if no user is signed in.
     * @throws ApiError, ConnectionError if there is no token and none can be obtained
     */
    async token(): Promise<string | null> {
      if (session.status === "loading") await refresh();
      else if (current !== null && leftOf(current) < nearEndOf(current)) await refresh();
      return current?.token ?? null;
    },
    /** Returns the current access token, or null if it has expired. */
    current: (): string | null => (current !== null && leftOf(current) > 0 ? current.token : null),
    /** Returns a token that replaces the one that was rejected with 401, or null if the session has ended. */
    async another(used: string): Promise<string | null> {
      if (current?.token === used) await refresh();
      return current?.token ?? null;
    },
    /** Changes or ends the session while no tab refreshes. Within the change, `renew` renews the token. */
    async exclusive<Result>(work: (renew: () => Promise<string | null>) => Promise<Result>): Promise<Result> {
      // Waits only for the refresh that is running now; later refreshes wait for this change.
      const before = [exclusiveWork, inFlight?.done.catch(() => {})];
      const done = Promise.all(before).then(async () => {
        const end = await tabs.acquireExclusive();
        try {
          return await work(async () => {
            await attempt(() => false);
            return current?.token ?? null;
          });
        } finally {
          end();
        }
      });
      exclusiveWork = done.catch(() => {});
      return done;
    },
    close() {
      isClosed = true;
      disarm();
      forgetPage();
      tabs.close();
    },
  };
}

/** @throws SyntaxError if the response is JSON but has no access token */
export async function readAccessToken(response: Response): Promise<{ accessToken: string }> {
  const body = (await response.json()) as { accessToken?: unknown } | null;
  if (typeof body?.accessToken !== "string") throw new SyntaxError();
  return body as { accessToken: string };
}
