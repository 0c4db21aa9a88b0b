import type { z } from "zod";
import { inCatalogOrder, list, notFound, type OrganizationCall } from "#kit";
import type { AppCall } from "#kit/inside";
import * as queries from "#sql/oauth-grants";
import { withUnits } from "../../../core/access/active-organization.ts";
import { operatorOf } from "../../../core/access/app-operator.ts";
import { invalidAppToken } from "../../../core/access/invalid-app-token.ts";
import { presentClient, presentOfMember, presentUnit } from "./present.ts";
import type { ConnectedAppQuery, OwnGrant } from "./schemas.ts";

/** Returns the connected apps of members who are wholly in the caller's reach. */
export async function listConnectedApps(call: OrganizationCall, query: z.output<typeof ConnectedAppQuery>) {
  const { app, permissions, db, organizationId } = call;
  const { units } = await permissions.reach("ConnectedApps.Read", db.lists);
  const filters = { ...query, organizationId, operator: operatorOf(app.config), units };
  return list(queries.connectedApps, call, filters, presentOfMember);
}

/** Returns the connected app of a member who is wholly in the caller's reach. @throws notFound */
export async function getConnectedApp(call: OrganizationCall, id: string) {
  const { app, permissions, db, organizationId } = call;
  const unitsOfMember = async () =>
    (await queries.listUnitsOfGrant.run({ id, organizationId }, db)).map(({ unitId }) => unitId);
  const { units } = await permissions.reachAmong("ConnectedApps.Read", unitsOfMember, db);
  const wanted = { id, organizationId, operator: operatorOf(app.config), units };
  const [found] = await queries.findConnectedApp.run(wanted, db);
  if (found === undefined) throw notFound();
  return presentOfMember(found);
}

/** Returns the grant of the app that calls, with its permissions in the form of an access token. @throws unauthenticated if it has ended */
export async function getOwnGrant({ app, actor, db }: AppCall): Promise<z.output<typeof OwnGrant>> {
  const [[grant], { organization, permissions, unitGrants }] = await Promise.all([
    queries.findGrantOfApp.run({ id: actor.app.grantId }, db),
    withUnits(actor.claims, db),
  ]);
  if (grant === undefined || organization === null) throw invalidAppToken(app.config, actor.app.resource);
  return {
    client: presentClient(grant),
    user: { id: grant.userId, firstName: grant.firstName, lastName: grant.lastName },
    organization,
    unit: presentUnit(grant),
    scopes: actor.app.scopes,
    permissions: inCatalogOrder(permissions),
    unitGrants: unitGrants?.map((one) => ({ ...one, permissions: inCatalogOrder(one.permissions) })) ?? null,
    expiresAt: grant.endsAt.toISOString(),
  };
}
