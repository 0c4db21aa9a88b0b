import type { OidcProfile } from "./profile.ts";

declare module "../../core/context.ts" {
  interface App {
    /** By their keys, in the order of the configuration. */
    readonly identityProviders: ReadonlyMap<string, IdentityProvider>;
  }
}

/** What only the browser that began may know; it comes back with the callback, in the state cookie. */
export type AuthorizationSecrets = { state: string; nonce: string; verifier: string };

/** An OpenID provider: the one seam to it. Nothing here runs while a transaction is open. */
export interface IdentityProvider {
  readonly key: string;
  readonly name: string;
  /** Where to send the browser. @throws ProviderFailure */
  begin(): Promise<{ url: string; secrets: AuthorizationSecrets }>;
  /** Whom the provider names, by the query that its redirect came with. @throws ProviderFailure */
  finish(query: string, secrets: AuthorizationSecrets): Promise<OidcProfile>;
}

/** The provider is out of reach, or what it said does not hold. The cause is for the log. */
export class ProviderFailure extends Error {
  constructor(key: string, cause: unknown) {
    super(`The identity provider ${key} failed`, { cause });
  }
}
