import type { App } from "#kit";
import type { LinkRefusal } from "./link.ts";
import type { SignInRefusal } from "./sign-in.ts";

/** The error codes of a third-party sign-in (rules 8.3). */
export type CallbackError =
  | SignInRefusal
  | LinkRefusal
  | "ACCESS_DENIED"
  | "PROVIDER_ERROR"
  | "TOO_MANY_REQUESTS";

/** The result of a sign-in callback, which the client gets in the URL fragment. */
export type CallbackOutcome =
  | { token: string }
  | { challenge: string; methods: string }
  | { linked: string }
  | { reauthenticated: string }
  | { error: CallbackError };

export const redirectToClient = (app: App, outcome: CallbackOutcome, cookies: string[]): Response =>
  toClient(app, outcome, cookies);

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
