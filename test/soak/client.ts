import type { Fleet } from "./fleet.ts";
import { PASSWORD, type Person } from "./people.ts";

export type Answer = { status: number; body: Record<string, unknown>; requestId: string };

/** What is sent, beside who sends it. */
export type Request = {
  method: string;
  path: string;
  body?: unknown;
  raw?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
};

/** 0: no answer came, so whether it took effect is unknown. */
export const NO_ANSWER = 0;
const UNAVAILABLE = 503;

/** Counts and complaints of all requests of a run. */
export class Client {
  readonly statuses = new Map<number, number>();
  readonly unexpected: string[] = [];
  /** Refusals for lack of a timely database outside of faults: announced, but rare where the machine is not overloaded. */
  refusals = 0;
  /** Sessions that ended although nobody ended them, because an answer with a cookie was lost. */
  signIns = 0;
  private readonly signingIn = new Map<Person, Promise<boolean>>();

  constructor(
    private readonly fleet: Fleet,
    /** Whether a failure of this kind is announced now, by a fault that lasts or has just ended. */
    private readonly isExcused: (status: number, path: string) => boolean,
  ) {}

  /** Sends a request as a person; expired or lost sessions are renewed first, once. */
  async send(person: Person, instance: number, request: Request, expected: number[]): Promise<Answer> {
    if (person.token === null && !(await this.signIn(person, instance))) return noAnswer;
    let answer = await this.fetch(person, instance, request);
    if (answer.status === 401 && !expected.includes(401)) {
      await this.refresh(person, instance);
      answer = person.token === null ? noAnswer : await this.fetch(person, instance, request);
    }
    this.judge(request, answer, expected);
    return answer;
  }

  /** Renews the access token; without a usable cookie, by signing in again. */
  async refresh(person: Person, instance: number): Promise<void> {
    const request = { method: "POST", path: "/api/auth/refresh" };
    const answer = await this.fetch(person, instance, request);
    if (answer.status === 200) return;
    this.judge(request, answer, [401]);
    if (answer.status === 401) await this.signIn(person, instance);
  }

  /** Once at a time, as in one browser: of one account at most two hashes may wait (rules 23.4). */
  private signIn(person: Person, instance: number): Promise<boolean> {
    const running = this.signingIn.get(person);
    if (running !== undefined) return running;
    const begun = this.signInNow(person, instance).finally(() => this.signingIn.delete(person));
    this.signingIn.set(person, begun);
    return begun;
  }

  private async signInNow(person: Person, instance: number): Promise<boolean> {
    this.signIns += 1;
    person.token = person.cookie = null;
    const request = {
      method: "POST",
      path: "/api/auth/login",
      body: { email: person.email, password: PASSWORD },
    };
    this.judge(request, await this.fetch(person, instance, request), [200]);
    return person.token !== null;
  }

  private judge({ method, path }: Request, { status, body, requestId }: Answer, expected: number[]) {
    if (expected.includes(status) || this.isExcused(status, path)) return;
    if (status === UNAVAILABLE) {
      this.refusals += 1;
      return;
    }
    this.unexpected.push(
      `${method} ${path}: ${status} ${String(body.code ?? body.error)} ${requestId && this.fleet.explain(requestId)}`,
    );
  }

  private async fetch(
    person: Person,
    instance: number,
    { method, path, body, raw, headers }: Request,
  ): Promise<Answer> {
    let answer = noAnswer;
    try {
      const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
      const response = await fetch(this.fleet.url(instance) + path, {
        method,
        headers: {
          ...(person.token !== null && { authorization: `Bearer ${person.token}` }),
          ...(person.cookie !== null &&
            path.startsWith("/api/auth") && { cookie: `refresh_token=${person.cookie}` }),
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(payload !== undefined && { body: payload }),
        keepalive: false,
        signal: AbortSignal.timeout(30_000),
      });
      const text = await response.text();
      const isJson = response.headers.get("content-type")?.startsWith("application/json");
      const requestId = response.headers.get("x-request-id") ?? "";
      answer = { status: response.status, body: isJson ? JSON.parse(text) : {}, requestId };
      this.keep(person, answer, response.headers.getSetCookie());
    } catch (error) {
      answer = { ...noAnswer, body: { error: String(error).slice(0, 80) } };
    }
    this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
    return answer;
  }

  private keep(person: Person, { body }: Answer, cookies: string[]) {
    const cookie = cookies.find((value) => value.startsWith("refresh_token="));
    if (cookie !== undefined) person.cookie = /refresh_token=([^;]*)/.exec(cookie)?.[1] || null;
    if (typeof body.accessToken === "string") person.token = body.accessToken;
    // Within the grace period there is no new cookie: this browser's is used up.
    if (typeof body.accessToken === "string" && cookie === undefined) person.cookie = null;
  }
}

const noAnswer: Answer = { status: NO_ANSWER, body: {}, requestId: "" };
