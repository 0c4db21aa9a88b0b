import type { AccessTokenClaims, AccessTokens } from "./access-token.ts";
import {
  organizationOverrideForbidden,
  platformAdminRequired,
  unauthenticated,
  validationFailed,
} from "./errors.ts";

/** Who may call a route. Declared on every route as data, enforced here, printed in the OpenAPI document. */
export type Access = "public" | "signed-in" | "platform-admin";

/** Somebody who is signed in, as their access token says. */
export interface Actor {
  readonly userId: string;
  readonly sessionId: string;
  readonly isPlatformAdmin: boolean;
  readonly claims: AccessTokenClaims;
}

/** The sentence of an operation's description that says who may call it. */
export function accessInWords(access: Access): string {
  switch (access) {
    case "public":
      return "Anybody may call this.";
    case "signed-in":
      return "Needs an access token.";
    case "platform-admin":
      return "Needs the access token of a platform administrator.";
  }
}

/**
 * The caller of a route, or null on a public one, in the contract's order: the token, then `X-Organization-Id`,
 * then the permission.
 * @throws unauthenticated, organizationOverrideForbidden, validationFailed, platformAdminRequired
 */
export function admit(access: Access, headers: Headers, tokens: AccessTokens): Actor | null | Promise<Actor> {
  if (access === "public") return null;
  const token = bearer(headers.get("authorization"));
  if (token === null) throw unauthenticated();
  const claims = tokens.verify(token);
  // A token that is known already needs no waiting, and most are.
  return claims instanceof Promise
    ? claims.then((verified) => admitWith(access, headers, verified))
    : admitWith(access, headers, claims);
}

function admitWith(access: Access, headers: Headers, claims: AccessTokenClaims | null): Actor {
  if (claims === null) throw unauthenticated();
  const override = headers.get("x-organization-id");
  if (override !== null && override.trim() !== "") {
    if (!claims.isPlatformAdmin) throw organizationOverrideForbidden();
    idList("X-Organization-Id", override);
  }
  if (access === "platform-admin" && !claims.isPlatformAdmin) throw platformAdminRequired();
  return { userId: claims.sub, sessionId: claims.sid, isPlatformAdmin: claims.isPlatformAdmin, claims };
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
