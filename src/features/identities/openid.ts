import {
  beginAuthorization,
  discoverClient,
  exchangeCode,
  type OpenIdClient,
  rediscovering,
} from "../../platform/http/openid.ts";
import type { Fetch } from "../../platform/tracing/tracing.ts";
import type { ProviderConfig } from "./config.ts";
import { profileFrom } from "./profile.ts";
import { type IdentityProvider, ProviderFailure } from "./provider.ts";

/**
 * Creates a sign-in provider with the `openid-client` package, which sends its requests with `send`. `callbackUrl`
 * is the redirect URI.
 */
export function openIdProvider(config: ProviderConfig, callbackUrl: string, send: Fetch): IdentityProvider {
  const { key, name, scopes, provesEmails } = config;
  const discovered = rediscovering(() => discoverClient(config, send));

  async function withClient<T>(ask: (client: OpenIdClient) => Promise<T>): Promise<T> {
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
      withClient((client) =>
        beginAuthorization(client, { callbackUrl, scopes, more: asksAgain ? { max_age: "0" } : {} }),
      ),
    finish: (query, secrets) =>
      withClient(async (client) => {
        const { claims, userInfo } = await exchangeCode(client, { callbackUrl, query, secrets });
        // Some providers put the email into the ID token, others return it only from the userinfo endpoint. `email`
        // and `email_verified` must come from the same source.
        const profile = claims.email === undefined ? ((await userInfo()) ?? claims) : claims;
        return {
          ...profileFrom({ issuer: claims.iss, subject: claims.sub, provesEmails }, profile),
          authenticatedAt: claims.auth_time ?? null,
        };
      }),
  };
}
