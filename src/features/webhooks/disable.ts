import { audit, event, exactlyOne, mail, type Queryable, type Tx } from "#kit";
import { discardDeliveriesOfDeleted } from "#sql/webhook-deliveries";
import * as queries from "#sql/webhooks";
import { tellHolders } from "../notifications/tell-holders.ts";
import { hostOfAddress } from "./address.ts";
import { LIMITS } from "./limits.ts";
import { showEndpoint } from "./read.ts";

type Reason = "FAILING" | "GONE" | "CREATOR_DELETED" | "NO_MEMBERS";

/**
 * Disables a webhook endpoint and ends its pending deliveries.
 * - Notifies the members who may change the endpoint, unless the caller caused it: by deleting its creator, or as or
 *   by removing the last member.
 * - Does nothing if the endpoint has another address than `address`, or if the reason is FAILING and the endpoint
 *   no longer fails.
 */
export async function disableEndpoint(
  tx: Tx,
  id: string,
  reason: Reason,
  address: string | null = null,
): Promise<void> {
  const [disabled] = await queries.disableWebhookEndpoint.run({ id, reason, address }, tx.db);
  if (disabled === undefined) return;
  const { organizationId, url, failingSince } = disabled;
  tx.app.meter.count("webhook_endpoints_disabled_total", { reason });
  const object = await showEndpoint(organizationId, id, tx.db);
  const isByCaller = reason === "CREATOR_DELETED" || reason === "NO_MEMBERS";
  await event(tx, "webhook_endpoint.disabled", {
    organizationId,
    ...(!isByCaller && { actorId: null }),
    id,
    object,
    previous: { enabled: true },
    reason,
    reach: "organization",
  });
  // The event about the deleted service account says it already.
  if (reason === "CREATOR_DELETED") return;
  await audit(tx, "WEBHOOK_ENDPOINT_DISABLED", {
    ...(!isByCaller && { actorId: null }),
    organizationId,
    target: { type: "webhook_endpoint", id },
    metadata: { host: hostOfAddress(url), reason },
  });
  if (reason === "NO_MEMBERS") return;
  await notifyHolders(tx, "WEBHOOK_ENDPOINT_DISABLED", { id, organizationId, url, failingSince, reason });
}

/** Disables the webhook endpoints that a deleted service account created. Call under the organization's lock. */
export async function disableEndpointsOfCreator(
  tx: Tx,
  organizationId: string,
  creatorId: string,
): Promise<void> {
  for (const { id } of await queries.listWebhookEndpointsOfCreator.run({ organizationId, creatorId }, tx.db))
    await disableEndpoint(tx, id, "CREATOR_DELETED");
}

/** Disables the webhook endpoints of an organization without members. Call under the organization's lock. */
export async function disableEndpointsOf(tx: Tx, organizationId: string): Promise<void> {
  for (const { id } of await queries.listEnabledWebhookEndpoints.run({ organizationId }, tx.db))
    await disableEndpoint(tx, id, "NO_MEMBERS");
}

type About = {
  id: string;
  organizationId: string;
  url: string;
  failingSince: Date | null;
  reason: "FAILING" | "GONE" | null;
};

const MAILS = {
  WEBHOOK_ENDPOINT_FAILING: "webhookFailing",
  WEBHOOK_ENDPOINT_DISABLED: "webhookDisabled",
} as const;

/**
 * Notifies the members who may change webhook endpoints in the whole organization, in the application and by mail. An
 * endpoint is the subject of one mail an hour to each of them.
 */
export async function notifyHolders(tx: Tx, type: keyof typeof MAILS, about: About): Promise<void> {
  const { id: endpointId, organizationId, url, reason } = about;
  const host = hostOfAddress(url);
  const failingSince = about.failingSince?.toISOString() ?? null;
  const once = { id: endpointId, seconds: LIMITS.mails.perSeconds };
  await tellHolders(
    tx,
    { organizationId, permission: "Webhooks.Update" },
    [type, { endpointId, host, failingSince, reason, organizationId }],
    (to, organizationName) =>
      mail(tx, { kind: MAILS[type], ...to, data: { host, organizationName, endpointId, failingSince } }),
    async () => (await queries.reserveEndpointMail.run(once, tx.db)).length > 0,
  );
}

/** Limits one statement: an endpoint may have 100,000 pending deliveries. */
const AT_ONCE = 5_000;

/**
 * Discards pending deliveries of deleted endpoints, in the transaction that deletes them. A job discards those beyond
 * the first 5,000. Returns whether more may be left.
 */
export async function discardDeliveries(db: Queryable, organizationId: string | null): Promise<boolean> {
  const wanted = { organizationId, max: AT_ONCE };
  return exactlyOne(await discardDeliveriesOfDeleted.run(wanted, db)).discarded === AT_ONCE;
}
