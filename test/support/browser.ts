import { afterEach } from "bun:test";
import { type Client, type ClientOptions, createClientIn } from "../../src/client/client.ts";
import { type Environment, environmentOf } from "../../src/client/environment.ts";

type Send = (url: string, init: RequestInit) => Promise<Response>;

/**
 * A browser's cookie jar, which records the requests sent with it. As in a browser, the last response sets the
 * cookie.
 */
export class Jar {
  cookie: string | null = null;
  /** The sent requests, such as `POST /api/auth/refresh 200`; the status is 0 until there is a response. */
  readonly sent: string[] = [];

  constructor(public url: string) {}

  readonly fetch: Send = async (address, init) => {
    const url = new URL(address);
    const headers = new Headers(init.headers);
    if (this.cookie !== null && url.pathname.startsWith("/api/auth"))
      headers.set("cookie", `refresh_token=${this.cookie}`);
    const at = this.sent.push(`${init.method} ${url.pathname} 0`) - 1;
    const response = await fetch(this.url + url.pathname + url.search, { ...init, headers });
    this.sent[at] = `${init.method} ${url.pathname} ${response.status}`;
    for (const set of response.headers.getSetCookie()) {
      const [, value = ""] = /^refresh_token=([^;]*)/.exec(set) ?? [];
      this.cookie = value === "" ? null : value;
    }
    return response;
  };

  private waiting = 0;
  private sender: Send = (url, init) => this.fetch(url, init);
  private readonly send: Send = async (url, init) => {
    this.waiting += 1;
    try {
      return await this.sender(url, init);
    } finally {
      this.waiting -= 1;
    }
  };
  /** Waits until every request has a response, whose body may still be incomplete. */
  async responded(): Promise<void> {
    const end = performance.now() + 10_000;
    // A call that has just started may send its request a few ticks later.
    await Bun.sleep(2);
    while (this.waiting > 0 && performance.now() < end) await Bun.sleep(1);
    await Bun.sleep(2);
  }

  /** Sends the tabs' requests through `sender` from now on, which may call `fetch`. */
  through(sender: Send) {
    this.sender = sender;
  }

  /** Counts the sent requests that start with this text, such as `POST /api/auth/refresh 200`. */
  count = (what: string) => this.sent.filter((one) => one.startsWith(what)).length;

  /** Opens a tab of this browser. Tabs share a BroadcastChannel unless `heard` is false. */
  tab({
    page,
    heard = true,
    ...options
  }: Partial<ClientOptions> & { page?: TestPage; heard?: boolean } = {}): Client {
    if (page !== undefined) page.responded = () => this.responded();
    const environment = {
      ...environmentOf(this.url),
      fetch: this.send,
      hasPage: true,
      ...page?.environment(),
    };
    const channel = heard ? new BroadcastChannel(`jar-${this.name}`) : null;
    const client = createClientIn({ ...environment, channel }, { baseUrl: this.url, ...options });
    open.push(client);
    return client;
  }
  /** Opens a page that stores in `kept` whether a user is signed in, and does not hear other tabs. */
  remembering(kept: { isSignedIn: boolean | null }, options: Partial<ClientOptions>): Client {
    const set = (isSignedIn: boolean) => {
      if (kept.isSignedIn !== null) kept.isSignedIn = isSignedIn;
    };
    const memory = { get: () => kept.isSignedIn, set };
    const environment = {
      ...environmentOf(this.url),
      fetch: this.send,
      channel: null,
      hasPage: true,
      memory,
    };
    const client = createClientIn(environment, { baseUrl: this.url, remembers: true, ...options });
    open.push(client);
    return client;
  }
  private readonly name = crypto.randomUUID();
}

const open: Client[] = [];
afterEach(() => {
  for (const client of open.splice(0)) client.close();
});

/** A page with a fake clock: timers run only in `pass()`. */
export class TestPage {
  private now = 1_000_000;
  private slept = 0;
  private timers = new Map<number, { at: number; run: () => void }>();
  private last = 0;
  private listeners = new Set<(restored: boolean) => void>();
  private visible = true;

  private readonly skewMs: number;
  private readonly random: () => number;

  /** @param skewMs by how many ms the page's wall clock is wrong */
  constructor({ skewMs = 0, random = () => 0.5 }: { skewMs?: number; random?: () => number } = {}) {
    this.skewMs = skewMs;
    this.random = random;
  }

  environment = (): Partial<Environment> => ({
    monotonic: () => this.now,
    wall: () => Date.now() + this.skewMs + this.now + this.slept - 1_000_000,
    after: (milliseconds, run) => {
      const id = ++this.last;
      this.timers.set(id, { at: this.now + milliseconds, run });
      return () => this.timers.delete(id);
    },
    random: this.random,
    isVisible: () => this.visible,
    onPageChange: (listener) => {
      this.listeners.add(listener);
      return () => this.listeners.delete(listener);
    },
  });

  /** The monotonic time of the page, in seconds. */
  get seconds() {
    return this.now / 1000;
  }

  /** Awaited after each timer; `Jar.tab()` replaces it by waiting for responses. */
  responded = () => Bun.sleep(0);

  /** Advances the clock and runs due timers in order; with `patiently`, waits for responses after each one. */
  async pass(seconds: number, { patiently = true } = {}): Promise<void> {
    const end = this.now + seconds * 1000;
    for (;;) {
      const due = [...this.timers]
        .filter(([, { at }]) => at <= end)
        .sort(([, one], [, two]) => one.at - two.at)[0];
      if (due === undefined) break;
      const [id, { at, run }] = due;
      this.timers.delete(id);
      this.now = Math.max(this.now, at);
      run();
      if (patiently) await this.responded();
      else await Bun.sleep(2);
    }
    this.now = end;
  }

  /** Simulates that the machine sleeps: only the wall clock advances. */
  sleep(seconds: number) {
    this.slept += seconds * 1000;
  }

  show(visible: boolean, { restored = false } = {}) {
    this.visible = visible;
    for (const listener of [...this.listeners]) listener(restored);
  }
}
