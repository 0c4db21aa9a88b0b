import type { SignedInCall } from "#kit";
import { ssoHoursOf } from "#kit/inside";
import * as queries from "#sql/oauth-authorize";
import { operatorOf } from "../../../core/access/app-operator.ts";
import { appScopes } from "../../../core/access/app-scopes.ts";
import { isUnitScoped } from "../../../core/access/catalog.ts";
import type { Shown } from "./request-token.ts";

type Asked = Pick<Shown, "client" | "scopes">;
type Reason = "off" | "not-approved" | "suspended" | "other-organization" | "session";

/** Returns the parameters by which the database decides whether the caller can approve an app in an organization (rules 46.7). */
export const approvalOf = (
  { app, actor: { userId, sessionId } }: Pick<SignedInCall, "app" | "actor">,
  { client }: Pick<Shown, "client">,
) => ({
  userId,
  sessionId,
  ssoHours: ssoHoursOf(app.config),
  operator: operatorOf(app.config),
  clientId: client.id,
  clientHost: client.host,
  oauthClientId: client.oauthClientId,
  clientOrganizationId: client.organizationId,
});

/** Lists the organizations of the caller, and whether the app may be approved in each. Runs one query. */
export async function listOrganizations(call: SignedInCall, asked: Asked) {
  const { claims } = call.actor;
  const rows = await queries.listOrganizationsForApp.run(approvalOf(call, asked), call.db);
  return rows.map(({ id, name, reason, heldEverywhere, heldInUnits }) => {
    const held = new Set([...heldEverywhere, ...heldInUnits.filter(isUnitScoped)]);
    return {
      id,
      name,
      current: claims.organization?.id === id,
      allowed: reason === null,
      reason: reason as Reason | null,
      scopes: asked.scopes.filter((scope) => holdsOneOf(scope, held)),
    };
  });
}

/** Whether a scope has one of these permissions. */
export const holdsOneOf = (scope: string, held: ReadonlySet<string>): boolean =>
  appScopes().some(({ name, permissions }) => name === scope && permissions.some((one) => held.has(one)));
