import { ApiError, unauthenticated } from "#kit";
import type { RequestContext } from "#kit/inside";
import type { Actor } from "../../../core/access/access.ts";
import { appChallenge } from "../../../core/access/app-errors.ts";
import { appScopeNames } from "../../../core/access/app-scopes.ts";
import { looksLikeApiKey, looksLikeAppSecret } from "../../../core/access/token-forms.ts";
import { verifyKey } from "../../service-accounts/verify-key.ts";
import { verifyApp } from "../tokens/verify.ts";

const BEARER = /^bearer +(\S+) *$/i;

/**
 * Verifies the caller of `/mcp`: an app by its token for this resource, or a service account by its API key.
 * @throws unauthenticated with the header that says where an app gets a token; the errors of `verifyApp` and `verifyKey`
 */
export async function authenticateAgent(request: Request, context: RequestContext): Promise<Actor> {
  const token = BEARER.exec(request.headers.get("authorization") ?? "")?.[1] ?? null;
  try {
    if (token !== null && looksLikeAppSecret(token)) return await verifyApp(token, "mcp", context);
    if (token !== null && looksLikeApiKey(token)) return await verifyKey(token, request, context);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
  }
  throw refused(context, { wasSent: request.headers.has("authorization") });
}

/** Returns the error for a caller who is none, or is none any more. */
export function refused({ app }: RequestContext, { wasSent }: { wasSent: boolean }): ApiError {
  const error = unauthenticated();
  const place = { apiUrl: app.config.apiUrl, resource: "mcp" as const };
  Object.assign(error.extra, { headers: appChallenge(appScopeNames(), place, { wasSent }) });
  return error;
}
