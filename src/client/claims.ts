import type { PermissionName, Schemas } from "./types.ts";

/** Permissions that an access token grants in units, and the units in which they are held. */
export type UnitGrant = {
  readonly permissions: readonly PermissionName[];
  /** The units in which the role was assigned. */
  readonly roots: readonly string[];
  /**
   * The units in which the permissions are held: `roots` and all units below them. Null if they are too many for a
   * token.
   */
  readonly units: readonly string[] | null;
};

/**
 * The claims of an access token. Use them only to show and hide elements: the server authorizes every request itself.
 */
export type Claims = {
  readonly userId: string;
  readonly sessionId: string;
  readonly isPlatformAdmin: boolean;
  /** Whether the session can only set up a second factor (rules 7.9). Call `client.refresh()` afterwards. */
  readonly mustEnableTwoFactor: boolean;
  /** Whether the session was only proven by connections of organizations: it acts in these, and not for the account (rules 42). */
  readonly confined: boolean;
  /** The active organization. */
  readonly organization: { readonly id: string; readonly name: string; readonly slug: string } | null;
  /** Names of the roles that the user has in the whole organization. */
  readonly roles: readonly string[];
  /** Whether the token had no room for the names of all roles. `permissions` is complete even then. */
  readonly rolesTruncated: boolean;
  /** Names of the permissions that the user has in the whole organization. */
  readonly permissions: readonly PermissionName[];
  /** Permissions held in units. Null if they are too many for a token, so that only the server knows them. */
  readonly unitGrants: readonly UnitGrant[] | null;
};

/**
 * An access token with its claims, its age and its lifetime. These are computed from the token's own times, because
 * the local clock may be wrong.
 */
export type AccessToken = {
  readonly token: string;
  readonly claims: Claims;
  readonly issuedAt: number;
  readonly lifetimeMs: number;
};

/**
 * Decodes an access token without verifying it; only the server can verify it.
 * @throws SyntaxError or DOMException if it is not a JWT
 */
export function readToken(token: string): AccessToken {
  const { sub, sid, iat, exp, ...said } = partOf(token, 1) as Schemas["AccessTokenClaims"];
  const { isPlatformAdmin, mustEnableTwoFactor = false, organization, permissions, unitGrants } = said;
  const { roles, rolesTruncated = false, confined = false } = said;
  const claims: Claims = {
    userId: sub,
    sessionId: sid,
    isPlatformAdmin,
    mustEnableTwoFactor,
    confined,
    organization,
    roles,
    rolesTruncated,
    permissions,
    unitGrants:
      unitGrants?.map(({ permissions, roots, units }) => ({
        permissions,
        roots: idsOf(bytesOf(roots)),
        units: units === null ? null : idsOf(bytesOf(units)),
      })) ?? null,
  };
  return { token, claims, issuedAt: iat, lifetimeMs: (exp - iat) * 1000 };
}

/**
 * Decodes the header (0) or the payload (1) of a token.
 * @throws SyntaxError or DOMException if it is not a JWT
 */
export const partOf = (token: string, index: number): unknown =>
  JSON.parse(new TextDecoder().decode(bytesOf(token.split(".")[index] ?? "")));

export function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** Decodes ids that are packed as 16 bytes each, without separators. */
export function idsOf(bytes: Uint8Array): string[] {
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return (hex.match(/.{32}/g) ?? []).map((id) => id.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"));
}

/**
 * Whether these claims grant a permission: true, false, or `"perhaps"` (truthy in an `if`) if the token had no room
 * for all units. With `"perhaps"`, show the element and let the server decide.
 * @param unitId a unit; null for the whole organization; omitted for any unit or the whole organization
 */
export function grants(
  claims: Claims,
  permission: PermissionName,
  unitId?: string | null,
): boolean | "perhaps" {
  if (claims.mustEnableTwoFactor) return false;
  if (claims.isPlatformAdmin || claims.permissions.includes(permission)) return true;
  if (unitId === null || claims.organization === null) return false;
  if (claims.unitGrants === null) return "perhaps";
  const granting = claims.unitGrants.filter(({ permissions }) => permissions.includes(permission));
  if (unitId === undefined) return granting.length > 0;
  const id = unitId.toLowerCase();
  if (granting.some(({ roots, units }) => (units ?? roots).includes(id))) return true;
  return granting.some(({ units }) => units === null) && "perhaps";
}
