import type { App } from "../../core/context.ts";
import type { LinkRefusal } from "./link.ts";
import type { SignInRefusal } from "./sign-in.ts";

/** The outcomes of a third-party sign-in that did not succeed (rules 8.3). */
export type CallbackError =
  | SignInRefusal
  | LinkRefusal
  | "ACCESS_DENIED"
  | "PROVIDER_ERROR"
  | "TOO_MANY_REQUESTS";

/** How the client learns of the outcome. */
export type CallbackOutcome =
  | { token: string }
  | { challenge: string }
  | { linked: string }
  | { error: CallbackError };

/**
 * Sends the browser back to the client. The outcome is in the fragment, which no server, log or `Referer` gets to see.
 * The other headers are those of every response.
 */
export function redirectToClient(app: App, outcome: CallbackOutcome, cookies: string[]): Response {
  const fragment = new URLSearchParams(outcome as Record<string, string>);
  return redirect(`${app.config.appUrl}/auth/callback#${fragment}`, cookies);
}

export function redirect(location: string, cookies: string[]): Response {
  const headers = new Headers({ location });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(null, { status: 302, headers });
}
