import type { ApiError, Config, Queryable } from "#kit";
import { insufficientScope } from "#kit/inside";
import * as queries from "#sql/oauth-tokens";
import type { AppResource, UserActor } from "../../../core/access/access.ts";
import { type ActiveOrganization, organizationOfRows } from "../../../core/access/active-organization.ts";
import { operatorOf } from "../../../core/access/app-operator.ts";
import { scopeOf, withinScopes } from "../../../core/access/app-scopes.ts";
import { inetOf } from "../../../platform/http/client-address.ts";

/** An app's access token that exists, with what it allows at this moment. */
type FoundAppToken = {
  readonly grantId: string;
  readonly isSuspended: boolean;
  /** Whether its account has the second factor that the service may require. */
  readonly hasSecondFactor: boolean;
  /** Whether it lacks one that the organization requires (rules 43.3). */
  readonly lacksFactorThere: boolean;
  /** The person for whom the app acts; null if the token or its grant does not work any more. */
  readonly actor: (UserActor & Required<Pick<UserActor, "app">>) | null;
};

/**
 * Finds the access token of an app by its digest, in one statement. Nothing is cached, so every committed end of the grant and
 * every change of what the person holds is in effect on all instances. Records the use, at most every ten minutes.
 */
export async function findAppToken(
  db: Queryable,
  tokenHash: string,
  { ip, config }: { ip: string | null; config: Config },
): Promise<FoundAppToken | null> {
  const operator = operatorOf(config);
  const rows = await queries.verifyAppToken.run(
    { tokenHash, operator, ip: ip === null ? null : inetOf(ip) },
    db,
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { grantId, isUsable, userId, clientId, clientName, scopes, expiresAt } = row;
  const { organization, ...grants } = organizationOfRows(rows);
  const works = isUsable && userId !== null && clientId !== null && clientName !== null && scopes !== null;
  const found = {
    grantId,
    isSuspended: row.organizationStatus === "SUSPENDED",
    hasSecondFactor: row.hasTwoFactor || row.acr === "2",
    lacksFactorThere: row.lacksFactorThere && row.acr !== "2",
  };
  if (!works || organization === null) return { ...found, actor: null };
  const granted = row.tokenScopes?.filter((scope) => scopes.includes(scope)) ?? scopes;
  const held = { ...grants, organization };
  const resource = row.resource as AppResource;
  return {
    ...found,
    actor: {
      type: "user",
      id: userId,
      userId,
      // No session has this id.
      sessionId: grantId,
      isPlatformAdmin: false,
      claims: {
        ...narrowed(held, granted),
        sub: userId,
        sid: grantId,
        exp: Math.floor(expiresAt.getTime() / 1000),
        isPlatformAdmin: false,
      },
      app: {
        grantId,
        clientId,
        clientName,
        resource,
        unitId: row.grantUnitId,
        tokenHash,
        scopes: granted,
        held,
        within: (permissions) => withinScopes(permissions, granted),
        scopeMissing: (permission) => scopeMissing(permission, { apiUrl: config.apiUrl, resource }),
      },
    },
  };
}

/** Narrows what a person holds to what the scopes have. */
const narrowed = <Claims extends Pick<ActiveOrganization, "permissions" | "unitGrants">>(
  held: Claims,
  granted: readonly string[],
): Claims => ({
  ...held,
  permissions: withinScopes(held.permissions, granted),
  unitGrants:
    held.unitGrants?.flatMap((grant) => {
      const permissionsThere = withinScopes(grant.permissions, granted);
      return permissionsThere.length === 0 ? [] : [{ ...grant, permissions: permissionsThere }];
    }) ?? null,
});

function scopeMissing(permission: string, place: Parameters<typeof insufficientScope>[1]): ApiError | null {
  const scope = scopeOf(permission);
  return scope === null ? null : insufficientScope([scope], place);
}
