import type { z } from "zod";
import { ApiError, type SignedInCall } from "#kit";
import { invalidAuthorizationRequest } from "../../../core/access/app-errors.ts";
import { appScopes } from "../../../core/access/app-scopes.ts";
import { invalidOrExpiredToken } from "../../../core/accounts/errors.ts";
import { isLoopback, redirectTo } from "../clients/redirects.ts";
import { findClient, isOtherSite } from "./find-client.ts";
import { listOrganizations } from "./organizations.ts";
import { judge, readParameters, refused } from "./query.ts";
import { issueRequestToken, readRequestToken, type Shown } from "./request-token.ts";
import type { AuthorizationRequest } from "./schemas.ts";

const USUAL_DAYS = 30;

/** Returns the most days of a grant, and those that are proposed. */
export function daysOf({ app }: Pick<SignedInCall, "app">) {
  const maxDays = app.config.oauthGrantDays;
  return { maxDays, days: Math.min(USUAL_DAYS, maxDays) };
}

/** Validates an authorization request, and returns the contents of the page of consent. @throws invalidAuthorizationRequest */
export async function begin(
  call: SignedInCall,
  query: string,
): Promise<z.output<typeof AuthorizationRequest>> {
  const shown = await readRequest(call, query).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === invalidAuthorizationRequest.code)
      call.app.meter.count("oauth_requests_total", { outcome: "refused" });
    throw error;
  });
  const [token, organizations] = await Promise.all([
    issueRequestToken(call, shown),
    listOrganizations(call, shown),
  ]);
  call.app.meter.count("oauth_requests_total", { outcome: "shown" });
  const { id, name, host, source } = shown.client;
  const redirectHost = new URL(shown.redirectUri).hostname;
  const loopback = isLoopback(shown.redirectUri);
  return {
    requestToken: token.requestToken,
    expiresAt: token.expiresAt.toISOString(),
    client: { id, name, host, source },
    redirectHost,
    loopback,
    otherSite: !loopback && isOtherSite(host, redirectHost),
    resource: shown.resource,
    scopes: appScopes().flatMap(({ name, description, write }) =>
      shown.scopes.includes(name) ? [{ name, description, write }] : [],
    ),
    ...daysOf(call),
    organizations,
  };
}

async function readRequest(call: SignedInCall, query: string): Promise<Shown> {
  const parameters = readParameters(query);
  const { client_id: clientId } = parameters;
  if (clientId === null) throw refused("invalid_client", "client_id", "client_id is required");
  const client = await findClient(call, clientId);
  if (client === null)
    throw refused("invalid_client", "client_id", "The app's description could not be read");
  const { redirectUris, ...described } = client;
  return { client: described, ...judge(parameters, redirectUris, call.app.config) };
}

/** Returns the redirect with the error `access_denied`. Writes nothing. @throws invalidOrExpiredToken */
export async function deny(call: SignedInCall, requestToken: string) {
  const shown = await readRequestToken(call, requestToken);
  if (shown === null) throw invalidOrExpiredToken();
  const { app } = call;
  app.meter.count("oauth_requests_total", { outcome: "denied" });
  const { redirectUri, state } = shown;
  return { redirectTo: redirectTo(redirectUri, { error: "access_denied", state, iss: app.config.apiUrl }) };
}
