import * as queries from "#sql/access";
import { type ApiError, notFound, validationFailed } from "../../../platform/errors.ts";
import {
  type Access,
  type Actor,
  actingAppOf,
  isSingleOrganization,
  type MachineActor,
  type ProductActor,
  type SetupActor,
  type UserActor,
} from "../../access/access.ts";
import { type EffectivePermissions, TokenPermissions } from "../../access/effective-permissions.ts";
import {
  forbidden,
  organizationHeaderRequired,
  organizationOverrideForbidden,
  organizationRequired,
  planFeatureRequired,
  platformAdminRequired,
  productKeyNotAllowed,
  twoFactorRequired,
} from "../../access/errors.ts";
import { grantsOf, loadGrants } from "../../access/grants.ts";
import type { Service } from "../../context.ts";
import { hasFeature } from "../../plans/effective-plan.ts";
import { readIds } from "../id-headers.ts";
import { accessOfApps, type RouteDefinition } from "../route.ts";
import type { CallerAccess, StepOf } from "./incoming.ts";

/** Decides whether the caller may call the route, and in which organization (rules 2.4, 3 to 5). */
export const checkCallerAccess: StepOf = (definition) =>
  definition.access === "public"
    ? null
    : async (incoming) => {
        const { actor, request, service } = incoming;
        if (actor !== null) incoming.access = await admit(definition, actor, request.headers, service);
      };

/** Returns 404 to people on routes for API keys or for apps; after validation, as for a record that does not exist. */
export const refusePeople: StepOf = ({ access }) =>
  access === "api-key" || access === "app"
    ? ({ actor }) => {
        if (actor?.type === "user" && (access === "api-key" || !actor.app)) throw notFound();
      }
    : null;

/**
 * Decides whether a caller may call a route, and in which organization. Checks in the order that rules 2.4 define: a required
 * second factor, `X-Organization-Id`, the active organization, the permission, the plan's feature.
 * @throws productKeyNotAllowed, twoFactorRequired, organizationOverrideForbidden, validationFailed, organizationHeaderRequired,
 * notFound, organizationRequired, platformAdminRequired, forbidden, planFeatureRequired, and the definition's `refusesPlatformAdmins`
 */
async function admit(
  definition: RouteDefinition,
  actor: Actor,
  headers: Headers,
  service: Service,
): Promise<CallerAccess> {
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
  if (actor.type === "setup_link") return inOrganizationOfLink(actor, service);
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
  const { ids, problem } = readIds(header);
  if (problem === null) return ids;
  throw validationFailed([{ path: "X-Organization-Id", message: `X-Organization-Id ${problem}` }]);
}

async function inNamedOrganization(
  actor: UserActor | ProductActor,
  named: string[],
  refusal: RouteDefinition["refusesPlatformAdmins"],
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

async function inActiveOrganization(
  actor: UserActor | MachineActor,
  access: Access,
  { app, db }: Service,
): Promise<CallerAccess> {
  const organizationId = actor.claims.organization?.id;
  if (organizationId === undefined) throw organizationRequired();
  const permissions = await permissionsOf(actor, { db });
  if (typeof access === "object") {
    const { feature } = access;
    if (!isHeld(permissions, access, actor)) throw scopeMissing(access, actor) ?? forbidden();
    if (feature !== undefined && !(await hasFeature({ app, db }, organizationId, feature)))
      throw planFeatureRequired(feature);
  }
  return { actor, organizationId, organizations: [organizationId], permissions };
}

/** Admits a setup link to what its route lets it do: it asks neither for a feature of the plan nor for a proof. */
async function inOrganizationOfLink(actor: SetupActor, service: Service): Promise<CallerAccess> {
  const { id } = actor.claims.organization;
  const permissions = await permissionsOf(actor, service);
  return { actor, organizationId: id, organizations: [id], permissions };
}

type Needed = Exclude<Access, string>;

/** Whether the permissions are enough for a route; for others' records a service account needs the permission for them. */
export const isHeld = (
  permissions: EffectivePermissions,
  { permission: own, any, organizationWide }: Needed,
  { type }: Pick<Actor, "type">,
): boolean => {
  const permission = type === "service_account" && any !== undefined ? any : own;
  return organizationWide === undefined
    ? permissions.holdsAnywhere(permission)
    : permissions.holdsEverywhere([permission]);
};

/**
 * Returns the error for a permission that an app lacks although its person holds it: it names the missing scope. Null if the
 * person does not hold it, or the caller is no app.
 */
export function scopeMissing(access: Needed, actor: Actor): ApiError | null {
  const app = actingAppOf(actor);
  if (app === null) return null;
  const held = grantsOf(app.held);
  if (held === null || !isHeld(new TokenPermissions([held]), access, actor)) return null;
  return app.scopeMissing(access.permission);
}

/** Returns what a caller holds in its organization at this moment; for an app within its grant. */
export async function permissionsOf(actor: Actor, { db }: Pick<Service, "db">): Promise<TokenPermissions> {
  const organizationId = actor.claims.organization?.id ?? "";
  return new TokenPermissions([grantsOf(actor.claims) ?? (await loadGrants(db, actor, organizationId))]);
}
