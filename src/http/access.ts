import * as queries from "#sql/access";
import { Authority } from "../access/authority.ts";
import { isUnitScoped, type Permission } from "../access/catalog.ts";
import { holdingsOf, loadHoldings } from "../access/holdings.ts";
import type { App } from "../context.ts";
import type { AccessTokenClaims } from "./access-token.ts";
import type { EndpointDefinition } from "./endpoint.ts";
import {
  forbidden,
  notFound,
  organizationHeaderRequired,
  organizationOverrideForbidden,
  organizationRequired,
  platformAdminRequired,
  unauthenticated,
  validationFailed,
} from "./errors.ts";

/**
 * Who may call a route. Declared on every route as data, enforced here, printed in the OpenAPI document. "member" and
 * a permission act in one organization: the caller's active one, or, for a platform administrator, the one that
 * `X-Organization-Id` names.
 */
export type Access = "public" | "signed-in" | "platform-admin" | "member" | { permission: Permission };

/** Somebody who is signed in, as their access token says. */
export interface Actor {
  readonly userId: string;
  readonly sessionId: string;
  readonly isPlatformAdmin: boolean;
  readonly claims: AccessTokenClaims;
}

/** What the guard of a route found out: who calls, and where that acts on one organization, what they may do there. */
export type Admitted = { actor: Actor; organizationId?: string; authority?: Authority };

/** Whether a route works on one organization. */
export const isOfOrganization = (access: Access): boolean =>
  access === "member" || typeof access === "object";

/** The sentence of an operation's description that says who may call it. */
export function accessInWords(access: Access): string {
  switch (access) {
    case "public":
      return "Anybody may call this.";
    case "signed-in":
      return "Needs an access token.";
    case "platform-admin":
      return "Needs the access token of a platform administrator.";
    case "member":
      return "Needs an active organization.";
    default:
      return `Needs \`${access.permission}\` in the active organization${isUnitScoped(access.permission) ? ", for all of it or in a unit" : ""}. A platform administrator names the organization with \`X-Organization-Id\`.`;
  }
}

type Guarded = Pick<EndpointDefinition, "access" | "refusesPlatformAdmins">;

/**
 * The caller of a route, or null on a public one, in the contract's order: the token, then `X-Organization-Id`, then
 * the active organization, then the permission.
 * @throws unauthenticated, organizationOverrideForbidden, validationFailed, organizationHeaderRequired, notFound,
 * organizationRequired, platformAdminRequired, forbidden, and what the definition refuses platform administrators by
 */
export function admit(definition: Guarded, headers: Headers, app: App): Admitted | null | Promise<Admitted> {
  if (definition.access === "public") return null;
  const token = bearer(headers.get("authorization"));
  if (token === null) throw unauthenticated();
  const claims = app.accessTokens.verify(token);
  // A token that is known already needs no waiting, and most are.
  return claims instanceof Promise
    ? claims.then((verified) => admitWith(definition, headers, verified, app))
    : admitWith(definition, headers, claims, app);
}

function admitWith(
  { access, refusesPlatformAdmins }: Guarded,
  headers: Headers,
  claims: AccessTokenClaims | null,
  app: App,
): Admitted | Promise<Admitted> {
  if (claims === null) throw unauthenticated();
  const actor = {
    userId: claims.sub,
    sessionId: claims.sid,
    isPlatformAdmin: claims.isPlatformAdmin,
    claims,
  };
  const named = namedOrganizations(headers, claims);
  if (isOfOrganization(access)) {
    return claims.isPlatformAdmin
      ? inNamedOrganization(actor, named, refusesPlatformAdmins, app)
      : inActiveOrganization(actor, access, app);
  }
  if (claims.isPlatformAdmin && refusesPlatformAdmins !== undefined) throw refusesPlatformAdmins();
  if (access === "platform-admin" && !claims.isPlatformAdmin) throw platformAdminRequired();
  return { actor };
}

/** The ids of `X-Organization-Id`; empty is absent. */
function namedOrganizations(headers: Headers, claims: AccessTokenClaims): string[] {
  const header = headers.get("x-organization-id");
  if (header === null || header.trim() === "") return [];
  if (!claims.isPlatformAdmin) throw organizationOverrideForbidden();
  return idList("X-Organization-Id", header);
}

async function inNamedOrganization(
  actor: Actor,
  named: string[],
  refusal: Guarded["refusesPlatformAdmins"],
  app: App,
): Promise<Admitted> {
  const [id] = named;
  if (id === undefined || named.length > 1) throw organizationHeaderRequired();
  const [organization] = await queries.findLiveOrganization.run({ id }, app.db);
  if (organization === undefined) throw notFound();
  if (refusal !== undefined) throw refusal();
  return { actor, organizationId: id, authority: new Authority(id, []) };
}

function inActiveOrganization(actor: Actor, access: Access, app: App): Admitted | Promise<Admitted> {
  const organizationId = actor.claims.organization?.id;
  if (organizationId === undefined) throw organizationRequired();
  const admitHolding = (holdings: NonNullable<ReturnType<typeof holdingsOf>>): Admitted => {
    const authority = new Authority(organizationId, [holdings]);
    if (typeof access === "object" && !authority.holdsAnywhere(access.permission)) throw forbidden();
    return { actor, organizationId, authority };
  };
  const holdings = holdingsOf(actor.claims);
  return holdings === null
    ? loadHoldings(app.db, { userId: actor.userId, organizationId }).then(admitHolding)
    : admitHolding(holdings);
}

function bearer(authorization: string | null): string | null {
  const match = /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i.exec(authorization ?? "");
  return match?.[1] ?? null;
}

const MOST_IDS = 50;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * The ids of a header of comma-separated UUIDs, at most 50 (specification 5.3).
 * @throws validationFailed naming the header
 */
export function idList(header: string, value: string): string[] {
  const ids = value
    .split(",")
    .map((id) => id.trim())
    .filter(Boolean);
  const problem = ids.length > MOST_IDS ? "must contain no more than 50 elements" : "must be a UUID";
  if (ids.length > MOST_IDS || !ids.every((id) => UUID.test(id))) {
    throw validationFailed([{ path: header, message: `${header} ${problem}` }]);
  }
  return [...new Set(ids.map((id) => id.toLowerCase()))];
}

/** The ids of a filter header that has been checked, or null where there is none. */
export function idsOfHeader(headers: Headers, name: string): string[] | null {
  const ids = idList(name, headers.get(name) ?? "");
  return ids.length === 0 ? null : ids;
}
