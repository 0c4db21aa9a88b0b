import {
  audit,
  authorize,
  conflict,
  endOf,
  exactlyOne,
  notFound,
  type OrganizationCall,
  type Tx,
  transaction,
} from "#kit";
import { withEndedApps } from "#kit/inside";
import * as queries from "#sql/sso-connections";
import { deleteIdentitiesOf } from "#sql/sso-sign-in";
import { tellOfMethod } from "../identities/link.ts";
import { findStored } from "./connection-read.ts";

/**
 * Deletes a connection: its identities, proofs and mappings end. Roles that its groups gave become roles by hand, so nobody
 * loses a right by it. @throws notFound, conflict
 */
export async function deleteConnection(call: OrganizationCall, id: string): Promise<void> {
  await transaction(call, async (tx) => {
    const { organizationId } = tx;
    await authorize(tx, "SingleSignOn.Update", { worksInSuspended: true });
    const { name } = await findStored(tx, id);
    const { isNeeded } = exactlyOne(await queries.isNeeded.run({ id }, tx.db));
    if (isNeeded) throw conflict();
    const { count } = exactlyOne(await queries.keepAssignments.run({ id }, tx.db));
    const endedApps = await endOf("identities", tx, { connectionIds: [id] });
    await end(tx, organizationId, id);
    await audit(tx, "CONNECTION_DELETED", {
      organizationId,
      target: { type: "connection", id },
      metadata: { name, keptAssignments: count, ...withEndedApps(endedApps) },
    });
  });
}

async function end(tx: Tx, organizationId: string, id: string | null): Promise<void> {
  const deleted = await queries.deleteConnections.run({ organizationId, id }, tx.db);
  await queries.endConnections.run({ ids: deleted.map((one) => one.id) }, tx.db);
}

/** Ends the connections of a deleted organization. */
export const endConnectionsOf = (tx: Tx, organizationId: string): Promise<void> =>
  end(tx, organizationId, null);

/** Removes the identity of a person, with its proofs; the next sign-in links anew. @throws notFound */
export async function deleteIdentity(call: OrganizationCall, id: string, userId: string): Promise<void> {
  await transaction(call, async (tx) => {
    const { organizationId } = tx;
    await authorize(tx, "SingleSignOn.Update", { worksInSuspended: true });
    await findStored(tx, id);
    const [person] = await queries.deleteIdentity.run({ connectionId: id, userId }, tx.db);
    if (person === undefined) throw notFound();
    const endedApps = await endOf("identities", tx, { connectionIds: [id], userId });
    await audit(tx, "SSO_IDENTITY_REMOVED", {
      organizationId,
      target: { type: "user", id: userId },
      metadata: { connectionId: id, ...withEndedApps(endedApps) },
    });
    const method = { provider: "sso", connectionId: id, providerName: person.organizationName };
    await tellOfMethod(tx, "REMOVED", { ...person, id: userId }, method);
  });
}

/**
 * Ends what a person has by the connections of organizations, or of all: identities, and proofs of sessions. Call under the
 * locks of the organizations and of the user.
 */
export async function endIdentities(
  tx: Tx,
  { userId, organizationIds }: { userId: string; organizationIds: string[] | null },
): Promise<void> {
  await deleteIdentitiesOf.run({ userId, organizationIds }, tx.db);
}
