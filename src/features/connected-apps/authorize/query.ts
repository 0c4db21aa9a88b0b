import type { Config } from "#kit";
import type { AppResource } from "../../../core/access/access.ts";
import { invalidAuthorizationRequest } from "../../../core/access/app-errors.ts";
import { appScopeNames } from "../../../core/access/app-scopes.ts";
import { matchesRedirect, redirectTo } from "../clients/redirects.ts";
import { resourceOf } from "../resource.ts";

/*
 * The query of an authorization request (OAuth 2.1, 4.1.1; rules 46.1 to 46.4). The page shows every fault. The app learns of a
 * fault only if its client id and redirect are valid, and only when the person goes back to it.
 */

/** Parameters that may be sent once. */
const ONCE = [
  "client_id",
  "redirect_uri",
  "response_type",
  "response_mode",
  "code_challenge",
  "code_challenge_method",
  "state",
  "scope",
  "request",
  "request_uri",
] as const;
type Name = (typeof ONCE)[number];

/** The parameters as sent; null if absent or empty (RFC 6749, 3.1). */
export type Parameters = Record<Name, string | null> & { resource: string[] };

/** A valid authorization request. */
export type AppRequest = {
  redirectUri: string;
  codeChallenge: string;
  state: string | null;
  resource: AppResource;
  /** The scopes to offer to the person, sorted as in the catalog. */
  scopes: string[];
};

type Place = Pick<Config, "apiUrl" | "mcp">;

/** Reads the parameters of a raw query. Others than those of OAuth are ignored. @throws invalidAuthorizationRequest if one is repeated */
export function readParameters(query: string): Parameters {
  const sent = new URLSearchParams(query);
  for (const name of ONCE)
    if (sent.getAll(name).length > 1)
      throw refused("invalid_request", name, `${name} must not be sent more than once`);
  const values = Object.fromEntries(ONCE.map((name) => [name, sent.get(name) || null]));
  return { ...(values as Record<Name, string | null>), resource: sent.getAll("resource").filter(Boolean) };
}

/** The checks of the other parameters. The first that fails decides. */
const CHECKS: [parameter: Name, error: string, isGood: (value: string | null) => boolean, rule: string][] = [
  ["response_type", "unsupported_response_type", (type) => type === "code", "must be code"],
  ["response_mode", "invalid_request", (mode) => mode === null || mode === "query", "must be query"],
  [
    "code_challenge",
    "invalid_request",
    (challenge) => /^[A-Za-z0-9_-]{43}$/.test(challenge ?? ""),
    "must be a challenge of 43 characters",
  ],
  ["code_challenge_method", "invalid_request", (method) => method === "S256", "must be S256"],
  ["state", "invalid_request", isState, "must be at most 2048 characters"],
  ["request", "request_not_supported", (request) => request === null, "is not supported"],
  ["request_uri", "request_uri_not_supported", (address) => address === null, "is not supported"],
];

/**
 * Validates the other parameters of a request of a known app. The first fault decides.
 * @throws invalidAuthorizationRequest
 */
export function judge(parameters: Parameters, redirectUris: string[], place: Place): AppRequest {
  const { redirect_uri: redirectUri, code_challenge: codeChallenge, state } = parameters;
  if (redirectUri === null || !matchesRedirect(redirectUris, redirectUri))
    throw refused("invalid_request", "redirect_uri", "redirect_uri must be one of the app's");
  const back = (error: string) =>
    redirectTo(redirectUri, { error, state: isState(state) ? state : null, iss: place.apiUrl });
  for (const [parameter, error, isGood, rule] of CHECKS)
    if (!isGood(parameters[parameter])) throw refused(error, parameter, `${parameter} ${rule}`, back(error));
  const [named = `${place.apiUrl}/mcp`, ...more] = parameters.resource;
  const resource = more.length > 0 ? null : resourceOf(named, place);
  if (resource === null)
    throw refused(
      "invalid_target",
      "resource",
      "resource must be one of this service's",
      back("invalid_target"),
    );
  return {
    redirectUri,
    codeChallenge: codeChallenge ?? "",
    state,
    resource,
    scopes: scopesOf(parameters.scope),
  };
}

/** Whether a state can be returned as it was sent: bytes that are no UTF-8 could not. */
function isState(state: string | null): boolean {
  return state === null || ([...state].length <= 2_048 && !state.includes("\ufffd"));
}

/** Returns the scopes that are asked for. Unknown names are ignored; without a known one it is all of them. */
function scopesOf(scope: string | null): string[] {
  const asked = new Set((scope ?? "").split(" "));
  const known = appScopeNames().filter((name) => asked.has(name));
  return known.length > 0 ? known : appScopeNames();
}

/** Returns the error for a request that the page shows. */
export const refused = (error: string, parameter: string, message: string, back: string | null = null) =>
  invalidAuthorizationRequest(message, { error, parameter, redirectTo: back });
