import { ApiError } from "#kit";
import type { ErrorShape } from "#kit/inside";

/** The errors of RFC 6749, 5.2, and of extensions of it, each with its status and its sentence. */
const ERRORS = {
  invalid_request: [400, "The request lacks a parameter, repeats one, or is malformed"],
  invalid_client: [401, "The client is unknown, or did not prove itself as it must"],
  invalid_grant: [400, "The code or refresh token is not valid, or not for this client"],
  unsupported_grant_type: [400, "The grant type must be authorization_code or refresh_token"],
  invalid_target: [400, "The resource is not the one for which access was granted"],
  invalid_scope: [400, "The scope is more than what was granted"],
  temporarily_unavailable: [503, "The service cannot answer now; try again later"],
  server_error: [500, "Something went wrong"],
} as const satisfies Record<string, [number, string]>;
export type OAuthErrorName = keyof typeof ERRORS;
export const OAUTH_ERRORS = Object.keys(ERRORS) as OAuthErrorName[];

/** Returns an error of the token endpoint. */
export const oauthError = (name: OAuthErrorName, headers?: Record<string, string>): ApiError =>
  new ApiError(ERRORS[name][0], name, ERRORS[name][1], headers && { headers });

/** Errors that are not of the token endpoint itself, by status; others are malformed requests. */
const BY_STATUS: Record<number, OAuthErrorName> = {
  429: "temporarily_unavailable",
  500: "server_error",
  503: "temporarily_unavailable",
};

/** Returns the name under which an app gets an error. */
export const oauthErrorOf = ({ status, code }: ApiError): OAuthErrorName =>
  OAUTH_ERRORS.find((name) => name === code) ?? BY_STATUS[status] ?? "invalid_request";

/** Errors are in the shape of RFC 6749, 5.2 (rules 46.11). */
export const oauthErrorShape: ErrorShape = (error) => {
  const name = oauthErrorOf(error);
  return { status: error.status, body: { error: name, error_description: ERRORS[name][1] } };
};
