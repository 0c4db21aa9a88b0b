import { type AccessToken, type Claims, readToken } from "./claims.ts";
import { backoff, type Environment, notify, pause } from "./environment.ts";
import { ApiError, ConnectionError } from "./errors.ts";
import { send, targetOf } from "./http.ts";
import { type Cause, createTabs } from "./tabs.ts";

/** Who is signed in. `loading` until the first refresh has a response. */
export type Session =
  | {
      readonly status: "loading" /** Why it is not known yet. */;
      readonly problem: ApiError | ConnectionError | null;
    }
  | { readonly status: "signed-out" }
  | ({ readonly status: "signed-in" } & Claims);

/** Why a session ended: the service said so, here or in another tab by signing out. */
export type SignedOutReason = "ended" | "signed-out" | "signed-out-elsewhere";

export type SessionKeeper = ReturnType<typeof createSession>;
type Held = AccessToken & { readonly cause: Cause; readonly monotonic: number; readonly wall: number };

const REFRESH = "POST /api/auth/refresh";
/**
 * A refresh that hangs is aborted and retried within the 30 seconds in which the service still accepts the replaced
 * cookie (rules 5.7), because the first one may have been processed. Longer than the service takes for any request.
 */
const REFRESH_TIMEOUT_MS = 15_000;
/** Timers overflow beyond. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const QUICK_RETRIES_MS = [300, 1_000, 3_000];
/** A token with less left than this is renewed before it is used. */
const leadOf = ({ lifetimeMs }: Held) => Math.min(60_000, lifetimeMs / 5);
const nearEndOf = ({ lifetimeMs }: Held) => Math.min(5_000, lifetimeMs / 10);

/** Keeps the access token, in memory alone, and one refresh in flight for whoever needs it. */
export function createSession(
  environment: Environment,
  baseUrl: string,
  onSignedOut: ((reason: SignedOutReason) => void) | undefined,
) {
  const { monotonic, wall, random, after } = environment;
  const listeners = new Set<() => void>();
  let session: Session = { status: "loading", problem: null };
  let held: Held | null = null;
  let inFlight: { readonly before: Held | null; readonly done: Promise<void> } | null = null;
  /** The end of what moves the session, such as a switch: no refresh is sent meanwhile. */
  let alone: Promise<unknown> = Promise.resolve();
  let disarm = () => {};
  let failures = 0;
  let isClosed = false;

  const tabs = createTabs(environment, {
    onToken: (token, cause, at) => adopt(token, cause, at),
    onSignedOut: () => leave("signed-out-elsewhere"),
  });
  const forgetPage = environment.onPageChange((restored) => {
    if (restored && held !== null) void refresh().catch(() => {});
    else arm(0);
  });

  function set(next: Session) {
    if (JSON.stringify(next) === JSON.stringify(session)) return;
    session = next;
    for (const listener of [...listeners]) notify(listener);
  }

  /** What is left of a token. Both clocks only tell how long it has been held, so neither needs to be right. */
  const leftOf = ({ lifetimeMs, monotonic: since, wall: at }: Held) =>
    lifetimeMs - Math.max(monotonic() - since, wall() - at);

  /** Takes a token, from the service or, with the time at which it came, from another tab. */
  function adopt(token: string, cause: Cause, at?: number) {
    if (isClosed) return;
    const read = readToken(token);
    // Two may have crossed: the newer one tells more, and what a switch brought is not undone within its second.
    const age = held === null || at === undefined || cause === "session" ? 1 : read.issuedAt - held.issuedAt;
    if (age < 0 || (age === 0 && held?.cause === "session")) return;
    held = {
      ...read,
      cause,
      monotonic: monotonic() - (at === undefined ? 0 : Math.max(0, wall() - at)),
      wall: at ?? wall(),
    };
    failures = 0;
    if (at === undefined) tabs.tellToken(token, cause);
    set({ status: "signed-in", ...read.claims });
    arm();
  }

  function leave(reason: SignedOutReason) {
    const was = session.status;
    held = null;
    disarm();
    set({ status: "signed-out" });
    if (was !== "signed-in") return;
    if (reason !== "signed-out-elsewhere") tabs.tellSignedOut();
    notify(() => onSignedOut?.(reason));
  }

  /** Sets the time of the next refresh that nobody has asked for: ahead of the end, or after a failure. */
  function arm(atMost = Number.POSITIVE_INFINITY) {
    disarm();
    if (isClosed || session.status === "signed-out") return;
    // Tabs that are open beside each other draw lots: the first one's token keeps the others from asking.
    const ahead = held === null ? 0 : leftOf(held) - leadOf(held) * (0.5 + random() / 2);
    const wait = failures > 0 ? Math.min(atMost, backoff(environment, failures - 1)) : Math.max(0, ahead);
    disarm = after(Math.min(wait, MAX_TIMER_MS), () => {
      // A page that nobody sees waits until it is shown, or until something in it makes a request.
      if (environment.isVisible() || session.status === "loading") void refresh().catch(() => {});
    });
  }

  /** Renews the token, once for all who have the same one and ask at the same time. */
  function refresh(): Promise<void> {
    const before = held;
    if (inFlight?.before === before) return inFlight.done;
    const previous = [alone, inFlight?.done.catch(() => {})];
    const done = Promise.all(previous)
      .then(() => renew(before))
      .finally(() => {
        if (inFlight?.done === done) inFlight = null;
      });
    inFlight = { before, done };
    return done;
  }

  /** Takes the place of a token, unless another one has done so meanwhile. */
  async function renew(before: Held | null): Promise<void> {
    const end = await tabs.beginRefresh(() => held !== before);
    if (end === null || isClosed) return;
    try {
      await attempt(() => held !== before);
    } catch (error) {
      failures = Math.min(failures + 1, 6);
      if (session.status === "loading" && isTemporary(error)) set({ status: "loading", problem: error });
      arm();
      throw error;
    } finally {
      end();
    }
  }

  async function attempt(isDone: () => boolean): Promise<void> {
    for (const retry of [...QUICK_RETRIES_MS, null]) {
      try {
        const target = targetOf(baseUrl, REFRESH, {}, null);
        const sending = { timeoutMs: REFRESH_TIMEOUT_MS, keepalive: true };
        const { accessToken } = await send(environment, REFRESH, target, undefined, sending, tokenOf);
        return adopt(accessToken, "refresh");
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) return leave("ended");
        if (retry === null || !isTemporary(error)) throw error;
        await pause(environment, retry * (0.5 + random() / 2));
        if (isDone()) return;
      }
    }
  }

  return {
    /** The value that is known now. */
    get: () => session,
    /** Calls back after each change; returns what ends that. */
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    /** Asks, once the page has had the time to bring a token of its own, whether there is a session. */
    start() {
      queueMicrotask(() => {
        if (held === null && session.status === "loading") void refresh().catch(() => {});
      });
    },
    adopt: (token: string) => adopt(token, "session"),
    leave,
    /** Ends the session because its token is refused, unless it has another one by now. */
    refused(token: string) {
      if (held?.token === token) leave("ended");
    },
    refresh,
    /**
     * A token that is good for a request, null when nobody is signed in.
     * @throws ApiError, ConnectionError when there is none yet and none can be had
     */
    async token(): Promise<string | null> {
      if (session.status === "loading") await refresh();
      else if (held !== null && leftOf(held) < nearEndOf(held)) await refresh();
      return held?.token ?? null;
    },
    /** The token that is held, unless it is known to have ended. */
    held: (): string | null => (held !== null && leftOf(held) > 0 ? held.token : null),
    /** After a 401: a token that is not that one, null when the session is over. */
    async another(used: string): Promise<string | null> {
      if (held?.token === used) await refresh();
      return held?.token ?? null;
    },
    /** Does what moves or ends the session, while no tab refreshes; `renew` inside of it renews the token. */
    async alone<Result>(work: (renew: () => Promise<string | null>) => Promise<Result>): Promise<Result> {
      // Only what is in flight by now: a later refresh waits for this.
      const before = [alone, inFlight?.done.catch(() => {})];
      const done = Promise.all(before).then(async () => {
        const end = await tabs.beginAlone();
        try {
          return await work(async () => {
            await attempt(() => false);
            return held?.token ?? null;
          });
        } finally {
          end();
        }
      });
      alone = done.catch(() => {});
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

export const tokenOf = async (response: Response) => (await response.json()) as { accessToken: string };

/** What may be otherwise in a moment: no answer, too many requests, or a service that is away. */
function isTemporary(error: unknown): error is ApiError | ConnectionError {
  return (
    error instanceof ConnectionError ||
    (error instanceof ApiError && (error.status === 429 || error.status >= 500))
  );
}
