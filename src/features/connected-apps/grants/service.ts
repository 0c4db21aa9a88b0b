import type { z } from "zod";
import {
  authorize,
  inCatalogOrder,
  list,
  notFound,
  type OrganizationCall,
  type SignedInCall,
  transaction,
} from "#kit";
import type { AppCall } from "#kit/inside";
import * as queries from "#sql/oauth-grants";
import { withUnits } from "../../../core/access/active-organization.ts";
import { invalidAppToken } from "../../../core/access/app-errors.ts";
import { operatorOf } from "../../../core/access/app-operator.ts";
import { confinedTo } from "../../../core/access/proofs.ts";
import { lockAccount } from "../../../core/accounts/reauthenticate.ts";
import { revokeGrants } from "./end.ts";
import { present, presentClient, presentOfMember, presentUnit } from "./present.ts";
import type { ConnectedAppQuery, OwnGrant } from "./schemas.ts";

/*
 * The apps that act for the caller. Ending them needs no proof of identity, so that a person always can. A session that is confined to
 * an organization sees and ends the apps of that organization.
 */

/** Returns the caller's connected apps in all organizations, newest first. */
export async function listOwnConnectedApps({ app, actor, db }: SignedInCall) {
  const { userId } = actor;
  const of = { userId, organizationId: confinedTo(actor), operator: operatorOf(app.config) };
  return (await queries.listOwnConnectedApps.run(of, db)).map(present);
}

/** Ends one of the caller's grants; does nothing if it has ended. @throws notFound, also for a grant of another; unauthenticated */
export async function endOwnGrant(call: SignedInCall, id: string): Promise<void> {
  await transaction(call, async (tx) => {
    const { id: userId } = await lockAccount(tx);
    const [grant] = await queries.findOwnGrant.run(
      { id, userId, organizationId: confinedTo(tx.actor) },
      tx.db,
    );
    if (grant === undefined) throw notFound();
    await revokeGrants(tx, [grant], "person");
  });
}

/** Ends all grants of the caller. @throws unauthenticated */
export async function endOwnGrants(call: SignedInCall): Promise<void> {
  await transaction(call, async (tx) => {
    const { id: userId } = await lockAccount(tx);
    const confined = confinedTo(tx.actor);
    const organizationIds = confined === null ? null : [confined];
    const grants = await queries.listLiveGrantsOfUser.run({ userId, organizationIds }, tx.db);
    await revokeGrants(tx, grants, "person");
  });
}

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

/**
 * Ends the grant of a member who is wholly in the caller's reach; does nothing if it has ended. For emergencies, so it needs none of the
 * permissions that the app has, and works in a suspended organization.
 * @throws notFound
 */
export async function endGrantOfMember(call: OrganizationCall, id: string): Promise<void> {
  await transaction(call, async (tx) => {
    const { organizationId } = tx;
    const permissions = await authorize(tx, "ConnectedApps.Delete", { worksInSuspended: true });
    const { units } = await permissions.reach("ConnectedApps.Delete", tx.db);
    const [grant] = await queries.findGrantInReach.run({ id, organizationId, units }, tx.db);
    if (grant === undefined) throw notFound();
    await revokeGrants(tx, [grant], "organization");
  });
}
