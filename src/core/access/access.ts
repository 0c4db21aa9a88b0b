import type { FeatureName } from "../plans/names.ts";
import type { AccessTokenClaims } from "./access-token.ts";
import { isUnitScoped, type Permission } from "./catalog.ts";

/**
 * Who may call a route. Declared on every route as data, enforced here, printed in the OpenAPI document. "member" and
 * a permission act in one organization: the caller's active one, or, for a platform administrator, the one that
 * `X-Organization-Id` names. Where it spans, a platform administrator acts in all, or in those that are named. A feature
 * must be in the plan of the caller's organization; it never holds back platform administrators.
 */
export type Access =
  | "public"
  | "signed-in"
  | "platform-admin"
  | "member"
  | { permission: Permission; spans?: true; feature?: FeatureName };

/** Somebody who is signed in, as their access token says. */
export interface Actor {
  readonly userId: string;
  readonly sessionId: string;
  readonly isPlatformAdmin: boolean;
  readonly claims: AccessTokenClaims;
}

/** Whether a route works on one organization, whoever calls. */
export const isOfOneOrganization = (access: Access): boolean =>
  access === "member" || (typeof access === "object" && access.spans === undefined);

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
    default: {
      const where = isUnitScoped(access.permission) ? ", for all of it or in a unit" : "";
      const platform =
        access.spans === undefined
          ? "A platform administrator names the organization with `X-Organization-Id`."
          : "For a platform administrator it spans all organizations, or those that `X-Organization-Id` names.";
      const feature =
        access.feature === undefined ? "" : ` The organization's plan must include \`${access.feature}\`.`;
      return `Needs \`${access.permission}\` in the active organization${where}. ${platform}${feature}`;
    }
  }
}
