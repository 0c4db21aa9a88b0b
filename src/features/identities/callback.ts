import type { Call } from "#kit";
import { refreshTokenFrom } from "../sessions/cookie.ts";
import { type LinkRefusal, linkIdentity } from "./link.ts";
import { type IdentityProvider, ProviderFailure } from "./provider.ts";
import { reauthenticateBy } from "./reauthenticate.ts";
import { type CallbackResult, type SignedIn, signedIn, withoutSession } from "./redirect.ts";
import { type SignInRefusal, signInAs } from "./sign-in.ts";
import type { State } from "./state-cookie.ts";

/** The error codes of a third-party sign-in (rules 8.3). */
type CallbackError = SignInRefusal | LinkRefusal | "ACCESS_DENIED" | "PROVIDER_ERROR" | "TOO_MANY_REQUESTS";

export type CallbackOutcome =
  | SignedIn
  | { linked: string }
  | { reauthenticated: string }
  | { error: CallbackError };

type Callback = { provider: IdentityProvider; query: string; state: State | null };

/**
 * Finishes a third-party sign-in or the linking of an identity (rules 8.3, 8.7). Accepts only the browser and the
 * provider with which the attempt began. The provider is called before any transaction begins.
 */
export async function handleCallback(
  call: Call,
  visit: Callback,
  request: Request,
): Promise<CallbackResult<CallbackOutcome>> {
  const { provider, query, state } = visit;
  const parameters = new URLSearchParams(query);
  const isOurs = state !== null && state.provider === provider.key;
  if (!isOurs || parameters.getAll("state").join() !== state.secrets.state) return refused("INVALID_STATE");
  if (parameters.getAll("error").join() === "access_denied") return refused("ACCESS_DENIED");

  const profile = await providerResultOrNull(call, () =>
    call.db.excludeFromDeadline(() => provider.finish(query, state.secrets)),
  );
  if (profile === null) return refused("PROVIDER_ERROR");

  const { purpose } = state;
  const attempt = { provider: provider.key, profile, cookie: refreshTokenFrom(request) };
  if (purpose.kind === "link") {
    const refusal = await linkIdentity(call, { ...attempt, userId: purpose.userId });
    return refusal === null ? withoutSession({ linked: provider.key }) : refused(refusal);
  }
  if (purpose.kind === "reauthenticate") {
    const refusal = await reauthenticateBy(call, { ...attempt, ...purpose });
    return refusal === null ? withoutSession({ reauthenticated: provider.key }) : refused(refusal);
  }
  const started = await signInAs(call, attempt);
  return typeof started === "string" ? refused(started) : signedIn(call, started);
}

const refused = (error: CallbackError) => withoutSession({ error });

/**
 * Returns the sign-in provider's result, or null if the provider fails. The cause is logged; the browser gets only
 * an error code.
 */
export async function providerResultOrNull<T>(call: Call, ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    call.log.warn("identity provider failed", { err: error, requestId: call.requestId });
    return null;
  }
}
