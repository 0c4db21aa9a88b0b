import { audit, event, exactlyOne, mail, notify, type Tx } from "#kit";
import { fromStored } from "#kit/inside";
import * as queries from "#sql/oauth-grants";
import type { AppResource } from "../../../core/access/access.ts";
import { presentOfMember } from "./present.ts";

/*
 * Notifies people and other systems of a change of a grant. Call each function in the transaction of the change, after its statement.
 */

type Grant = queries.IListGrantsByIdResult;

/** By whom a grant was ended on purpose. */
export type RevokedVia = "person" | "organization" | "app" | "reported" | "replaced";

const findGrant = async (tx: Tx, grantId: string): Promise<Grant> =>
  exactlyOne(await queries.listGrantsById.run({ ids: [grantId] }, tx.db));

/** Audits that an app was approved, and notifies the person in the application and by mail. */
export async function tellApproved(tx: Tx, grantId: string): Promise<void> {
  const grant = await findGrant(tx, grantId);
  const { clientId, clientName, clientHost, resource, unitId, unitName, scopes, endsAt } = grant;
  await audit(tx, "CONNECTED_APP_APPROVED", {
    ...targetOf(grant),
    metadata: {
      clientId,
      name: clientName,
      host: clientHost,
      resource: resource as AppResource,
      unitId,
      unitName,
      scopes,
      expiresAt: endsAt.toISOString(),
    },
  });
  await notify(tx, grant.userId, "CONNECTED_APP_APPROVED", aboutOf(grant));
  await mailTo(tx, grant, "connectedAppApproved");
}

/** Writes `connected_app.created`. Call it when the code of the grant is redeemed. */
export async function tellConnected(tx: Tx, grantId: string): Promise<void> {
  if (!tx.app.config.events) return;
  const grant = await findGrant(tx, grantId);
  await event(tx, "connected_app.created", { ...eventOf(grant), actorId: grant.userId });
}

/**
 * Audits that a code or refresh token of the grant was used a second time, and notifies the person in the application and by mail. The
 * event has no actor, because the sender is unknown.
 */
export async function tellReused(tx: Tx, grantId: string, kind: "code" | "refresh"): Promise<void> {
  const grant = await findGrant(tx, grantId);
  await audit(tx, "CONNECTED_APP_TOKEN_REUSED", {
    actorId: null,
    ...targetOf(grant),
    metadata: { ...metadataOf(grant), kind },
  });
  await notify(tx, grant.userId, "CONNECTED_APP_TOKEN_REUSED", aboutOf(grant));
  await mailTo(tx, grant, "connectedAppTokenReused");
}

/** Audits that a grant was revoked. Notifies the person if the organization did it, or somebody reported a leaked token. */
export async function tellRevoked(tx: Tx, grantId: string, via: RevokedVia): Promise<void> {
  const grant = await findGrant(tx, grantId);
  const hasActor = via === "person" || via === "organization";
  await audit(tx, "CONNECTED_APP_REVOKED", {
    ...(hasActor ? {} : { actorId: null }),
    ...targetOf(grant),
    metadata: { ...metadataOf(grant), via },
  });
  if (via !== "organization" && via !== "reported") return;
  const { id, clientName, organizationId } = grant;
  await notify(tx, grant.userId, "CONNECTED_APP_REVOKED", { grantId: id, clientName, organizationId });
}

/** Returns the data of an event about a grant. Call `event` while its person is linked to their units. */
export const eventOf = (grant: Grant) => ({
  organizationId: grant.organizationId,
  id: grant.id,
  object: presentOfMember(grant),
  reach: { userId: grant.userId },
});

const targetOf = ({ id, userId, organizationId }: Grant) => ({
  organizationId,
  target: { type: "connected_app", id, personId: userId } as const,
});
const metadataOf = ({ clientId, clientName, userId }: Grant) => ({ clientId, name: clientName, userId });
const aboutOf = ({ id, clientName, clientHost, organizationId, scopes }: Grant) => ({
  grantId: id,
  clientName,
  clientHost,
  organizationId,
  scopes,
});

const mailTo = (tx: Tx, grant: Grant, kind: "connectedAppApproved" | "connectedAppTokenReused") => {
  const { email: to, language, clientName, clientHost, organizationName, unitName, scopes, endsAt } = grant;
  const data = {
    clientName,
    clientHost,
    organizationName,
    unitName,
    scopes,
    expiresAt: endsAt.toISOString(),
  };
  return mail(tx, { kind, to, language: fromStored(language), data });
};
