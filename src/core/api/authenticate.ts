import type { Actor } from "../access/access.ts";
import { allowsApiKeys, allowsApps } from "../access/access.ts";
import type { AccessTokenClaims } from "../access/access-token.ts";
import { looksLikeApiKey } from "../access/api-key-form.ts";
import { appNotAllowed } from "../access/app-errors.ts";
import { looksLikeAppSecret } from "../access/app-token-form.ts";
import { apiKeyNotAllowed, productKeyRequired, unauthenticated } from "../access/errors.ts";
import type { App } from "../context.ts";
import { authenticateKey } from "./api-key.ts";
import { authenticateApp } from "./app-token.ts";
import { authenticateProduct, isProductKey } from "./product-key.ts";
import type { RequestContext } from "./request-context.ts";
import type { RouteDefinition } from "./route.ts";
import { authenticateSetup, looksLikeSetupToken } from "./setup-link.ts";

/** Rejects apps on a public route that reads the refresh cookie; whether their token works does not matter. @throws appNotAllowed */
export function refuseApps(headers: Headers): void {
  const token = bearer(headers.get("authorization"));
  if (token !== null && looksLikeAppSecret(token)) throw appNotAllowed();
}

/** Returns the claims of a valid access token that was sent to a public route; otherwise null. */
export async function findCaller(headers: Headers, app: App): Promise<AccessTokenClaims | null> {
  const token = bearer(headers.get("authorization"));
  return token === null ? null : app.accessTokens.verify(token);
}

/**
 * Verifies the access token or API key of a route that requires one; returns null on a public route. Reads only
 * headers, so that it can run before the body is read.
 * @throws unauthenticated; productKeyRequired on a route of the product; the errors of `authenticateSetup` for a setup link; for an API key also the errors of `authenticateKey`, for an app those of `authenticateApp`
 */
export async function authenticate(
  definition: Pick<RouteDefinition, "access" | "apiKeys" | "apps" | "method" | "setup">,
  request: Request,
  context: RequestContext,
): Promise<Actor | null> {
  if (definition.access === "public") return null;
  if (context.caller !== undefined) return callerInside(definition, context.caller, context);
  const token = bearer(request.headers.get("authorization"));
  if (token === null) throw definition.access === "product" ? productKeyRequired() : unauthenticated();
  if (definition.access === "product" || isProductKey(token, context.app))
    return authenticateProduct(token, context);
  if (looksLikeSetupToken(token)) return authenticateSetup(definition, token, context);
  if (looksLikeAppSecret(token)) return authenticateApp(definition, token, context);
  if (looksLikeApiKey(token)) return authenticateKey(definition, token, request, context);
  if (definition.access === "setup-link") throw unauthenticated();
  const claims = await context.app.accessTokens.verify(token);
  if (claims === null) throw unauthenticated();
  const { sub, sid: sessionId, isPlatformAdmin } = claims;
  context.userId = sub;
  return { type: "user", id: sub, userId: sub, sessionId, isPlatformAdmin, claims };
}

/** Returns the caller of a request that the service makes itself, if the route is for callers of its kind. */
function callerInside(
  definition: Pick<RouteDefinition, "access" | "apiKeys" | "apps" | "method">,
  caller: Actor,
  context: RequestContext,
): Actor {
  if (caller.type === "user" && caller.app && !allowsApps(definition)) throw appNotAllowed();
  if (caller.type === "service_account" && !allowsApiKeys(definition)) throw apiKeyNotAllowed();
  context.userId = caller.userId;
  return caller;
}

const SCHEME = "bearer ";

/**
 * Returns the bearer token without validating it. A regular expression over all its characters would cost as much
 * as all other checks together.
 */
function bearer(authorization: string | null): string | null {
  if (authorization === null || authorization.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return null;
  return authorization.slice(SCHEME.length).trim() || null;
}
