import { addressOf } from "../../support/seeds.ts";
import type { Fleet } from "./fleet.ts";
import { PASSWORD, type Person } from "./people.ts";

export type Answer = { status: number; body: Record<string, unknown>; requestId: string; text: string };

/** What is sent, beside who sends it. */
export type Request = {
  method: string;
  path: string;
  body?: unknown;
  raw?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
};

/** What may go wrong for a request that began at that time, by a fault that lasts or has just ended. */
export type Excuses = {
  answer(status: number, path: string, startedAt: number): boolean;
  /** Whether an access token that is good may be refused. */
  token(startedAt: number): boolean;
};

/** 0: no answer came, so whether it took effect is unknown. */
export const NO_ANSWER = 0;
const UNAVAILABLE = 503;
/** Longer than any wait of the service, of which the longest is for a silent storage, twice: nothing excuses this. */
const HANGS_MS = 60_000;
/** A refusal for lack of a timely database comes after 8 s; one that comes at once has another reason. */
const QUICK_MS = 4_000;
const TOKEN_LEFT_MS = 60_000;

/** Counts and complaints of all requests of a run. */
export class Client {
  readonly statuses = new Map<number, number>();
  readonly unexpected: string[] = [];
  /** Refusals for lack of a timely database outside of faults: announced, but rare where the machine is not overloaded. */
  refusals = 0;
  signIns = 0;
  private readonly renewing = new Map<Person, Promise<void>>();

  constructor(
    private readonly fleet: Fleet,
    private readonly excuses: Excuses,
  ) {}

  /** Sends a request as a person; expired or lost sessions are renewed first, once. */
  async send(person: Person, instance: number, request: Request, expected: number[]): Promise<Answer> {
    if (person.token === null) await this.refresh(person, instance);
    // What kept them from signing in was judged already.
    if (person.token === null) return noAnswer;
    const startedAt = performance.now();
    let answer = await this.fetch(person, instance, request);
    if (answer.status === 401 && !expected.includes(401)) {
      if (isGood(person.token) && !this.excuses.token(startedAt))
        this.complain(request, answer, "a token that is good was refused");
      await this.refresh(person, instance);
      if (person.token === null) return noAnswer;
      answer = await this.fetch(person, instance, request);
      // By the clock of one instance it may be over at once.
      if (answer.status === 401 && (!isGood(person.token) || this.excuses.token(startedAt))) return noAnswer;
    }
    this.judge(request, answer, expected, startedAt);
    return answer;
  }

  /** Renews the session, once at a time, as in one browser: of one account at most two hashes may wait (rules 23.4). */
  refresh(person: Person, instance: number): Promise<void> {
    const running = this.renewing.get(person);
    if (running !== undefined) return running;
    const begun = this.renew(person, instance).finally(() => this.renewing.delete(person));
    this.renewing.set(person, begun);
    return begun;
  }

  /** By the cookie; without a usable one by signing in again. A cookie that nobody used yet, and no answer was lost of, must do. */
  private async renew(person: Person, instance: number): Promise<void> {
    const request = { method: "POST", path: "/api/auth/refresh" };
    const startedAt = performance.now();
    const { isFresh } = person;
    if (person.cookie === null) return this.signIn(person, instance);
    person.isFresh = false;
    const answer = await this.fetch(person, instance, request);
    if (answer.status === 200 && isFresh && !person.isFresh)
      this.complain(request, answer, "the new cookie is missing, and nobody else can have it");
    if (answer.status === 200) return;
    this.judge(request, answer, isFresh ? [] : [401], startedAt);
    if (answer.status === 401) await this.signIn(person, instance);
  }

  private async signIn(person: Person, instance: number): Promise<void> {
    this.signIns += 1;
    person.token = person.cookie = null;
    const body = { email: person.email, password: PASSWORD };
    const request = { method: "POST", path: "/api/auth/login", body };
    const startedAt = performance.now();
    this.judge(request, await this.fetch(person, instance, request), [200], startedAt);
  }

  /** Something that no answer may be, and nothing excuses. */
  complain({ method, path }: Request, { status, body, requestId }: Answer, what: string) {
    const reason = String(body.code ?? body.error ?? "");
    this.unexpected.push(
      `${what}: ${method} ${path}: ${status} ${reason} ${requestId && this.fleet.explain(requestId)}`,
    );
  }

  private judge(request: Request, answer: Answer, expected: number[], startedAt: number) {
    const { status } = answer;
    if (expected.includes(status) || this.excuses.answer(status, request.path, startedAt)) return;
    if (status === UNAVAILABLE && performance.now() - startedAt > QUICK_MS) this.refusals += 1;
    else this.complain(request, answer, "outside of faults");
  }

  private async fetch(person: Person, instance: number, request: Request): Promise<Answer> {
    const { method, path, body, raw, headers } = request;
    let answer = noAnswer;
    try {
      const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
      const response = await fetch(this.fleet.url(instance) + path, {
        method,
        headers: {
          "x-forwarded-for": addressOf(person.id || crypto.randomUUID()),
          ...(person.token !== null && { authorization: `Bearer ${person.token}` }),
          ...(person.cookie !== null &&
            path.startsWith("/api/auth") && { cookie: `refresh_token=${person.cookie}` }),
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(payload !== undefined && { body: payload }),
        keepalive: false,
        signal: AbortSignal.timeout(HANGS_MS),
      });
      const text = await response.text();
      const isJson = response.headers.get("content-type")?.startsWith("application/json");
      const requestId = response.headers.get("x-request-id") ?? "";
      answer = { status: response.status, body: isJson ? JSON.parse(text) : {}, requestId, text };
      if ([429, UNAVAILABLE].includes(answer.status) && !response.headers.has("retry-after"))
        this.complain(request, answer, "no Retry-After");
      keep(person, answer, response.headers.getSetCookie());
    } catch (error) {
      answer = { ...noAnswer, body: { error: String(error).slice(0, 80) } };
      if ((error as Error).name === "TimeoutError") this.complain(request, answer, "it hangs");
    }
    this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
    return answer;
  }
}

function keep(person: Person, { body }: Answer, cookies: string[]) {
  const cookie = cookies.find((value) => value.startsWith("refresh_token="));
  if (cookie !== undefined) person.cookie = /refresh_token=([^;]*)/.exec(cookie)?.[1] || null;
  if (typeof body.accessToken !== "string") return;
  person.token = body.accessToken;
  person.isFresh = cookie !== undefined;
  // Within the grace period there is no new cookie: this browser's is used up.
  if (cookie === undefined) person.cookie = null;
}

/** Whether an access token still lives for a while, by the right clock. */
function isGood(token: string | null): boolean {
  const [, payload = ""] = token?.split(".") ?? [];
  if (payload === "") return false;
  const { exp, iat } = claimsOf(token);
  return exp * 1000 > Date.now() + TOKEN_LEFT_MS && iat * 1000 < Date.now() + 5_000;
}

type Claims = { exp: number; iat: number; roles: string[]; permissions: string[] };

/** What an access token says. */
export const claimsOf = (token: string | null): Claims =>
  JSON.parse(Buffer.from(token?.split(".")[1] ?? "e30", "base64url").toString());

const noAnswer: Answer = { status: NO_ANSWER, body: {}, requestId: "", text: "" };
