import type { OidcProfile } from "./profile.ts";

declare module "../../core/context.ts" {
  interface App {
    /** The configured providers by key, in the order of the configuration. */
    readonly identityProviders: ReadonlyMap<string, IdentityProvider>;
  }
}

/** Secrets of the browser that began the sign-in, kept in the state cookie until the callback. */
export type AuthorizationSecrets = { state: string; nonce: string; verifier: string };

/** An OpenID provider. All calls to it go through this interface, and never while a transaction is open. */
export interface IdentityProvider {
  readonly key: string;
  readonly name: string;
  /** Returns the authorization URL; `asksAgain`: the user must prove themselves to the provider now. @throws ProviderFailure */
  begin(options?: { asksAgain: boolean }): Promise<{ url: string; secrets: AuthorizationSecrets }>;
  /** Exchanges the code in the query of the callback for the user's profile. @throws ProviderFailure */
  finish(query: string, secrets: AuthorizationSecrets): Promise<OidcProfile>;
}

/** The provider is unavailable, or its response is invalid. The cause is logged. */
export class ProviderFailure extends Error {
  constructor(key: string, cause: unknown) {
    super(`The identity provider ${key} failed`, { cause });
  }
}
