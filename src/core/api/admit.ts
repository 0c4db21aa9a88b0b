import * as queries from "#sql/access";
import { notFound } from "../../platform/errors.ts";
import {
  type Access,
  type Actor,
  isSingleOrganization,
  type MachineActor,
  type ProductActor,
  type SetupActor,
  type UserActor,
} from "../access/access.ts";
import { TokenPermissions } from "../access/effective-permissions.ts";
import {
  forbidden,
  organizationHeaderRequired,
  organizationOverrideForbidden,
  organizationRequired,
  planFeatureRequired,
  platformAdminRequired,
  productKeyNotAllowed,
  twoFactorRequired,
} from "../access/errors.ts";
import { grantsOf, loadGrants } from "../access/grants.ts";
import type { Service } from "../context.ts";
import { hasFeature } from "../plans/effective-plan.ts";
import { isHeld, scopeMissing } from "./held.ts";
import { idList } from "./id-headers.ts";
import { accessOfApps, type RouteDefinition } from "./route.ts";

/** The authorized caller of a route and, on a route of an organization, the caller's permissions there. */
export type CallerAccess = {
  actor: Actor;
  organizationId?: string;
  organizations?: string[] | null;
  permissions?: TokenPermissions;
};

type AdmittingRoute = Pick<
  RouteDefinition,
  "access" | "appsNeed" | "refusesPlatformAdmins" | "worksBeforeTwoFactor" | "productKey" | "permittedIf"
>;

/**
 * Decides whether a caller may call a route, and in which organization. Checks in the order that rules 2.4 define: a required
 * second factor, `X-Organization-Id`, the active organization, the permission, the plan's feature.
 * @throws productKeyNotAllowed, twoFactorRequired, organizationOverrideForbidden, validationFailed, organizationHeaderRequired,
 * notFound, organizationRequired, platformAdminRequired, forbidden, planFeatureRequired, and the definition's `refusesPlatformAdmins`
 */
export function admit(
  definition: AdmittingRoute,
  actor: Actor,
  headers: Headers,
  service: Service,
): CallerAccess | Promise<CallerAccess> {
  const { refusesPlatformAdmins, worksBeforeTwoFactor, productKey, permittedIf } = definition;
  const access = isApp(actor) ? accessOfApps(definition) : definition.access;
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
  refusal: AdmittingRoute["refusesPlatformAdmins"],
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
      throw scopeMissing(access, actor) ?? forbidden();
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
