import type { SignedInCall } from "#kit";
import { invalidOrExpiredToken } from "../../../core/accounts/errors.ts";
import { redirectTo } from "../clients/redirects.ts";
import { readRequestToken } from "./request-token.ts";

/** Returns the redirect with the error `access_denied`. Writes nothing. @throws invalidOrExpiredToken */
export async function deny(call: SignedInCall, requestToken: string) {
  const shown = await readRequestToken(call, requestToken);
  if (shown === null) throw invalidOrExpiredToken();
  const { app } = call;
  app.meter.count("oauth_requests_total", { outcome: "denied" });
  const { redirectUri, state } = shown;
  return { redirectTo: redirectTo(redirectUri, { error: "access_denied", state, iss: app.config.apiUrl }) };
}
