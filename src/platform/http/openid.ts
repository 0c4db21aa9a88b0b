import * as openid from "openid-client";
import type { Fetch } from "../tracing/tracing.ts";

export type OpenIdClient = openid.Configuration;

/** Secrets of one authorization. A cookie keeps them in the browser until the callback. */
export type AuthorizationSecrets = { state: string; nonce: string; verifier: string };

/**
 * The timeout of a call to the provider. A callback makes up to four calls, and must end before proxies stop
 * waiting for a response (usually after 60 s).
 */
const TIMEOUT_SECONDS = 5;
const CLOCK_TOLERANCE_SECONDS = 30;
/**
 * The time after which the provider's metadata is loaded again: long enough to cost nothing, short enough to notice
 * changes.
 */
const REDISCOVER_MS = 60 * 60 * 1000;

/** Loads a provider's metadata. Its requests go through `send`. A null secret is that of a public client. */
export async function discoverClient(
  { issuer, clientId, clientSecret }: { issuer: string; clientId: string; clientSecret: string | null },
  send: Fetch,
): Promise<OpenIdClient> {
  const isInTheClear = issuer.toLowerCase().startsWith("http:");
  return openid.discovery(
    new URL(issuer),
    clientId,
    { [openid.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
    (server, ...more) => clientAuth(server, clientSecret)(server, ...more),
    {
      timeout: TIMEOUT_SECONDS,
      [openid.customFetch]: send,
      execute: [openid.enableNonRepudiationChecks, ...(isInTheClear ? [openid.allowInsecureRequests] : [])],
    },
  );
}

/**
 * Returns the method by which the service authenticates at the token endpoint: client_secret_basic, which every
 * provider should support; client_secret_post if the provider's metadata does not list client_secret_basic.
 */
function clientAuth(server: openid.ServerMetadata, secret: string | null): openid.ClientAuth {
  if (secret === null) return openid.None();
  const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  return methods.includes("client_secret_basic")
    ? openid.ClientSecretBasic(secret)
    : openid.ClientSecretPost(secret);
}

/** Starts an authorization by code, with PKCE: returns its URL and secrets. */
export async function beginAuthorization(
  client: OpenIdClient,
  { callbackUrl, scopes, more = {} }: { callbackUrl: string; scopes: string; more?: Record<string, string> },
): Promise<{ url: string; secrets: AuthorizationSecrets }> {
  const secrets = {
    state: openid.randomState(),
    nonce: openid.randomNonce(),
    verifier: openid.randomPKCECodeVerifier(),
  };
  const url = openid.buildAuthorizationUrl(client, {
    ...more,
    redirect_uri: callbackUrl,
    scope: scopes,
    state: secrets.state,
    nonce: secrets.nonce,
    code_challenge: await openid.calculatePKCECodeChallenge(secrets.verifier),
    code_challenge_method: "S256",
  });
  return { url: url.href, secrets };
}

/**
 * Exchanges the code in a callback's query for the claims of the ID token, whose signature, issuer, audience, nonce and
 * times are checked. `userInfo` returns further claims of the same subject, or null if the provider has no such endpoint.
 */
export async function exchangeCode(
  client: OpenIdClient,
  { callbackUrl, query, secrets }: { callbackUrl: string; query: string; secrets: AuthorizationSecrets },
) {
  const tokens = await openid.authorizationCodeGrant(client, new URL(`${callbackUrl}?${query}`), {
    expectedState: secrets.state,
    expectedNonce: secrets.nonce,
    pkceCodeVerifier: secrets.verifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new Error("A response without an ID token");
  return {
    claims,
    userInfo: async (): Promise<Record<string, unknown> | null> =>
      client.serverMetadata().userinfo_endpoint === undefined
        ? null
        : openid.fetchUserInfo(client, tokens.access_token, claims.sub),
  };
}

/**
 * Returns a function that caches the result of `ask`. Concurrent callers share one call, and the result is loaded
 * again after a while. If a reload fails, the earlier result is used.
 */
export function rediscovering<T>(ask: () => Promise<T>): () => Promise<T> {
  let known: { value: T; since: number } | null = null;
  let asking: Promise<T> | null = null;
  return async () => {
    if (known !== null && performance.now() - known.since < REDISCOVER_MS) return known.value;
    asking ??= ask().finally(() => {
      asking = null;
    });
    try {
      known = { value: await asking, since: performance.now() };
    } catch (error) {
      if (known === null) throw error;
    }
    return known.value;
  };
}

/**
 * Whether the parameters or the code that a browser brought were refused. Anybody can bring some, so it says nothing about the
 * provider.
 */
export function isResponseRefused(error: unknown): boolean {
  if (error instanceof openid.ResponseBodyError) return error.error === "invalid_grant";
  if (error instanceof openid.AuthorizationResponseError) return true;
  if (!(error instanceof openid.ClientError) || error.code !== "OAUTH_INVALID_RESPONSE") return false;
  // What is wrong in an answer of the provider itself is attached as the cause.
  const found = (error.cause as Error | undefined)?.cause;
  return found === undefined || (typeof found === "object" && found !== null && "parameters" in found);
}

/** Whether the provider refused the client itself: unknown, or with a wrong or expired secret. */
export const isClientRefused = (error: unknown): boolean =>
  (error instanceof openid.ResponseBodyError && /^(invalid|unauthorized)_client$/.test(error.error)) ||
  (error instanceof openid.WWWAuthenticateChallengeError && error.status === 401);
