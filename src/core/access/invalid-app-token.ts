import type { ApiError } from "../../platform/errors.ts";
import { type AppResource, appChallenge } from "./app-errors.ts";
import { appScopeNames } from "./app-scopes.ts";
import { unauthenticated } from "./errors.ts";

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
