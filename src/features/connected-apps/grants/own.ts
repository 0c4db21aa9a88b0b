import { notFound, type SignedInCall, transaction } from "#kit";
import * as queries from "#sql/oauth-grants";
import { operatorOf } from "../../../core/access/app-operator.ts";
import { confinedTo } from "../../../core/access/confined.ts";
import { lockAccount } from "../../../core/accounts/reauthenticate.ts";
import { endAndReturn } from "../end-grants.ts";
import { present } from "./present.ts";
import { tellRevoked } from "./tell.ts";

/*
 * The apps that act for the caller. Nobody may be kept from ending them: it needs no proof of identity, and works in a session that is
 * confined to an organization, for the apps of that organization.
 */

/** Returns the caller's connected apps in all organizations, newest first. */
export async function listOwnConnectedApps({ app, actor, db }: SignedInCall) {
  const { userId } = actor;
  const of = { userId, organizationId: confinedTo(actor), operator: operatorOf(app.config) };
  return (await queries.listOwnConnectedApps.run(of, db)).map(present);
}

/** Ends one of the caller's grants; one that has ended stays so. @throws notFound, also for a grant of another; unauthenticated */
export async function endOwnGrant(call: SignedInCall, id: string): Promise<void> {
  await transaction(call, async (tx) => {
    const { id: userId } = await lockAccount(tx);
    const [grant] = await queries.findOwnGrant.run(
      { id, userId, organizationId: confinedTo(tx.actor) },
      tx.db,
    );
    if (grant === undefined) throw notFound();
    for (const ended of await endAndReturn(tx, [id], "person")) await tellRevoked(tx, ended.id, "person");
  });
}

/** Ends all grants of the caller. @throws unauthenticated */
export async function endOwnGrants(call: SignedInCall): Promise<void> {
  await transaction(call, async (tx) => {
    const { id: userId } = await lockAccount(tx);
    const confined = confinedTo(tx.actor);
    const organizationIds = confined === null ? null : [confined];
    const grants = await queries.listLiveGrantsOfUser.run({ userId, organizationIds }, tx.db);
    const ids = grants.map(({ id }) => id);
    for (const ended of await endAndReturn(tx, ids, "person")) await tellRevoked(tx, ended.id, "person");
  });
}
