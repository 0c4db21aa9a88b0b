import type { ApiError } from "../../platform/errors.ts";
import type { FeatureName } from "../definitions/plan-names.ts";
import type { AccessTokenClaims } from "./access-token.ts";
import type { ActiveOrganization } from "./active-organization.ts";
import type { Permission } from "./catalog.ts";

/**
 * The callers that a route admits. Declared on every route as data, enforced by the steps of the request, printed in the OpenAPI
 * document.
 * - "member" and a permission act in one organization: the caller's active one or, for a platform administrator,
 *   the one in the header `X-Organization-Id`.
 * - With `crossOrganization`, a platform administrator acts in all organizations, or in those in the header.
 * - With `organizationWide`, the permission must be granted for the whole organization; a permission in a unit is
 *   not enough.
 * - `any` is the permission for records of others, on a route for own or others' records. A service account owns no
 *   records, so for an API key `any` is required instead of `permission`.
 * - A `feature` must be in the plan of the caller's organization; platform administrators are exempt.
 */
export type Access =
  | "public"
  | "signed-in"
  /** Admits only API keys, because the route is about the caller's key. */
  | "api-key"
  /** Admits only connected apps, because the route is about the caller's grant. */
  | "app"
  | "platform-admin"
  /** Admits only the key of the product whose code runs elsewhere. */
  | "product"
  /** Admits only links by which people who are no members set up sign-on. */
  | "setup-link"
  | "member"
  | {
      permission: Permission;
      any?: Permission;
      crossOrganization?: true;
      organizationWide?: true;
      feature?: FeatureName;
    };

/** A signed-in user, as described by their access token. */
export interface UserActor {
  readonly type: "user";
  readonly id: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly isPlatformAdmin: boolean;
  readonly claims: AccessTokenClaims;
  /** The connected app that acts for the user, within what it was granted; then `sessionId` names no session. */
  readonly app?: ActingApp;
}

/** The resources for which apps get tokens. */
export type AppResource = "mcp" | "api";

/** A connected app that acts for a person (rules 46). */
export interface ActingApp {
  readonly grantId: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly resource: AppResource;
  /** The unit to which it is limited; null: none. */
  readonly unitId: string | null;
  /** The digest of the access token. */
  readonly tokenHash: string;
  /** What it was granted, as the access token narrows it. */
  readonly scopes: string[];
  /** What the person holds within the grant's unit, whatever the scopes are. */
  readonly held: MachineClaims;
  /** Returns those of the permissions that the scopes have. */
  readonly within: (permissions: readonly string[]) => string[];
  /** Returns the error that names the scope of a permission; null if no app can get it. */
  readonly scopeMissing: (permission: Permission) => ApiError | null;
}

/**
 * A service account, as described by its API key. It is not a user, so code that needs a user's id rejects it by
 * its type.
 */
export interface MachineActor {
  readonly type: "service_account";
  /** The id of the service account. */
  readonly id: string;
  readonly userId: null;
  readonly keyId: string;
  /** The id of the person behind the key (rules 12.10): its creator. */
  readonly personId: string;
  readonly isPlatformAdmin: false;
  readonly claims: MachineClaims;
}

/** The organization of a service account and its permissions there, in the form of an access token. */
export type MachineClaims = ActiveOrganization & {
  readonly organization: NonNullable<ActiveOrganization["organization"]>;
  readonly mustEnableTwoFactor?: undefined;
};

/**
 * The product whose code runs elsewhere, as described by its key. It reads what a platform administrator reads, on the
 * routes that declare it, and is no account.
 */
export interface ProductActor {
  readonly type: "product";
  readonly id: typeof PRODUCT_ID;
  readonly userId: null;
  readonly isPlatformAdmin: true;
  readonly claims: ActiveOrganization & { readonly mustEnableTwoFactor?: undefined };
}
/** The id under which the product's requests count and its idempotency keys are stored. No response has it. */
const PRODUCT_ID = "00000000-0000-7000-8000-000000000010";
export const PRODUCT_ACTOR: ProductActor = {
  type: "product",
  id: PRODUCT_ID,
  userId: null,
  isPlatformAdmin: true,
  claims: { organization: null, roles: [], permissions: [], unitGrants: [] },
};

/** The prefix of the token of a setup link. No API key has it. */
export const SETUP_PREFIX = "setup_";
/** What a setup link lets its bearer set up. */
export const SETUP_PARTS = ["domains", "connection"] as const;
export type SetupPart = (typeof SETUP_PARTS)[number];

/**
 * The bearer of a setup link, who is no member: may only call operations that are marked for it (rules 45), in the
 * organization of the link.
 */
export interface SetupActor {
  readonly type: "setup_link";
  /** The id of the link. */
  readonly id: string;
  readonly userId: null;
  readonly email: string;
  readonly what: SetupPart[];
  readonly isPlatformAdmin: false;
  readonly claims: MachineClaims;
}

export type Actor = UserActor | MachineActor | ProductActor | SetupActor;

/** Returns the connected app that acts for a caller; null if there is none. */
export const actingAppOf = (actor: Actor | null): ActingApp | null =>
  actor?.type === "user" ? (actor.app ?? null) : null;

/**
 * Returns the id under which an actor's requests count: the user, the service account, or the grant of an app, so that no
 * app uses what its person needs. The product counts as one account.
 */
export const accountOf = (actor: Actor): string =>
  actor.type === "user" ? (actor.app?.grantId ?? actor.id) : actor.id;

/**
 * Returns the id of the person whose own actions a caller sees wherever in the organization they are. An app that is limited to
 * a unit sees its person's actions as it sees those of others: nobody has the id of its grant.
 */
export const viewerOf = (actor: Actor): string =>
  actor.type === "user" && actor.app != null && actor.app.unitId !== null ? actor.app.grantId : actor.id;

/** Like `accountOf`, but the service accounts of one person count together: for an API key, returns the id of its creator. */
export const personOf = (actor: Actor): string =>
  actor.type === "service_account" ? actor.personId : accountOf(actor);

const WITHOUT_API_KEYS: readonly Access[] = ["signed-in", "platform-admin", "product", "setup-link", "app"];

/**
 * Whether API keys may call a route. By default they may call public routes and routes of an organization, and not
 * routes for the signed-in user or for platform administrators. A route for records that belong to a user declares
 * `apiKeys: false`.
 */
export const allowsApiKeys = ({ access, apiKeys }: { access: Access; apiKeys?: boolean }): boolean =>
  apiKeys ?? !WITHOUT_API_KEYS.includes(access);

/**
 * Whether connected apps may call a route. By default they may call public routes that read no refresh cookie, and read what
 * belongs to an organization; a route declares `apps` if it differs. A route that needs a proof of identity never is for apps.
 */
export const allowsApps = ({
  access,
  method,
  apps,
  refreshCookie,
}: {
  access: Access;
  method: string;
  apps?: boolean;
  refreshCookie?: "required" | "optional";
}): boolean =>
  apps ??
  ((access === "public" && refreshCookie === undefined) ||
    access === "app" ||
    (method === "get" && (access === "member" || typeof access === "object")));

/** Whether a route acts in one organization for every caller. */
export const isSingleOrganization = (access: Access): boolean =>
  access === "member" || (typeof access === "object" && access.crossOrganization === undefined);
