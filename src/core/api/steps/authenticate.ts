import { notFound } from "../../../platform/errors.ts";
import { type Actor, allowsApiKeys, allowsApps } from "../../access/access.ts";
import { apiKeyNotAllowed, appNotAllowed, productKeyRequired, unauthenticated } from "../../access/errors.ts";
import { declared } from "../../definitions/features.ts";
import type { RequestContext } from "../request-context.ts";
import type { RouteDefinition } from "../route.ts";
import type { Incoming, StepOf } from "./incoming.ts";

type Route = Pick<RouteDefinition, "access" | "apiKeys" | "apps" | "method" | "setup">;
type Sent = { route: Route; request: Request; context: RequestContext };

/** A kind of callers with bearer tokens of their own, beside the access tokens of people. */
export type CallerKind = {
  /** Whether a token is for this kind to verify: by its form, or by the route. The first kind that recognizes it verifies it. */
  recognizes: (token: string, sent: Sent) => boolean;
  /**
   * Returns the caller. Reads only headers, because the body is read later. Whether the route is for API keys or apps is
   * checked afterwards.
   * @throws ApiError
   */
  verify: (token: string, sent: Sent) => Actor | Promise<Actor>;
};

const callerKinds = () => declared<CallerKind>("callers");

/**
 * Verifies the access token or API key by the headers alone, before the body is read (rules 2.4, 2). A public route
 * with `optionalBearer` gets the claims of a valid token, and treats any other value like none. One that reads the refresh
 * cookie rejects apps, whether their token works or not.
 */
export const authenticateCaller: StepOf = (route) => {
  if (route.access !== "public")
    return async (incoming) => {
      incoming.actor = await authenticate(route, incoming);
    };
  if (route.optionalBearer)
    return async ({ c, app, request }) => {
      const token = bearer(request.headers);
      c.set("caller", token === null ? null : await app.accessTokens.verify(token));
    };
  if (allowsApps(route)) return null;
  return ({ request, context }) => {
    const token = bearer(request.headers);
    if (token !== null && callerKinds().app?.recognizes(token, { route, request, context }))
      throw appNotAllowed();
  };
};

/**
 * Verifies the caller of a route that requires one, and that the route is for callers of its kind.
 * @throws unauthenticated, productKeyRequired, appNotAllowed, apiKeyNotAllowed, notFound; the errors of the caller's kind
 */
async function authenticate(route: Route, { request, context }: Incoming): Promise<Actor> {
  if (context.caller !== undefined) {
    context.userId = context.caller.userId;
    return allowed(route, context.caller);
  }
  const token = bearer(request.headers);
  if (token === null) throw route.access === "product" ? productKeyRequired() : unauthenticated();
  const sent = { route, request, context };
  for (const kind of Object.values(callerKinds()))
    if (kind.recognizes(token, sent)) return allowed(route, await kind.verify(token, sent));
  if (route.access === "setup-link") throw unauthenticated();
  const claims = await context.app.accessTokens.verify(token);
  if (claims === null) throw unauthenticated();
  const { sub, sid: sessionId, isPlatformAdmin } = claims;
  context.userId = sub;
  return { type: "user", id: sub, userId: sub, sessionId, isPlatformAdmin, claims };
}

/** Returns the caller if the route is for API keys or apps, or the caller is neither. */
function allowed(route: Route, actor: Actor): Actor {
  if (actor.type === "user" && actor.app && !allowsApps(route)) throw appNotAllowed();
  if (actor.type === "service_account" && !allowsApiKeys(route))
    throw route.access === "app" ? notFound() : apiKeyNotAllowed();
  return actor;
}

const SCHEME = "bearer ";

/**
 * Returns the bearer token without validating it. A regular expression over all its characters would cost as much
 * as all other checks together.
 */
function bearer(headers: Headers): string | null {
  const authorization = headers.get("authorization");
  if (authorization === null || authorization.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return null;
  return authorization.slice(SCHEME.length).trim() || null;
}
