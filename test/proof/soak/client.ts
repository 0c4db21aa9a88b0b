import { addressOf } from "../../support/seeds.ts";
import { type HttpRequest, type HttpResponse, REQUEST_TIMEOUT_MS, send } from "../world/requests.ts";
import { PASSWORD } from "../world/world.ts";
import type { Fleet } from "./fleet.ts";
import type { Person } from "./people.ts";

/** The failures that an injected fault excuses, for a request that started at a given time. */
export type Excuses = {
  /** Whether the fault excuses this status for a request to this path. */
  failure(status: number, path: string, startedAt: number): boolean;
  /** Whether the database is so slow that statements may miss their deadline. */
  isDatabaseSlow(startedAt: number): boolean;
  /** Whether an instance may reject a valid access token. */
  token(startedAt: number): boolean;
};

/** The status that stands for a missing response. It is then unknown whether the request took effect. */
export const NO_RESPONSE = 0;
const UNAVAILABLE = 503;
/**
 * The minimum duration of a 503 at the deadline: a statement that misses its deadline is rejected with 503 after 8
 * s. An earlier 503 has another reason.
 */
const MIN_DEADLINE_MS = 4_000;
/**
 * How long requests may run on a stopping instance: it ends running requests after half of the drain time and 8.5 s
 * (rules 25.7). Only exports may take longer, so a deployment may abort a slow export.
 */
const SHUTDOWN_MS = 9_000;
const EXPORT = /\/export\b/;
const TOKEN_LEFT_MS = 60_000;

/** Sends the requests of a run. Counts the statuses and collects unexpected responses. */
export class Client {
  readonly statuses = new Map<number, number>();
  readonly unexpected: string[] = [];
  /**
   * Counts responses with 503 at the deadline, without a fault. They are documented, but rare unless the machine is
   * overloaded.
   */
  refusals = 0;
  /**
   * Like `refusals`, while the database was slow. Such responses are expected, because requests wait for locks that
   * others hold for long.
   */
  refusalsOfSlowDatabase = 0;
  signIns = 0;
  private readonly renewing = new Map<Person, Promise<void>>();

  constructor(
    private readonly fleet: Fleet,
    readonly excuses: Excuses,
  ) {}

  /** Sends a request as a person. If the session has expired or was lost, renews it once. */
  async send(
    person: Person,
    instance: number,
    request: HttpRequest,
    expected: number[],
  ): Promise<HttpResponse> {
    if (person.token === null) await this.refresh(person, instance);
    // Renewing the session failed. That failure was checked already.
    if (person.token === null) return noResponse;
    const startedAt = performance.now();
    let response = await this.fetch(person, instance, request);
    if (response.status === 401 && !expected.includes(401) && person.role !== "machine") {
      if (isValid(person.token) && !this.excuses.token(startedAt))
        this.reportUnexpected(request, response, "a valid access token was refused");
      await this.refresh(person, instance);
      if (person.token === null) return noResponse;
      response = await this.fetch(person, instance, request);
      // An instance whose clock was changed may consider a new token expired.
      if (response.status === 401 && (!isValid(person.token) || this.excuses.token(startedAt)))
        return noResponse;
    }
    this.check(request, response, expected, startedAt);
    return response;
  }

  /** Reads a path, which must succeed. */
  read(person: Person, instance: number, path: string): Promise<HttpResponse> {
    return this.send(person, instance, { method: "GET", path }, [200]);
  }

  /**
   * Renews the session, at most once at a time, as a browser does: at most two hashes of one account may wait
   * (rules 23.4).
   */
  refresh(person: Person, instance: number): Promise<void> {
    const running = this.renewing.get(person);
    if (running !== undefined) return running;
    const begun = this.renew(person, instance).finally(() => this.renewing.delete(person));
    this.renewing.set(person, begun);
    return begun;
  }

  /**
   * Renews the session by its cookie; by a sign-in if the cookie is not accepted. A cookie that was never sent must
   * be accepted.
   */
  private async renew(person: Person, instance: number): Promise<void> {
    const request = { method: "POST", path: "/api/auth/refresh" };
    const startedAt = performance.now();
    const { isFresh } = person;
    if (person.cookie === null) return this.signIn(person, instance);
    person.isFresh = false;
    const response = await this.fetch(person, instance, request);
    if (response.status === 200 && isFresh && !person.isFresh)
      this.reportUnexpected(request, response, "a refresh with an unused cookie set no new cookie");
    if (response.status === 200) return;
    this.check(request, response, isFresh ? [] : [401], startedAt);
    if (response.status === 401) await this.signIn(person, instance);
  }

  private async signIn(person: Person, instance: number): Promise<void> {
    this.signIns += 1;
    person.token = person.cookie = null;
    const body = { email: person.email, password: PASSWORD };
    const request = { method: "POST", path: "/api/auth/login", body };
    const startedAt = performance.now();
    this.check(request, await this.fetch(person, instance, request), [200], startedAt);
  }

  /** Reports a response that no injected fault excuses. */
  reportUnexpected({ method, path }: HttpRequest, { status, body, headers }: HttpResponse, what: string) {
    const requestId = headers.get("x-request-id");
    const reason = String(body.code ?? body.error ?? "");
    this.unexpected.push(
      `${what}: ${method} ${path}: ${status} ${reason} ${requestId ? this.fleet.explain(requestId) : ""}`,
    );
  }

  /** Reports a response whose status is not expected, unless a fault excuses it. */
  private check(request: HttpRequest, response: HttpResponse, expected: number[], startedAt: number) {
    const { status } = response;
    if (expected.includes(status) || this.excuses.failure(status, request.path, startedAt)) return;
    const durationMs = performance.now() - startedAt;
    const isExport = EXPORT.test(request.path);
    if (isExport && status === NO_RESPONSE && durationMs > SHUTDOWN_MS) return;
    // An export that misses the deadline of a statement has sent its 200 already, so its connection is closed.
    const isAborted = isExport && status === NO_RESPONSE;
    if ((status === UNAVAILABLE || isAborted) && durationMs > MIN_DEADLINE_MS) {
      if (this.excuses.isDatabaseSlow(startedAt)) this.refusalsOfSlowDatabase += 1;
      else this.refusals += 1;
    } else
      this.reportUnexpected(request, response, `outside of faults, after ${Math.round(durationMs / 1000)} s`);
  }

  private async fetch(person: Person, instance: number, request: HttpRequest): Promise<HttpResponse> {
    let response = noResponse;
    const isOfSession = request.path.startsWith("/api/auth");
    const credentials = { token: person.token, cookie: isOfSession ? person.cookie : null };
    try {
      const address = addressOf(person.id || crypto.randomUUID());
      response = await send(this.fleet.url(instance), address, { ...request, ...credentials });
      if ([429, UNAVAILABLE].includes(response.status) && !response.headers.has("retry-after"))
        this.reportUnexpected(request, response, "no Retry-After");
      storeTokens(person, response);
    } catch (error) {
      response = { ...noResponse, body: { error: String(error).slice(0, 80) } };
      if ((error as Error).name === "TimeoutError")
        this.reportUnexpected(request, response, `no response within ${REQUEST_TIMEOUT_MS / 1000} s`);
    }
    this.statuses.set(response.status, (this.statuses.get(response.status) ?? 0) + 1);
    return response;
  }
}

function storeTokens(person: Person, { body, cookie }: HttpResponse) {
  if (cookie !== undefined) person.cookie = cookie || null;
  if (typeof body.accessToken !== "string") return;
  person.token = body.accessToken;
  person.isFresh = cookie !== undefined;
  // A refresh within the grace period sets no new cookie, and the cookie that was sent can no longer be used.
  if (cookie === undefined) person.cookie = null;
}

/** Whether an access token is valid for at least one more minute, by the correct clock. */
function isValid(token: string | null): boolean {
  const [, payload = ""] = token?.split(".") ?? [];
  if (payload === "") return false;
  const { exp, iat } = claimsOf(token);
  return exp * 1000 > Date.now() + TOKEN_LEFT_MS && iat * 1000 < Date.now() + 5_000;
}

type Claims = { exp: number; iat: number };

/** Returns the claims of an access token. */
const claimsOf = (token: string | null): Claims =>
  JSON.parse(Buffer.from(token?.split(".")[1] ?? "e30", "base64url").toString());

const noResponse: HttpResponse = {
  ...{ status: NO_RESPONSE, body: {}, text: "", headers: new Headers(), cookie: undefined },
};
