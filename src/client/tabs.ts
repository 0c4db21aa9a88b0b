import { type Environment, pause } from "./environment.ts";

/** Why a token is new: a switch and a sign-in bring another session, which a refresh does not undo. */
export type Cause = "refresh" | "session";

type Message = { readonly from: string } & (
  | { readonly kind: "ask" }
  | { readonly kind: "begin"; readonly alone: boolean }
  | { readonly kind: "end" }
  | { readonly kind: "token"; readonly token: string; readonly cause: Cause; readonly at: number }
  | { readonly kind: "signed-out" }
);
type News = {
  readonly onToken: (token: string, cause: Cause, at: number) => void;
  readonly onSignedOut: () => void;
};

export type Tabs = ReturnType<typeof createTabs>;

/** How long a tab is believed to be at it: it may have been closed or frozen, and must not hold up the others. */
const BELIEVED_MS = 10_000;
/** How long a message to the other tabs takes, generously, and an answer of one that is not busy. */
const HEARD_MS = 50;
const ANSWERED_MS = 20;

/**
 * The tabs of one cookie jar. They tell each other new tokens, and what they are about to do with the cookie: every
 * request that rotates it must have ended before one that ends or moves the session is sent, or a late one would come
 * with a cookie whose successor has been used, which the service takes for theft (rules 5.8). It is advice by messages
 * and no lock: nobody waits for long.
 */
export function createTabs(environment: Environment, { onToken, onSignedOut }: News) {
  const { channel, monotonic, wall } = environment;
  // Not by crypto.randomUUID, which pages without TLS do not have.
  const id = `${Math.random()}`;
  /** What others are at, with the time from which on they are no longer believed to be. */
  const others = new Map<string, { alone: boolean; until: number }>();
  let wake: (() => void)[] = [];
  /** What this tab is at. */
  let own: { readonly alone: boolean } | null = null;
  /** Whether it knows of the others: messages from before it was there it has not heard. */
  let isNew = channel !== null;

  if (channel !== null)
    channel.onmessage = ({ data }: { data: Message }) => {
      if (data.kind === "ask" && own !== null) post({ kind: "begin", ...own });
      if (data.kind === "begin")
        others.set(data.from, { alone: data.alone, until: monotonic() + BELIEVED_MS });
      if (data.kind === "end") others.delete(data.from);
      if (data.kind === "token") onToken(data.token, data.cause, data.at);
      if (data.kind === "signed-out") onSignedOut();
      const waiting = wake;
      wake = [];
      for (const resume of waiting) resume();
    };
  const post = (message: DistributiveOmit<Message, "from">) => channel?.postMessage({ ...message, from: id });

  /** Waits until no other tab is at what matters, however many there are, or until it has been too long. */
  async function quiet(matters: (alone: boolean, other: string) => boolean) {
    const last = monotonic() + BELIEVED_MS;
    for (;;) {
      const ends = [...others]
        .filter(([other, { alone }]) => matters(alone, other))
        .map(([, { until }]) => until);
      const rest = Math.min(last, Math.max(...ends)) - monotonic();
      if (!(rest > 0)) return;
      const heard = new AbortController();
      wake.push(() => heard.abort());
      await pause(environment, rest, heard.signal);
    }
  }

  const begin = (alone: boolean) => {
    own = { alone };
    post({ kind: "begin", alone });
    return () => {
      own = null;
      post({ kind: "end" });
    };
  };

  return {
    /** Waits for other tabs that refresh, or that move the session, and then begins; returns what ends it. */
    async beginRefresh(isDone: () => boolean): Promise<(() => void) | null> {
      if (isNew) {
        isNew = false;
        post({ kind: "ask" });
        await pause(environment, ANSWERED_MS);
      }
      await quiet(() => !isDone());
      return isDone() ? null : begin(false);
    },
    /** Begins what must not meet a refresh of another tab, after those that are on their way. */
    async beginAlone(): Promise<() => void> {
      await quiet((alone) => alone);
      const end = begin(true);
      if (channel !== null) await pause(environment, HEARD_MS);
      // Of two that began before they heard of each other the one with the smaller id goes first.
      await quiet((alone, other) => !alone || other < id);
      return end;
    },
    tellToken: (token: string, cause: Cause) => post({ kind: "token", token, cause, at: wall() }),
    tellSignedOut: () => post({ kind: "signed-out" }),
    close: () => channel?.close(),
  };
}

type DistributiveOmit<Type, Key extends PropertyKey> = Type extends unknown ? Omit<Type, Key> : never;
