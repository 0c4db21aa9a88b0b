import { type App, type Call, notFound, type SignedInCall, transaction } from "#kit";
import { providerError } from "#kit/inside";
import * as queries from "#sql/identities";
import {
  assertConfirmationsLeft,
  assertCredentialsGiven,
  assertRecentWithoutPassword,
  checkPassword,
  completePassword,
  countConfirmation,
  findAccountOfSession,
  lockAccount,
} from "../../core/accounts/reauthenticate.ts";
import { type IdentityProvider, ProviderFailure } from "./provider.ts";
import { type Purpose, stateCookie } from "./state-cookie.ts";

/** The URL to which the browser is redirected, and the state cookie that the callback checks. */
export type AuthorizationRedirect = { url: string; cookie: string };

/** Returns a configured sign-in provider. @throws notFound for a key that is not configured */
export function findProvider(app: App, key: string): IdentityProvider {
  const provider = app.identityProviders.get(key);
  if (provider === undefined) throw notFound();
  return provider;
}

/**
 * Starts the authorization of a user at a sign-in provider. @throws ProviderFailure if the provider is unavailable
 */
export async function beginAuthorization(
  { app }: Call,
  provider: IdentityProvider,
  purpose: Purpose,
): Promise<AuthorizationRedirect> {
  const { url, secrets } = await provider.begin({ asksAgain: purpose.kind === "reauthenticate" });
  return { url, cookie: stateCookie(app.config).set({ provider: provider.key, purpose, secrets }) };
}

/**
 * Starts linking a provider to the caller's account. Requires the password, or a recent proof of identity from an
 * account without one.
 * @throws unauthenticated, validationFailed, reauthenticationRequired, notFound, tooManyRequests, wrongPassword,
 * providerError
 */
export async function beginLink(
  call: SignedInCall,
  key: string,
  { password }: { password?: string | undefined },
): Promise<AuthorizationRedirect> {
  const { userId } = call.actor;
  const before = await findAccountOfSession(call.db, call.actor);
  assertCredentialsGiven(before, { password });
  await assertRecentWithoutPassword(call, before);
  const provider = findProvider(call.app, key);
  await assertConfirmationsLeft(call);
  await countConfirmation(call);
  const proof = await checkPassword(call, before, password);
  await transaction(call, async (tx) => completePassword(tx, await lockAccount(tx), proof));
  return beginOrRefuse(call, provider, { kind: "link", userId });
}

/**
 * Starts the re-authentication of the caller with a provider that is linked to the account.
 * @throws unauthenticated, notFound, providerError
 */
export async function beginReauthentication(call: SignedInCall, key: string): Promise<AuthorizationRedirect> {
  const { userId, sessionId } = call.actor;
  await findAccountOfSession(call.db, call.actor);
  const provider = findProvider(call.app, key);
  const linked = await queries.listIdentities.run({ userId }, call.db);
  if (!linked.some((identity) => identity.provider === key)) throw notFound();
  return beginOrRefuse(call, provider, { kind: "reauthenticate", userId, sessionId });
}

/** Like `beginAuthorization`, for a caller who gets JSON. @throws providerError */
const beginOrRefuse = (call: Call, provider: IdentityProvider, purpose: Purpose) =>
  beginAuthorization(call, provider, purpose).catch((error) => {
    throw error instanceof ProviderFailure ? providerError(error) : error;
  });
