import * as openid from "openid-client";
import type { Fetch } from "../../platform/tracing/tracing.ts";
import type { ProviderConfig } from "./config.ts";
import { profileFrom } from "./profile.ts";
import { type IdentityProvider, ProviderFailure } from "./provider.ts";

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

/**
 * Creates a sign-in provider with the `openid-client` package, which sends its requests with `send`. `callbackUrl`
 * is the redirect URI.
 */
export function openIdProvider(config: ProviderConfig, callbackUrl: string, send: Fetch): IdentityProvider {
  const { key, name, scopes, provesEmails } = config;
  const discovered = rediscovering(() => discover(config, send));

  async function withClient<T>(ask: (client: openid.Configuration) => Promise<T>): Promise<T> {
    try {
      return await ask(await discovered());
    } catch (error) {
      throw new ProviderFailure(key, error);
    }
  }

  return {
    key,
    name,
    begin: ({ asksAgain } = { asksAgain: false }) =>
      withClient(async (client) => {
        const secrets = {
          state: openid.randomState(),
          nonce: openid.randomNonce(),
          verifier: openid.randomPKCECodeVerifier(),
        };
        const url = openid.buildAuthorizationUrl(client, {
          redirect_uri: callbackUrl,
          scope: scopes,
          state: secrets.state,
          nonce: secrets.nonce,
          code_challenge: await openid.calculatePKCECodeChallenge(secrets.verifier),
          code_challenge_method: "S256",
          ...(asksAgain && { max_age: "0" }),
        });
        return { url: url.href, secrets };
      }),
    finish: (query, { state, nonce, verifier }) =>
      withClient(async (client) => {
        const tokens = await openid.authorizationCodeGrant(client, new URL(`${callbackUrl}?${query}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined) throw new Error("A response without an ID token");
        // Some providers put the email into the ID token, others return it only from the userinfo endpoint. `email`
        // and `email_verified` must come from the same source.
        const isAskable = client.serverMetadata().userinfo_endpoint !== undefined;
        const profile =
          claims.email === undefined && isAskable
            ? await openid.fetchUserInfo(client, tokens.access_token, claims.sub)
            : claims;
        return {
          ...profileFrom({ issuer: claims.iss, subject: claims.sub, provesEmails }, profile),
          authenticatedAt: claims.auth_time ?? null,
        };
      }),
  };
}

async function discover(
  { issuer, clientId, clientSecret }: ProviderConfig,
  send: Fetch,
): Promise<openid.Configuration> {
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
function clientAuth(server: openid.ServerMetadata, secret: string): openid.ClientAuth {
  const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  return methods.includes("client_secret_basic")
    ? openid.ClientSecretBasic(secret)
    : openid.ClientSecretPost(secret);
}

/**
 * Returns a function that caches the result of `ask`. Concurrent callers share one call, and the result is loaded
 * again after a while. If a reload fails, the earlier result is used.
 */
function rediscovering<T>(ask: () => Promise<T>): () => Promise<T> {
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
