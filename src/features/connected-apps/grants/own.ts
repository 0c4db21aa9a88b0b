import { notFound, type SignedInCall, transaction } from "#kit";
import * as queries from "#sql/oauth-grants";
import { operatorOf } from "../../../core/access/app-operator.ts";
import { confinedTo } from "../../../core/access/confined.ts";
import { lockAccount } from "../../../core/accounts/reauthenticate.ts";
import { revokeGrants } from "../end-grants.ts";
import { present } from "./present.ts";

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
