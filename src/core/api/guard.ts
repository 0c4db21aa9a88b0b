import * as queries from "#sql/access";
import { notFound } from "../../platform/errors.ts";
import {
  type Access,
  type Actor,
  allowsApiKeys,
  allowsApps,
  isSingleOrganization,
  type MachineActor,
  type ProductActor,
  type SetupActor,
  type UserActor,
} from "../access/access.ts";
import type { AccessTokenClaims } from "../access/access-token.ts";
import { looksLikeApiKey } from "../access/api-key-form.ts";
import { appNotAllowed } from "../access/app-errors.ts";
import { looksLikeAppSecret } from "../access/app-token-form.ts";
import { TokenPermissions } from "../access/effective-permissions.ts";
import {
  apiKeyNotAllowed,
  forbidden,
  organizationHeaderRequired,
  organizationOverrideForbidden,
  organizationRequired,
  platformAdminRequired,
  productKeyNotAllowed,
  productKeyRequired,
  twoFactorRequired,
  unauthenticated,
} from "../access/errors.ts";
import { grantsOf, loadGrants } from "../access/grants.ts";
import { isOfOrganization, maxProofAgeOf, type Reauthentication } from "../access/reauthentication.ts";
import { assertOwnProof, assertRecentProof } from "../authorize/recent-proof.ts";
import type { App, Service } from "../context.ts";
import { isObject } from "../definitions/known-parts.ts";
import { hasFeature } from "../plans/effective-plan.ts";
import { planFeatureRequired } from "../plans/errors.ts";
import { authenticateKey } from "./api-key.ts";
import { authenticateApp } from "./app-token.ts";
import { isHeld, scopeMissing } from "./held.ts";
import { idList } from "./id-headers.ts";
import { authenticateProduct, isProductKey } from "./product-key.ts";
import type { RequestContext } from "./request-context.ts";
import type { RouteDefinition } from "./route.ts";
import { authenticateSetup, looksLikeSetupToken } from "./setup-link.ts";

/** The authorized caller of a route and, on a route of an organization, the caller's permissions there. */
export type CallerAccess = {
  actor: Actor;
  organizationId?: string;
  organizations?: string[] | null;
  permissions?: TokenPermissions;
};

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

type GuardedRoute = Pick<
  RouteDefinition,
  | "access"
  | "refusesPlatformAdmins"
  | "worksBeforeTwoFactor"
  | "worksConfined"
  | "reauthentication"
  | "productKey"
  | "permittedIf"
>;

/**
 * Authorizes the caller of a route, after `authenticate`. Checks in the order that rules 2.4 define: a required second factor,
 * `X-Organization-Id`, the active organization, the permission, the plan's feature, a recent
 * proof of identity. `body` is the JSON body before its validation.
 * @throws productKeyNotAllowed, twoFactorRequired, organizationOverrideForbidden, validationFailed,
 * organizationHeaderRequired, notFound, organizationRequired, platformAdminRequired, forbidden, planFeatureRequired, reauthenticationRequired,
 * and the definition's `refusesPlatformAdmins`
 */
export function checkAccess(
  definition: GuardedRoute,
  actor: Actor,
  headers: Headers,
  service: Service,
  body?: unknown,
): CallerAccess | Promise<CallerAccess> {
  const admitted = admit(definition, actor, headers, service);
  const needed = definition.reauthentication;
  if (definition.access === "signed-in" && actor.type === "user" && actor.claims.confined) {
    // What works in a confined session needs no proof of the account's own, which that session cannot have.
    if (worksConfined(definition, body)) return admitted;
    return assertOwnProof(service, actor).then(() => withProof(admitted, service, needed, body));
  }
  return needed === undefined ? admitted : withProof(admitted, service, needed, body);
}

function worksConfined({ worksConfined: works }: GuardedRoute, body: unknown): boolean {
  if (typeof works !== "object") return works ?? false;
  return !isObject(body) || works.withoutFields.every((field) => body[field] === undefined);
}

async function withProof(
  admission: CallerAccess | Promise<CallerAccess>,
  service: Service,
  needed: Reauthentication | undefined,
  body: unknown,
): Promise<CallerAccess> {
  const admitted = await admission;
  if (needed === undefined) return admitted;
  const { organizationId = null } = admitted;
  const maxAgeSeconds = await maxProofAgeIn(service, needed, organizationId);
  if (maxAgeSeconds === null) return admitted;
  return withRecentProof(admitted, service, { ...needed, maxAgeSeconds, body });
}

/** Returns the maximum age of the proof that a route needs in an organization, which may ask for a younger one; null if it needs none. */
async function maxProofAgeIn(
  { app, db }: Service,
  needed: Reauthentication,
  organizationId: string | null,
): Promise<number | null> {
  const configured = maxProofAgeOf(needed, app.config);
  if (!app.config.sso || organizationId === null || !isOfOrganization(needed)) return configured;
  const [policy] = await queries.findPolicy.run({ organizationId }, db);
  const seconds = (policy?.reauthenticationMinutes ?? Number.POSITIVE_INFINITY) * 60;
  const shorter = Math.min(configured ?? Number.POSITIVE_INFINITY, seconds);
  return Number.isFinite(shorter) ? shorter : null;
}

async function withRecentProof(
  admitted: CallerAccess,
  service: Service,
  needed: Reauthentication & { maxAgeSeconds: number; body: unknown },
): Promise<CallerAccess> {
  // What needs a proof is not for apps; a route of which only some bodies need one refuses these itself.
  if (admitted.actor.type !== "user" || admitted.actor.app) return admitted;
  const { ifBodyHas, takesPassword, maxAgeSeconds, body } = needed;
  const has = (field: string, value?: boolean) =>
    isObject(body) && body[field] !== undefined && (value === undefined || body[field] === value);
  const fields = [ifBodyHas?.field ?? []].flat();
  if (ifBodyHas !== undefined && !fields.some((field) => has(field, ifBodyHas.value))) return admitted;
  const isPasswordSent = takesPassword !== undefined && has("password");
  const organizationId = isOfOrganization(needed) ? admitted.organizationId : null;
  await assertRecentProof(service, admitted.actor, { maxAgeSeconds, organizationId, isPasswordSent });
  return admitted;
}

function admit(
  { access, refusesPlatformAdmins, worksBeforeTwoFactor, productKey, permittedIf }: GuardedRoute,
  actor: Actor,
  headers: Headers,
  service: Service,
): CallerAccess | Promise<CallerAccess> {
  if (actor.type === "product") {
    if (access === "product") return { actor };
    if (!productKey) throw productKeyNotAllowed();
    const named = namedOrganizations(headers, actor);
    const isOfOrganization = access === "member" || typeof access === "object";
    return isOfOrganization ? inNamedOrganization(actor, named, undefined, service) : { actor };
  }
  if (actor.claims.mustEnableTwoFactor && !worksBeforeTwoFactor) throw twoFactorRequired();
  const named = namedOrganizations(headers, actor);
  if (actor.type === "setup_link") return inOrganizationOfLink(actor);
  if (access === "api-key" && actor.type === "user") return { actor };
  if (access === "app" && !isApp(actor)) return { actor };
  if (access === "api-key" || access === "app" || access === "member" || typeof access === "object") {
    if (!actor.isPlatformAdmin) return inActiveOrganization(actor, access, service);
    if (isSingleOrganization(access)) {
      return inNamedOrganization(actor, named, refusesPlatformAdmins, service);
    }
    return { actor, organizations: named.length === 0 ? null : named, permissions: new TokenPermissions([]) };
  }
  if (actor.isPlatformAdmin && refusesPlatformAdmins !== undefined) throw refusesPlatformAdmins();
  if (access === "platform-admin" && !actor.isPlatformAdmin) throw platformAdminRequired();
  if (permittedIf !== undefined && !permittedIf(service.app.config)) throw forbidden();
  return { actor };
}

const isApp = (actor: Actor): boolean => actor.type === "user" && actor.app !== undefined;

/** Returns the ids in the header `X-Organization-Id`; an empty header counts as absent. */
function namedOrganizations(headers: Headers, { isPlatformAdmin }: Actor): string[] {
  const header = headers.get("x-organization-id");
  if (header === null || header.trim() === "") return [];
  if (!isPlatformAdmin) throw organizationOverrideForbidden();
  return idList("X-Organization-Id", header);
}

async function inNamedOrganization(
  actor: UserActor | ProductActor,
  named: string[],
  refusal: GuardedRoute["refusesPlatformAdmins"],
  { db }: Service,
): Promise<CallerAccess> {
  const [id] = named;
  // If the route refuses platform administrators with 400, it does so whatever the header names. 403 is thrown only
  // if the header names an existing organization.
  if (id !== undefined && refusal?.status === 400) throw refusal();
  if (id === undefined || named.length > 1) throw organizationHeaderRequired();
  const [organization] = await queries.findLiveOrganization.run({ id }, db);
  if (organization === undefined) throw notFound();
  if (refusal !== undefined) throw refusal();
  return { actor, organizationId: id, organizations: [id], permissions: new TokenPermissions([]) };
}

function inActiveOrganization(
  actor: UserActor | MachineActor,
  access: Access,
  service: Service,
): CallerAccess | Promise<CallerAccess> {
  const organizationId = actor.claims.organization?.id;
  if (organizationId === undefined) throw organizationRequired();
  const withGrants = (grants: NonNullable<ReturnType<typeof grantsOf>>): CallerAccess => {
    const permissions = new TokenPermissions([grants]);
    if (typeof access === "object" && !isHeld(permissions, access, actor))
      throw scopeMissing(access, actor, service.app) ?? forbidden();
    return { actor, organizationId, organizations: [organizationId], permissions };
  };
  const grants = grantsOf(actor.claims);
  const admitted =
    grants === null ? loadGrants(service.db, actor, organizationId).then(withGrants) : withGrants(grants);
  const feature = typeof access === "object" ? access.feature : undefined;
  return feature === undefined ? admitted : requireFeature(admitted, organizationId, feature, service);
}

/** Admits a setup link to what its route lets it do: it asks neither for a feature of the plan nor for a proof. */
function inOrganizationOfLink(actor: SetupActor): CallerAccess {
  const { id } = actor.claims.organization;
  const grants = grantsOf(actor.claims);
  if (grants === null) throw forbidden();
  return { actor, organizationId: id, organizations: [id], permissions: new TokenPermissions([grants]) };
}

async function requireFeature(
  admitted: CallerAccess | Promise<CallerAccess>,
  organizationId: string,
  feature: string,
  { app, db }: Service,
): Promise<CallerAccess> {
  const admittedNow = await admitted;
  if (!(await hasFeature({ app, db }, organizationId, feature))) throw planFeatureRequired(feature);
  return admittedNow;
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
