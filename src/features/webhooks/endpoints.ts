import type { z } from "zod";
import * as queries from "#sql/webhooks";
import type { ConfirmedPermissions } from "../../core/access/effective-permissions.ts";
import { permissionNotHeld } from "../../core/access/errors.ts";
import { authorize } from "../../core/authorize/authorize.ts";
import type { OrganizationCall, Tx } from "../../core/context.ts";
import { audit } from "../../core/effects/audit.ts";
import { changedFields } from "../../core/effects/changed-fields.ts";
import { event } from "../../core/effects/event.ts";
import { EVENT_TYPES, type EventType, eventTypes as types } from "../../core/effects/event-types.ts";
import { assertWithinLimit } from "../../core/plans/limits.ts";
import { exactlyOne } from "../../platform/db/prepared-query.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { notFound, sizeLimitReached, validationFailed } from "../../platform/errors.ts";
import { hostOfAddress, isAllowedUrl } from "./address.ts";
import { countEndpoints, showEndpoint } from "./read.ts";
import type {
  CreateWebhookEndpointBody,
  RotateWebhookSecretBody,
  UpdateWebhookEndpointBody,
} from "./schemas.ts";
import { newSecret, webhookCipher } from "./secret.ts";

const MAX_ENDPOINTS = 50;

/**
 * Registers an endpoint. Nobody reads what is pushed there but its receiver, so the caller must hold the permissions of
 * its types for the whole organization.
 * @throws validationFailed, permissionNotHeld, sizeLimitReached, planLimitReached
 */
export async function createEndpoint(
  tx: Tx<OrganizationCall>,
  { url, eventTypes, description }: z.output<typeof CreateWebhookEndpointBody>,
) {
  const { organizationId, actor, app } = tx;
  assertAllowedUrl(tx, url);
  const permissions = await authorize(tx, "Webhooks.Create");
  assertTypesHeld(permissions, eventTypes);
  if ((await countEndpoints(tx.db, organizationId)) >= MAX_ENDPOINTS)
    throw sizeLimitReached("An organization has at most 50 webhook endpoints", MAX_ENDPOINTS);
  const limit = "webhookEndpoints" as const;
  await assertWithinLimit(tx, { organizationId, limit, count: countEndpoints, caller: actor });
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
 * Changes an endpoint. Another address, or more types, need the permissions of all its types; another address also those
 * of what waits.
 * @throws validationFailed, notFound, permissionNotHeld
 */
export async function updateEndpoint(
  call: OrganizationCall,
  id: string,
  change: z.output<typeof UpdateWebhookEndpointBody>,
) {
  if (change.url !== undefined) assertAllowedUrl(call, change.url);
  return transaction(call, async (tx) => {
    const { organizationId } = tx;
    const isDisabling = change.enabled === false;
    const permissions = await authorize(tx, "Webhooks.Update", isDisabling ? { worksInSuspended: true } : {});
    const before = await showEndpoint(organizationId, id, tx.db);
    const { url, eventTypes, description, enabled } = { ...before, ...withoutUndefined(change) };
    const isElsewhere = url !== before.url || (enabled && !before.enabled);
    if (change.eventTypes !== undefined || isElsewhere) assertTypesHeld(permissions, eventTypes);
    if (url !== before.url) {
      // What waits goes to the new address too, also of types that the endpoint no longer has.
      const waiting = await queries.listTypesOfWaitingDeliveries.run({ endpointId: id }, tx.db);
      assertTypesHeld(
        permissions,
        waiting.map(({ eventType }) => eventType),
      );
    }
    const shown = { url, eventTypes, description, enabled };
    const changed = changedFields(
      {
        url: before.url,
        eventTypes: before.eventTypes,
        description: before.description,
        enabled: before.enabled,
      },
      shown,
    );
    if (changed === null) return before;
    await queries.updateWebhookEndpoint.run(
      { id, organizationId, url, eventTypes, description, isEnabled: enabled },
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

/** Deletes an endpoint. Its pending deliveries are not sent. @throws notFound */
export async function deleteEndpoint(call: OrganizationCall, id: string): Promise<void> {
  await transaction(call, async (tx) => {
    const { organizationId } = tx;
    await authorize(tx, "Webhooks.Delete", { worksInSuspended: true });
    const before = await showEndpoint(organizationId, id, tx.db);
    const [deleted] = await queries.deleteWebhookEndpoint.run({ id, organizationId }, tx.db);
    if (deleted === undefined) throw notFound();
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

/** Gives an endpoint a new secret. The previous one signs too for the overlap; one before that ends. @throws notFound */
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

/** Deletes the endpoints of a deleted organization. */
export async function deleteEndpointsOf(tx: Tx, organizationId: string): Promise<void> {
  await queries.deleteWebhookEndpointsOfOrganization.run({ organizationId }, tx.db);
}

/** Stops the clocks of an organization's deliveries while it is suspended, and starts them again. */
export async function setEndpointsPaused(tx: Tx, organizationId: string, isPaused: boolean): Promise<void> {
  const query = isPaused ? queries.pauseWebhookEndpoints : queries.resumeWebhookEndpoints;
  await query.run({ organizationId }, tx.db);
}

function assertAllowedUrl({ app }: Pick<OrganizationCall, "app">, url: string): void {
  if (isAllowedUrl(url, app.config)) return;
  throw validationFailed([{ path: "url", message: "url must be a public https address" }]);
}

/** Checks that the caller may read these types in the whole organization; `*` stands for all. @throws permissionNotHeld */
export function assertTypesHeld(permissions: ConfirmedPermissions, wanted: string[]): void {
  const all = wanted.includes("*") ? EVENT_TYPES : (wanted as EventType[]);
  // Anybody may read a test, and it is of no type.
  const needed = all.flatMap((type) => types[type]?.permission ?? []);
  if (!permissions.holdsEverywhere(needed)) throw permissionNotHeld();
}

type Change = Partial<{ url: string; eventTypes: string[]; description: string; enabled: boolean }>;

/** Returns what the audit log may hold of a change: of an address only the host. */
const auditable = ({ url, eventTypes, enabled }: Change) => ({
  ...(url !== undefined && { host: hostOfAddress(url) }),
  ...(eventTypes !== undefined && { eventTypes }),
  ...(enabled !== undefined && { enabled }),
});

const withoutUndefined = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]: Exclude<T[Key], undefined>;
  };
