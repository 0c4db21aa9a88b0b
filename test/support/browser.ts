import { afterEach } from "bun:test";
import { type Client, type ClientOptions, clientIn } from "../../src/client/client.ts";
import { type Environment, environmentOf } from "../../src/client/environment.ts";

/** A browser's cookie jar, and what is asked through it. The newest answer decides, as in a browser. */
export class Jar {
  cookie: string | null = null;
  /** The requests that were sent, as `POST /api/auth/refresh 200`; the status is 0 where none came. */
  readonly sent: string[] = [];
  private channels = 0;

  constructor(public url: string) {}

  readonly fetch = (async (input: string | URL | Request, init: RequestInit = {}) => {
    const url = new URL(String(input));
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
  }) as typeof fetch;

  /** How many such requests were answered with that status. */
  count = (what: string) => this.sent.filter((one) => one.startsWith(what)).length;

  /** A tab of this browser. They hear each other, unless told otherwise. */
  tab({
    page,
    heard = true,
    ...options
  }: Partial<ClientOptions> & { page?: TestPage; heard?: boolean } = {}): Client {
    const environment = { ...environmentOf(this.url, this.fetch), ...page?.environment() };
    const channel = heard ? new BroadcastChannel(`jar-${this.name}`) : null;
    if (heard) this.channels += 1;
    const client = clientIn({ ...environment, channel }, { baseUrl: this.url, ...options });
    open.push(client);
    return client;
  }
  private readonly name = crypto.randomUUID();
}

const open: Client[] = [];
afterEach(() => {
  for (const client of open.splice(0)) client.close();
});

/** A page whose time passes only when it is told to: its timers stand still, as those of a sleeping machine do. */
export class TestPage {
  private now = 1_000_000;
  private slept = 0;
  private timers = new Map<number, { at: number; run: () => void }>();
  private last = 0;
  private listeners = new Set<(restored: boolean) => void>();
  private visible = true;

  private readonly skewMs: number;
  private readonly random: () => number;

  /** @param skewMs how wrong the wall clock is */
  constructor({ skewMs = 0, random = () => 0.5 } = {}) {
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

  /** How many timers are set. */
  get pending() {
    return this.timers.size;
  }

  /** Lets time pass, and does what is due, in its order. */
  async pass(seconds: number): Promise<void> {
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
      await Bun.sleep(0);
    }
    this.now = end;
  }

  /** The machine sleeps: the wall clock goes on, and nothing else. */
  sleep(seconds: number) {
    this.slept += seconds * 1000;
  }

  show(visible: boolean, { restored = false } = {}) {
    this.visible = visible;
    for (const listener of [...this.listeners]) listener(restored);
  }
}
