import * as queries from "#sql/access";
import { notFound } from "../../platform/errors.ts";
import { type Access, type Actor, isSingleOrganization } from "../access/access.ts";
import type { AccessTokenClaims } from "../access/access-token.ts";
import { type EffectivePermissions, TokenPermissions } from "../access/effective-permissions.ts";
import {
  forbidden,
  organizationHeaderRequired,
  organizationOverrideForbidden,
  organizationRequired,
  platformAdminRequired,
  twoFactorRequired,
  unauthenticated,
} from "../access/errors.ts";
import { grantsOf, loadGrants } from "../access/grants.ts";
import { assertRecentSignIn } from "../authorize/recent-sign-in.ts";
import type { App, Service } from "../context.ts";
import { effectivePlan } from "../plans/effective-plan.ts";
import { planFeatureRequired } from "../plans/errors.ts";
import { idList } from "./id-headers.ts";
import type { RouteDefinition } from "./route.ts";

/** The authorized caller of a route and, on a route of an organization, their permissions in it. */
export type CallerAccess = {
  actor: Actor;
  organizationId?: string;
  organizations?: string[] | null;
  permissions?: TokenPermissions;
};

/** Returns the claims of a valid token sent to a public route, or null. */
export async function findCaller(headers: Headers, app: App): Promise<AccessTokenClaims | null> {
  const token = bearer(headers.get("authorization"));
  return token === null ? null : app.accessTokens.verify(token);
}

/**
 * Verifies the access token of a route that needs one; returns null on a public route. Reads only headers, so that it
 * can run before the body is read.
 * @throws unauthenticated
 */
export async function authenticate(
  { access }: Pick<RouteDefinition, "access">,
  headers: Headers,
  app: App,
): Promise<Actor | null> {
  if (access === "public") return null;
  const claims = await findCaller(headers, app);
  if (claims === null) throw unauthenticated();
  return { userId: claims.sub, sessionId: claims.sid, isPlatformAdmin: claims.isPlatformAdmin, claims };
}

type GuardedRoute = Pick<
  RouteDefinition,
  "access" | "refusesPlatformAdmins" | "worksBeforeTwoFactor" | "needsRecentSignIn"
>;

/**
 * Authorizes the caller of a route, after `authenticate`. Checks in the order of rules 2.4: a required second factor,
 * `X-Organization-Id`, the active organization, the permission, the plan's feature, a recent sign-in.
 * @throws twoFactorRequired, organizationOverrideForbidden, validationFailed,
 * organizationHeaderRequired, notFound, organizationRequired, platformAdminRequired, forbidden, planFeatureRequired, reauthenticationRequired,
 * and the definition's `refusesPlatformAdmins`
 */
export function checkAccess(
  definition: GuardedRoute,
  actor: Actor,
  headers: Headers,
  service: Service,
): CallerAccess | Promise<CallerAccess> {
  const { claims } = actor;
  const { access, refusesPlatformAdmins, worksBeforeTwoFactor, needsRecentSignIn } = definition;
  if (claims.mustEnableTwoFactor && !worksBeforeTwoFactor) throw twoFactorRequired();
  const named = namedOrganizations(headers, claims);
  if (access === "member" || typeof access === "object") {
    if (!claims.isPlatformAdmin) return inActiveOrganization(actor, access, service);
    if (isSingleOrganization(access)) {
      return inNamedOrganization(actor, named, refusesPlatformAdmins, service);
    }
    return { actor, organizations: named.length === 0 ? null : named, permissions: new TokenPermissions([]) };
  }
  if (claims.isPlatformAdmin && refusesPlatformAdmins !== undefined) throw refusesPlatformAdmins();
  if (access === "platform-admin" && !claims.isPlatformAdmin) throw platformAdminRequired();
  if (needsRecentSignIn && service.app.config.reauthenticationMinutes !== null)
    return assertRecentSignIn(service, actor).then(() => ({ actor }));
  return { actor };
}

/** Returns the ids of `X-Organization-Id`; an empty header counts as absent. */
function namedOrganizations(headers: Headers, claims: AccessTokenClaims): string[] {
  const header = headers.get("x-organization-id");
  if (header === null || header.trim() === "") return [];
  if (!claims.isPlatformAdmin) throw organizationOverrideForbidden();
  return idList("X-Organization-Id", header);
}

async function inNamedOrganization(
  actor: Actor,
  named: string[],
  refusal: GuardedRoute["refusesPlatformAdmins"],
  { db }: Service,
): Promise<CallerAccess> {
  const [id] = named;
  // If the route refuses platform administrators with 400, it does so for every header; 403 is thrown only if the
  // header names an existing organization.
  if (id !== undefined && refusal?.status === 400) throw refusal();
  if (id === undefined || named.length > 1) throw organizationHeaderRequired();
  const [organization] = await queries.findLiveOrganization.run({ id }, db);
  if (organization === undefined) throw notFound();
  if (refusal !== undefined) throw refusal();
  return { actor, organizationId: id, permissions: new TokenPermissions([]) };
}

function inActiveOrganization(
  actor: Actor,
  access: Access,
  service: Service,
): CallerAccess | Promise<CallerAccess> {
  const organizationId = actor.claims.organization?.id;
  if (organizationId === undefined) throw organizationRequired();
  const withGrants = (grants: NonNullable<ReturnType<typeof grantsOf>>): CallerAccess => {
    const permissions = new TokenPermissions([grants]);
    if (typeof access === "object" && !isHeld(permissions, access)) throw forbidden();
    return { actor, organizationId, organizations: [organizationId], permissions };
  };
  const grants = grantsOf(actor.claims);
  const admitted =
    grants === null
      ? loadGrants(service.db, { userId: actor.userId, organizationId }).then(withGrants)
      : withGrants(grants);
  const feature = typeof access === "object" ? access.feature : undefined;
  return feature === undefined ? admitted : requireFeature(admitted, organizationId, feature, service);
}

const isHeld = (
  permissions: EffectivePermissions,
  { permission, organizationWide }: Exclude<Access, string>,
): boolean =>
  organizationWide === undefined
    ? permissions.holdsAnywhere(permission)
    : permissions.holdsEverywhere([permission]);

async function requireFeature(
  admitted: CallerAccess | Promise<CallerAccess>,
  organizationId: string,
  feature: string,
  { app, db }: Service,
): Promise<CallerAccess> {
  const admittedNow = await admitted;
  const effective = await effectivePlan(app, db, organizationId);
  if (effective !== null && !effective.plan.features.includes(feature)) throw planFeatureRequired();
  return admittedNow;
}

const SCHEME = "bearer ";

/**
 * Returns the token as sent. Checking all its characters with a regular expression would cost as much as all other
 * checks together.
 */
function bearer(authorization: string | null): string | null {
  if (authorization === null || authorization.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return null;
  return authorization.slice(SCHEME.length).trim() || null;
}
