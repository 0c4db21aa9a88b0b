import { z } from "zod";
import { type ApiError, defineError } from "../../platform/errors.ts";
import type { AppResource } from "./access.ts";
import { appScopeNames } from "./app-scopes.ts";
import { unauthenticated } from "./errors.ts";

/** The error for an app that its organization, or the operator, does not let people connect. */
export const clientNotApproved = defineError(
  403,
  "CLIENT_NOT_APPROVED",
  "The organization has not approved this app",
);

type Place = { apiUrl: string; resource: AppResource };
const metadataOf = ({ apiUrl, resource }: Place) =>
  `resource_metadata="${apiUrl}/.well-known/oauth-protected-resource/${resource}"`;

/** The error for a permission that the person holds and the grant does not; names all scopes that are missing (RFC 6750, 3.1). */
export const insufficientScope = defineError(
  403,
  "INSUFFICIENT_SCOPE",
  "The app was not granted this",
  (scopes: string[], place: Place) => ({
    headers: {
      "www-authenticate": `Bearer error="insufficient_scope", scope="${scopes.join(" ")}", ${metadataOf(place)}`,
    },
  }),
);

/**
 * Returns the header of a 401 that says where an app gets a token (RFC 9728, 5.1). It names all scopes, because clients ask
 * for what it names: the person chooses less, not the client.
 */
export const appChallenge = (scopes: string[], place: Place, { wasSent }: { wasSent: boolean }) => ({
  "www-authenticate": `Bearer ${metadataOf(place)}, scope="${scopes.join(" ")}"${wasSent ? ', error="invalid_token"' : ""}`,
});

/** The error for an authorization request that the page shows; `redirectTo` leads back to an app that may be told. */
export const invalidAuthorizationRequest = defineError(
  400,
  "INVALID_AUTHORIZATION_REQUEST",
  "The authorization request is invalid",
  (message: string, details: { error: string; parameter: string | null; redirectTo: string | null }) => ({
    message,
    details,
  }),
  z.object({
    details: z
      .object({
        error: z.string().describe("The error of RFC 6749, 4.1.2.1, or of an extension of it."),
        parameter: z.string().nullable().describe("The parameter that is wrong; null if it is none alone."),
        redirectTo: z
          .string()
          .nullable()
          .describe("The address that tells the app; null if the request names no app that may be told."),
      })
      .describe("What is wrong with the authorization request."),
  }),
);

/** Returns the error for a token of an app that does not work; it says where the app gets another, if apps may be connected. */
export function invalidAppToken(
  { oauth, apiUrl }: { oauth: boolean; apiUrl: string },
  resource: AppResource,
): ApiError {
  const error = unauthenticated();
  if (oauth) {
    const headers = appChallenge(appScopeNames(), { apiUrl, resource }, { wasSent: true });
    Object.assign(error.extra, { headers });
  }
  return error;
}
