import { browser } from "./dom.ts";
import type { Environment } from "./environment.ts";
import { ApiError } from "./errors.ts";
import { read } from "./http.ts";
import { pendingSignIn } from "./memory.ts";
import { isUnauthenticated, type Requests } from "./requests.ts";
import { readAccessToken, type SessionKeeper } from "./session.ts";
import type { Call } from "./settle.ts";
import type { Endpoint, Schemas } from "./types.ts";

/** The outcome of a sign-in: a session, or a challenge for the second factor, valid for 5 minutes. */
export type SignInOutcome =
  | { readonly status: "signed-in" }
  | { readonly status: "two-factor"; readonly challengeToken: string };

/** The outcome of third-party sign-in. */
export type CallbackOutcome =
  | SignInOutcome
  | { readonly status: "linked"; readonly provider: string }
  | { readonly status: "error"; readonly code: CallbackError };

/** Why third-party sign-in failed (rules 8.3). */
export type CallbackError =
  | "ACCESS_DENIED"
  | "INVALID_STATE"
  | "EMAIL_NOT_VERIFIED"
  | "ACCOUNT_EXISTS"
  | "EMAIL_UNAVAILABLE"
  | "IDENTITY_IN_USE"
  | "PROVIDER_ERROR"
  | "TOO_MANY_REQUESTS";

/** A second factor: the code of the authenticator app, or a recovery code. */
export type SecondFactor = { readonly challengeToken: string } & (
  | { readonly code: string }
  | { readonly recoveryCode: string }
);

/** The timeout of requests that change the session. */
const SENDING = { timeoutMs: 30_000, keepalive: true };

/** Starts, switches and ends sessions. While one of these requests is in flight, no tab refreshes. */
export function createSignIn(
  { wall }: Environment,
  session: SessionKeeper,
  { once }: Requests,
  baseUrl: string,
) {
  const pending = pendingSignIn(baseUrl, wall);
  /** Sends a request with the session's token, renewed if it is rejected. Must not run concurrently. */
  async function withToken<T>(
    attempt: (token: string | null) => Promise<T>,
    renew: () => Promise<string | null>,
  ) {
    const token = session.held() ?? (await renew());
    try {
      return await attempt(token);
    } catch (error) {
      if (token === null || !isUnauthenticated(error)) throw error;
      const other = await renew();
      if (other === null) throw error;
      return attempt(other);
    }
  }

  return {
    signIn: (credentials: Schemas["LoginBody"]): Call<"POST /api/auth/login", SignInOutcome> =>
      session.exclusive(async () => {
        const answer = await once("POST /api/auth/login", { body: credentials }, null, read, SENDING);
        const outcome = answer as Schemas["LoginResponse"];
        if (outcome.twoFactorRequired)
          return { status: "two-factor", challengeToken: outcome.challengeToken };
        session.setToken(outcome.accessToken);
        return { status: "signed-in" };
      }),

    verifyTwoFactor: (factor: SecondFactor): Call<"POST /api/auth/2fa/verify", void> =>
      session.exclusive(async () => {
        const { accessToken } = await once(
          "POST /api/auth/2fa/verify",
          { body: factor },
          null,
          readAccessToken,
          SENDING,
        );
        session.setToken(accessToken);
      }),

    signInWithProvider(provider: string): void {
      pending.begin();
      browser.location?.assign(`${baseUrl}/api/auth/oidc/${encodeURIComponent(provider)}`);
    },

    completeSignIn(): CallbackOutcome | null {
      const { location, history } = browser;
      const fragment = new URLSearchParams(location?.hash.slice(1));
      const [[kind, value] = []] = [...fragment];
      if (location === undefined || value === undefined) return null;
      const outcome = callbackOutcome(kind, value);
      if (outcome === null) return null;
      // A token must not remain in the browser's history or in a copied URL.
      history?.replaceState(history.state, "", location.pathname + location.search);
      const isExpected = pending.take();
      // A link could otherwise sign the user in to the account of the link's sender (login CSRF, RFC 6749 10.12).
      if (!isExpected && (kind === "token" || kind === "challenge")) return null;
      if (kind === "token") session.setToken(value);
      return outcome;
    },

    switchOrganization: (organizationId: string): Call<"POST /api/auth/organization", void> =>
      session.exclusive(async (renew) => {
        const endpoint: Endpoint = "POST /api/auth/organization";
        const move = (token: string | null) =>
          once(endpoint, { body: { organizationId } }, token, readAccessToken, SENDING);
        try {
          session.setToken((await withToken(move, renew)).accessToken);
        } catch (error) {
          // An interrupted refresh may have left a replaced cookie: another refresh shows whether there is a session.
          if (!(error instanceof ApiError) || error.code !== "INVALID_REFRESH_TOKEN") throw error;
          const token = await renew();
          if (token === null) throw error;
          session.setToken((await move(token)).accessToken);
        }
      }),

    signOut: (): Call<"POST /api/auth/logout", void> =>
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

function callbackOutcome(kind: string | undefined, value: string): CallbackOutcome | null {
  if (kind === "token") return { status: "signed-in" };
  if (kind === "challenge") return { status: "two-factor", challengeToken: value };
  if (kind === "linked") return { status: "linked", provider: value };
  if (kind === "error") return { status: "error", code: value as CallbackError };
  return null;
}
