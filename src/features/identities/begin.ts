import type { App, Call, SignedInCall } from "../../core/context.ts";
import { confirmed } from "../../core/people/reauthenticate.ts";
import { notFound, providerError } from "../../platform/errors.ts";
import { type IdentityProvider, ProviderFailure } from "./provider.ts";
import { type Purpose, stateCookie } from "./state-cookie.ts";

/** Where to send the browser, and the cookie that its return must fit to. */
export type Departure = { url: string; cookie: string };

/** @throws notFound for a key that is not configured */
export function findProvider(app: App, key: string): IdentityProvider {
  const provider = app.identityProviders.get(key);
  if (provider === undefined) throw notFound();
  return provider;
}

/** @throws ProviderFailure where the provider is out of reach */
export async function beginAuthorization(
  { app }: Call,
  provider: IdentityProvider,
  purpose: Purpose,
): Promise<Departure> {
  const { url, secrets } = await provider.begin();
  return { url, cookie: stateCookie(app.config).set({ provider: provider.key, purpose, secrets }) };
}

/**
 * Begins to link a provider to the caller's account, whose password is asked for where it has one.
 * @throws what `confirmed` throws; notFound; providerError
 */
export async function beginLink(call: SignedInCall, key: string, given: { password?: string | undefined }) {
  const find = () => findProvider(call.app, key);
  await confirmed(call, { asks: ["password"], given, find }, async () => {});
  try {
    return await beginAuthorization(call, find(), { kind: "link", userId: call.actor.userId });
  } catch (error) {
    throw error instanceof ProviderFailure ? providerError(error) : error;
  }
}
