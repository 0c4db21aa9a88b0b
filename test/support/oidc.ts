import { afterAll } from "bun:test";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { type People, startIdentityProvider } from "../../src/dev/identity-provider.ts";
import { type ApiResponse, Caller, claimsOf } from "./caller.ts";
import type { Environment } from "./environment.ts";
import { expectStatus, type Service, sharedService } from "./service.ts";

const APP_URL = "http://app.test";
/** Contains characters that are encoded differently in a header and in a form. */
const SECRET = "s3cret +/%:&";

type Context = { path: string; body: unknown; status: number };

/** Starts a certified OpenID provider for one test file, whose responses can be changed. */
export async function startOidc(key = "acme"): Promise<Oidc> {
  const { oidc, stop } = await openOidc(key);
  afterAll(stop);
  return oidc;
}

/** The providers that all test files of this process share. */
let shared: Promise<{ oidc: Oidc; other: Oidc }> | undefined;

/** Returns two providers, and the service with them, that all test files of this process share. */
export async function sharedOidc() {
  shared ??= Promise.all([openOidc("acme"), openOidc("other")])
    .then(([one, two]) => ({ oidc: one.oidc, other: two.oidc }))
    .catch((error) => {
      // The next file tries again.
      shared = undefined;
      throw error;
    });
  const { oidc, other } = await shared;
  return { t: await sharedService(withProviders(oidc, other)), oidc, other };
}

/** Starts an OpenID provider that runs until it is stopped. */
export async function openOidc(key: string): Promise<{ oidc: Oidc; stop(): Promise<void> }> {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), alg: "RS256", use: "sig", kid: "of-the-test" };
  const people: People = new Map();
  const started = await startIdentityProvider({
    client: { id: "service", secret: SECRET, redirectUris: [`${APP_URL}/api/auth/oidc/${key}/callback`] },
    people,
    keys: { keys: [jwk] },
    async around(ctx, next) {
      oidc.calls.push(ctx.path);
      const refusal = oidc.failing?.(ctx.path) ?? null;
      if (refusal !== null) ctx.status = refusal;
      else {
        await next();
        await oidc.alter?.(ctx);
      }
    },
  });
  const oidc = new Oidc(key, started.issuer, people, privateKey);
  return { oidc, stop: () => started.stop() };
}

export class Oidc {
  /** The paths that were requested from the provider. */
  readonly calls: string[] = [];
  /** Returns the error status for a path, or null to serve it. */
  failing: ((path: string) => number | null) | null = null;
  /** A hook that changes a response of the provider before it is sent. */
  alter: ((context: Context) => Promise<void> | void) | null = null;

  constructor(
    readonly key: string,
    readonly issuer: string,
    readonly people: People,
    private readonly signingKey: CryptoKey,
  ) {}

  /** The environment of a service that uses this provider. */
  get environment(): Environment {
    const prefix = `OIDC_${this.key.toUpperCase()}`;
    return {
      [`${prefix}_ISSUER`]: this.issuer,
      [`${prefix}_CLIENT_ID`]: "service",
      [`${prefix}_CLIENT_SECRET`]: SECRET,
      [`${prefix}_NAME`]: `The ${this.key}`,
    };
  }

  /** Adds a user of the provider; returns their subject. */
  person(claims: Record<string, unknown> = {}): string {
    const subject = crypto.randomUUID();
    const email = `${subject}@provider.test`;
    this.people.set(subject, {
      email,
      email_verified: true,
      given_name: "Grace",
      family_name: "Hopper",
      ...claims,
    });
    return subject;
  }

  emailOf = (subject: string) => String(this.people.get(subject)?.email);

  /** Runs `work` while ID tokens have changed claims or are signed with another key. */
  async lying<T>(claims: Record<string, unknown>, work: () => Promise<T>, key = this.signingKey): Promise<T> {
    this.alter = async (context) => {
      if (context.path !== "/token" || context.status !== 200) return;
      const body = context.body as { id_token: string };
      const token = new SignJWT({ ...claimsOf(body.id_token), ...claims });
      body.id_token = await token.setProtectedHeader({ alg: "RS256", kid: "of-the-test" }).sign(key);
    };
    try {
      return await work();
    } finally {
      this.alter = null;
    }
  }

  /**
   * Performs the steps of a sign-in at the provider; returns the redirect URL back to the service. A null subject
   * cancels.
   */
  async visit(authorizationUrl: string, subject: string | null): Promise<string> {
    const cookies = new Map<string, string>();
    let url = authorizationUrl;
    for (let hops = 0; hops < 8; hops += 1) {
      const isPage = new URL(url).pathname.startsWith("/sign-in/");
      const choice = subject === null ? "" : `?as=${encodeURIComponent(subject)}`;
      const response = await fetch(isPage ? url + choice : url, {
        method: isPage ? "POST" : "GET",
        headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
        redirect: "manual",
      });
      for (const cookie of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        cookies.set(name, value);
      }
      const location = response.headers.get("location");
      if (location === null)
        throw new Error(`The provider responded with ${response.status} ${await response.text()}`);
      url = new URL(location, url).href;
      if (url.startsWith(APP_URL)) return url;
    }
    throw new Error("The provider sends the browser around in circles");
  }
}

/** Returns the environment of a service that uses these providers. */
export const withProviders = (...providers: Oidc[]): Environment =>
  Object.assign(
    { OIDC_PROVIDERS: providers.map(({ key }) => key).join(",") },
    ...providers.map(({ environment }) => environment),
  );

/** A browser during a sign-in at a provider: keeps the state cookie in addition to the cookies of its `Caller`. */
export class StateBrowser {
  state: string | null = null;
  /** The last `Set-Cookie` header of the state cookie. */
  stateHeader: string | null = null;

  constructor(
    private readonly cookieName: string,
    readonly caller: Caller,
  ) {}

  /** Requests a URL of the service. */
  async get(path: string, headers: Record<string, string> = {}): Promise<ApiResponse> {
    const cookies = [
      this.state === null ? "" : `${this.cookieName}=${this.state}`,
      this.caller.cookie === null ? "" : `refresh_token=${this.caller.cookie}`,
    ];
    const cookie = cookies.filter(Boolean).join("; ");
    return this.keep(
      await this.caller.get(path, { headers: { ...(cookie !== "" && { cookie }), ...headers } }),
    );
  }

  /** Requests the callback URL; returns the fragment that the client receives. */
  async finish(callbackUrl: string, headers: Record<string, string> = {}): Promise<Record<string, string>> {
    const path = callbackUrl.slice(new URL(callbackUrl).origin.length);
    const outcome = outcomeOf(expectStatus(await this.get(path, headers), 302));
    if (outcome.token !== undefined) this.caller.accessToken = outcome.token;
    return outcome;
  }

  /** Keeps the state cookie of a response. */
  keep(response: ApiResponse): ApiResponse {
    const header = response.headers.getSetCookie().find((cookie) => cookie.startsWith(`${this.cookieName}=`));
    if (header !== undefined) {
      this.stateHeader = header;
      this.state = header.slice(this.cookieName.length + 1, header.indexOf(";")) || null;
    }
    return response;
  }
}

/** A browser during third-party sign-in. */
export class Browser extends StateBrowser {
  constructor(
    readonly oidc: Oidc,
    caller: Caller,
  ) {
    super("oidc_state", caller);
  }

  /** Starts a sign-in; returns the authorization URL. */
  async begin(headers: Record<string, string> = {}): Promise<string> {
    const response = expectStatus(await this.get(`/api/auth/oidc/${this.oidc.key}`, headers), 302);
    return response.headers.get("location") ?? "";
  }

  /** Starts to link the caller's account; returns the authorization URL. */
  async beginLink(password: string | undefined = this.caller.account.password): Promise<string> {
    const path = `/api/profile/identities/${this.oidc.key}`;
    const body = password === undefined || password === "" ? {} : { password };
    return expectStatus(this.keep(await this.caller.post(path, body)), 200).body.url;
  }

  /** Signs in as a user of the provider, from start to callback. */
  async signIn(subject: string | null): Promise<Record<string, string>> {
    return this.finish(await this.oidc.visit(await this.begin(), subject));
  }

  /** Links a user of the provider to the caller's account, from start to callback. */
  async link(subject: string | null, password?: string): Promise<Record<string, string>> {
    return this.finish(await this.oidc.visit(await this.beginLink(password), subject));
  }
}

/** Returns a browser without a session, or with a caller's session. */
export const browser = (t: Service, oidc: Oidc, caller = new Caller(t.url)) => new Browser(oidc, caller);

/** Returns the fragment of a redirect to the client. */
export function outcomeOf(response: ApiResponse): Record<string, string> {
  const [page, fragment = ""] = (response.headers.get("location") ?? "").split("#");
  if (page !== `${APP_URL}/auth/callback`) throw new Error(`Led to ${page}`);
  return Object.fromEntries(new URLSearchParams(fragment));
}
