import { browser } from "./dom.ts";
import type { Environment } from "./environment.ts";
import { read } from "./http.ts";
import { pendingSignIn } from "./memory.ts";
import { lazyPasskeys } from "./passkeys.ts";
import type { Attempt } from "./repeats.ts";
import { type Requests, renewing } from "./requests.ts";
import { readAccessToken, type SessionKeeper } from "./session.ts";
import type { Call } from "./settle.ts";
import type { CallbackError, CallbackOutcome, SecondFactorMethod, SignInMethods } from "./sign-in-methods.ts";
import type { Endpoint, Schemas } from "./types.ts";

/** The timeout of requests that change the session. */
const SENDING = { timeoutMs: 30_000, keepalive: true };

/** Starts, switches and ends sessions. While such a request is running, no tab refreshes. */
export function createSignIn(
  environment: Environment,
  session: SessionKeeper,
  requests: Requests,
  baseUrl: string,
): SignInMethods {
  const { once } = requests;
  const pending = pendingSignIn(baseUrl, environment.wall);
  /** Sends a request with the session's token, which is renewed if it is rejected. Must not run concurrently. */
  const withToken = async <T>(attempt: Attempt<T>, renew: () => Promise<string | null>) =>
    renewing(attempt, session.current() ?? (await renew()), renew);

  /** Sends the request that completes a sign-in, and sets the token of the response. */
  const startSession = (endpoint: Endpoint, body: unknown): Promise<void> =>
    session.exclusive(async () => {
      const { accessToken } = await once(endpoint, { body }, null, readAccessToken, SENDING);
      session.setToken(accessToken);
    });

  const leave = (url: string): void => browser.location?.assign(url);
  /** Leaves the page for a provider, and remembers that this tab did. */
  function begin(path: string): void {
    pending.begin();
    leave(`${baseUrl}/api/auth/${path}`);
  }

  return {
    signIn: (credentials) =>
      session.exclusive(async () => {
        const response = await once("POST /api/auth/login", { body: credentials }, null, read, SENDING);
        const outcome = response as Schemas["LoginResponse"];
        if (outcome.twoFactorRequired) {
          const { challengeToken, methods } = outcome;
          return { status: "two-factor", challengeToken, methods };
        }
        session.setToken(outcome.accessToken);
        return { status: "signed-in" };
      }),

    verifyTwoFactor: (factor) => startSession("POST /api/auth/2fa/verify", factor),

    passkeys: lazyPasskeys(async () => {
      const { createPasskeys } = await import("./ceremonies.ts");
      return createPasskeys(environment, requests, startSession);
    }),

    signInWithProvider: (provider) => begin(`oidc/${encodeURIComponent(provider)}`),

    sso: {
      discover: (email) =>
        once(
          "POST /api/auth/sso/discover",
          { body: { email } },
          null,
          read,
          SENDING,
        ) as Call<"POST /api/auth/sso/discover">,
      begin(connectionId, { loginHint } = {}) {
        const hint = loginHint === undefined ? "" : `?login_hint=${encodeURIComponent(loginHint)}`;
        begin(`sso/${encodeURIComponent(connectionId)}${hint}`);
      },
      beginTest: leave,
      reauthenticate: (connectionId) =>
        requests.request("POST /api/auth/sso/{connectionId}/reauthenticate", { path: { connectionId } }),
    },

    completeSignIn() {
      const { location, history } = browser;
      const fragment = new URLSearchParams(location?.hash.slice(1));
      const [[kind, value] = [], [, methods = ""] = []] = [...fragment];
      if (location === undefined || value === undefined) return null;
      const outcome = callbackOutcome(kind, value, methods);
      if (outcome === null) return null;
      // The token is removed from the URL: it must not remain in the browser's history or in a copied URL.
      history?.replaceState(history.state, "", location.pathname + location.search);
      const isExpected = pending.take();
      // Otherwise a link could sign the user in to the account of the link's sender (login CSRF, RFC 6749 10.12).
      if (!isExpected && (kind === "token" || kind === "challenge")) return null;
      if (kind === "token") session.setToken(value);
      return outcome;
    },

    switchOrganization: (organizationId) =>
      session.exclusive(async (renew) => {
        const move = (token: string | null) =>
          once("POST /api/auth/organization", { body: { organizationId } }, token, readAccessToken, SENDING);
        session.setToken((await withToken(move, renew)).accessToken);
      }),

    signOut: () =>
      session.exclusive(async (renew) => {
        if (session.get().status === "signed-out") return;
        const end = (token: string | null) =>
          token === null
            ? Promise.resolve()
            : once("POST /api/auth/logout", {}, token, async () => {}, SENDING);
        await withToken(end, renew);
        session.clear("signed-out");
      }),
  };
}

function callbackOutcome(kind: string | undefined, value: string, methods: string): CallbackOutcome | null {
  if (kind === "token") return { status: "signed-in" };
  if (kind === "challenge")
    return {
      status: "two-factor",
      challengeToken: value,
      methods: methods.split(",") as SecondFactorMethod[],
    };
  if (kind === "tested") return { status: kind, testId: value };
  if (kind === "linked" || kind === "reauthenticated") return { status: kind, provider: value };
  if (kind === "error") return { status: kind, code: value as CallbackError };
  return null;
}
