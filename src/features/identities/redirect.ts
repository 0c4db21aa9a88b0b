import type { App, Call } from "#kit";
import { type Challenge, isChallenge } from "../sessions/sign-in.ts";
import type { Session } from "../sessions/start.ts";
import { accessTokenOf, cookieOf, recordBreakGlass } from "../sessions/token-response.ts";

/** The result of a callback, which the client gets in the URL fragment, and the cookies of the session that it started. */
export type CallbackResult<Outcome> = { outcome: Outcome; cookies: string[] };

/** The outcome of a sign-in: a token, or the challenge for the second factor. */
export type SignedIn = { token: string } | { challenge: string; methods: string };

export const withoutSession = <const Outcome>(outcome: Outcome): CallbackResult<Outcome> => ({
  outcome,
  cookies: [],
});

/** Returns the result of a callback that has signed in. */
export async function signedIn(call: Call, started: Session | Challenge): Promise<CallbackResult<SignedIn>> {
  if (isChallenge(started))
    return withoutSession({ challenge: started.challengeToken, methods: started.methods.join(",") });
  await recordBreakGlass(call, started);
  return {
    outcome: { token: await accessTokenOf(call.app, started) },
    cookies: Object.values(cookieOf(call.app, started)),
  };
}

/**
 * Redirects the browser to the client. The result is in the URL fragment, which browsers do not send to servers: it
 * appears neither in logs nor in `Referer`. All other headers are the same as in every response.
 */
export function toClient(app: App, outcome: Record<string, string>, cookies: string[]): Response {
  const fragment = new URLSearchParams(outcome);
  return redirect(`${app.config.appUrl}/auth/callback#${fragment}`, cookies);
}

export function redirect(location: string, cookies: string[]): Response {
  const headers = new Headers({ location });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(null, { status: 302, headers });
}
