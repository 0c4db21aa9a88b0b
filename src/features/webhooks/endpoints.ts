import type { z } from "zod";
import {
  assertWithinLimit,
  audit,
  authorize,
  type ConfirmedPermissions,
  changedFields,
  type EffectivePermissions,
  type EventType,
  event,
  exactlyOne,
  notFound,
  type OrganizationCall,
  permissionNotHeld,
  sizeLimitReached,
  type Tx,
  transaction,
  eventTypes as types,
  validationFailed,
} from "#kit";
import { eventTypeNames, withoutUndefined } from "#kit/inside";
import * as queries from "#sql/webhooks";
import { hostOfAddress, isAllowedUrl } from "./address.ts";
import { discardDeliveries } from "./disable.ts";
import { countEndpoints, knownTypes, showEndpoint } from "./read.ts";
import type {
  CreateWebhookEndpointBody,
  RotateWebhookSecretBody,
  UpdateWebhookEndpointBody,
} from "./schemas.ts";
import { newSecret, webhookCipher } from "./secret.ts";

const MAX_ENDPOINTS = 50;

/**
 * Registers a webhook endpoint. The endpoint receives events without restriction to units. So the caller must hold
 * the permissions of its event types in the whole organization.
 * @throws validationFailed, permissionNotHeld, sizeLimitReached, planLimitReached
 */
export async function createEndpoint(
  tx: Tx<OrganizationCall>,
  { url: address, eventTypes, description }: z.output<typeof CreateWebhookEndpointBody>,
) {
  const { organizationId, actor, app } = tx;
  const url = allowedUrl(tx, address);
  const permissions = await authorize(tx, "Webhooks.Create");
  assertTypesHeld(permissions, eventTypes);
  if ((await countEndpoints(tx.db, organizationId)) >= MAX_ENDPOINTS)
    throw sizeLimitReached("An organization has at most 50 webhook endpoints", MAX_ENDPOINTS);
  const limit = "webhookEndpoints" as const;
  await assertWithinLimit(tx, { organizationId, limit, caller: actor });
  const secret = newSecret();
  const { id } = exactlyOne(
    await queries.insertWebhookEndpoint.run(
      {
        organizationId,
        url,
        description,
        eventTypes,
        secret: webhookCipher(app).encrypt(secret),
        createdByType: actor.type,
        createdById: actor.id,
      },
      tx.db,
    ),
  );
  await audit(tx, "WEBHOOK_ENDPOINT_CREATED", {
    organizationId,
    target: { type: "webhook_endpoint", id },
    metadata: { host: hostOfAddress(url), eventTypes },
  });
  const object = await showEndpoint(organizationId, id, tx.db);
  await event(tx, "webhook_endpoint.created", { organizationId, id, object, reach: "organization" });
  return { ...object, secret };
}

/**
 * Changes a webhook endpoint. For a new address, for other event types and to enable the endpoint, the caller must
 * hold the permissions of all its event types. For a new address, also those of its pending deliveries.
 * @throws validationFailed, notFound, permissionNotHeld
 */
export async function updateEndpoint(
  call: OrganizationCall,
  id: string,
  change: z.output<typeof UpdateWebhookEndpointBody>,
) {
  const address = change.url === undefined ? {} : { url: allowedUrl(call, change.url) };
  return transaction(call, async (tx) => {
    const { organizationId } = tx;
    const isDisabling = change.enabled === false;
    const permissions = await authorize(tx, "Webhooks.Update", isDisabling ? { worksInSuspended: true } : {});
    const before = await showEndpoint(organizationId, id, tx.db);
    const after = { ...before, ...withoutUndefined(change), ...address };
    const { url, eventTypes, description, enabled } = after;
    const isElsewhere = url !== before.url || (enabled && !before.enabled);
    if (change.eventTypes !== undefined || isElsewhere) assertTypesHeld(permissions, eventTypes);
    if (url !== before.url) {
      // Pending deliveries go to the new address, including those of event types that the endpoint no longer has.
      const waiting = await queries.listTypesOfWaitingDeliveries.run({ endpointId: id }, tx.db);
      assertTypesHeld(
        permissions,
        waiting.map(({ eventType }) => eventType),
      );
    }
    const changed = changedFields(before, after);
    if (changed === null) return before;
    await queries.updateWebhookEndpoint.run(
      { id, organizationId, url, eventTypes, known: knownTypes(), description, isEnabled: enabled },
      tx.db,
    );
    await audit(tx, "WEBHOOK_ENDPOINT_UPDATED", {
      organizationId,
      target: { type: "webhook_endpoint", id },
      metadata: { from: auditable(changed.from), to: auditable(changed.to) },
    });
    const object = await showEndpoint(organizationId, id, tx.db);
    const isDisabled = before.enabled && !enabled;
    await event(tx, isDisabled ? "webhook_endpoint.disabled" : "webhook_endpoint.updated", {
      organizationId,
      id,
      object,
      previous: changed.from,
      ...(isDisabled && { reason: "MANUAL" }),
      reach: "organization",
    });
    return object;
  });
}

/** Deletes a webhook endpoint. Its pending deliveries are discarded. @throws notFound */
export async function deleteEndpoint(call: OrganizationCall, id: string): Promise<void> {
  await transaction(call, async (tx) => {
    const { organizationId } = tx;
    await authorize(tx, "Webhooks.Delete", { worksInSuspended: true });
    const before = await showEndpoint(organizationId, id, tx.db);
    const [deleted] = await queries.deleteWebhookEndpoints.run({ id, organizationId, ofAll: false }, tx.db);
    if (deleted === undefined) throw notFound();
    await discardDeliveries(tx.db, organizationId);
    await audit(tx, "WEBHOOK_ENDPOINT_DELETED", {
      organizationId,
      target: { type: "webhook_endpoint", id },
      metadata: { host: hostOfAddress(before.url) },
    });
    await event(tx, "webhook_endpoint.deleted", {
      organizationId,
      id,
      object: before,
      reach: "organization",
    });
  });
}

/**
 * Creates a new signing secret for an endpoint. During the overlap, requests are also signed with the previous
 * secret. A still older secret ends at once. @throws notFound
 */
export async function rotateSecret(
  tx: Tx<OrganizationCall>,
  id: string,
  { overlapSeconds }: z.output<typeof RotateWebhookSecretBody>,
) {
  const { organizationId, app } = tx;
  const permissions = await authorize(tx, "Webhooks.Update");
  const { url, eventTypes } = await showEndpoint(organizationId, id, tx.db);
  assertTypesHeld(permissions, eventTypes);
  const secret = newSecret();
  const values = { id, organizationId, overlapSeconds, secret: webhookCipher(app).encrypt(secret) };
  const [rotated] = await queries.rotateWebhookSecret.run(values, tx.db);
  if (rotated === undefined) throw notFound();
  const previousSecretEndsAt = rotated.endsAt.toISOString();
  await audit(tx, "WEBHOOK_SECRET_ROTATED", {
    organizationId,
    target: { type: "webhook_endpoint", id },
    metadata: { host: hostOfAddress(url), endsAt: previousSecretEndsAt },
  });
  return { secret, previousSecretEndsAt };
}

/** Deletes the webhook endpoints of a deleted organization, and discards their pending deliveries. */
export async function deleteEndpointsOf(tx: Tx, organizationId: string): Promise<void> {
  await queries.deleteWebhookEndpoints.run({ organizationId, ofAll: true }, tx.db);
  await discardDeliveries(tx.db, organizationId);
}

/** Pauses the webhook deliveries of a suspended organization, or resumes them. The pause postpones their retries. */
export async function setEndpointsPaused(tx: Tx, organizationId: string, isPaused: boolean): Promise<void> {
  const query = isPaused ? queries.pauseWebhookEndpoints : queries.resumeWebhookEndpoints;
  await query.run({ organizationId }, tx.db);
}

/** Returns the address as it is requested, not as it was typed, which may hide its host. @throws validationFailed */
function allowedUrl({ app }: Pick<OrganizationCall, "app">, url: string): string {
  const href = URL.parse(url)?.href ?? "";
  if (isAllowedUrl(url, app.config) && isAllowedUrl(href, app.config)) return href;
  throw validationFailed([{ path: "url", message: "url must be a public https address" }]);
}

/**
 * Checks that the caller may read events of these types in the whole organization; `*` stands for all types.
 * @throws permissionNotHeld
 */
export function assertTypesHeld(permissions: ConfirmedPermissions, wanted: string[]): void {
  if (!holdsTypes(permissions, wanted)) throw permissionNotHeld();
}

/** Whether a caller may read events of these types in the whole organization; `*` stands for all types. */
export function holdsTypes(permissions: EffectivePermissions, wanted: string[]): boolean {
  const all = wanted.includes("*") ? eventTypeNames() : (wanted as EventType[]);
  // `webhook.test` is no event type of the list, and needs no permission.
  const needed = all.flatMap((type) => types()[type]?.permission ?? []);
  return permissions.holdsEverywhere(needed);
}

type Change = Partial<{ url: string; eventTypes: string[]; description: string; enabled: boolean }>;

/** Returns the fields of a change that the audit log may contain: of the URL only the host. */
const auditable = ({ url, eventTypes, enabled }: Change) => ({
  ...(url !== undefined && { host: hostOfAddress(url) }),
  ...(eventTypes !== undefined && { eventTypes }),
  ...(enabled !== undefined && { enabled }),
});
