import type { AuthorizationSecrets } from "../../platform/http/openid.ts";
import type { OidcProfile } from "./profile.ts";

declare module "../../core/context.ts" {
  interface App {
    /** The configured sign-in providers by key, sorted as in the configuration. */
    readonly identityProviders: ReadonlyMap<string, IdentityProvider>;
  }
}

/**
 * An OpenID provider for signing in. All calls to it go through this interface, and never while a transaction is
 * open.
 */
export interface IdentityProvider {
  readonly key: string;
  readonly name: string;
  /**
   * Starts an authorization: returns its URL and secrets. With `asksAgain`, the user must authenticate again at the
   * provider.
   * @throws ProviderFailure
   */
  begin(options?: { asksAgain: boolean }): Promise<{ url: string; secrets: AuthorizationSecrets }>;
  /** Exchanges the authorization code in the callback's query for the user's profile. @throws ProviderFailure */
  finish(query: string, secrets: AuthorizationSecrets): Promise<OidcProfile>;
}

/** The error for a sign-in provider that is unavailable, or whose response is invalid. The cause is logged. */
export class ProviderFailure extends Error {
  constructor(key: string, cause: unknown) {
    super(`The identity provider ${key} failed`, { cause });
  }
}
