import type { z } from "zod";
import { exactlyOne, list, notFound, type OrganizationCall, type Queryable } from "#kit";
import { eventTypeNames } from "#kit/inside";
import * as queries from "#sql/webhooks";
import type { WebhookEndpoint, WebhookEndpointQuery } from "./schemas.ts";

type Row = Awaited<ReturnType<typeof queries.findWebhookEndpoint.run>>[number];

/** The event types that this version knows; other names are hidden and remain stored. */
export const knownTypes = (): string[] => [...eventTypeNames(), "*"];

function knownAmong(types: string[]): string[] {
  const known = knownTypes();
  return types.filter((type) => known.includes(type));
}

const timeOf = (time: Date | null) => time?.toISOString() ?? null;

const presentEndpoint = (row: Row): z.output<typeof WebhookEndpoint> => ({
  id: row.id,
  url: row.url,
  description: row.description,
  eventTypes: knownAmong(row.eventTypes),
  enabled: row.isEnabled,
  disabledReason: row.disabledReason as z.output<typeof WebhookEndpoint>["disabledReason"],
  disabledAt: timeOf(row.disabledAt),
  failingSince: timeOf(row.failingSince),
  lastSuccessAt: timeOf(row.lastSuccessAt),
  pendingCount: row.pendingCount,
  previousSecretEndsAt:
    row.previousSecretEndsAt !== null && row.previousSecretEndsAt > new Date()
      ? row.previousSecretEndsAt.toISOString()
      : null,
  createdBy:
    row.createdByType === null || row.createdById === null
      ? null
      : { type: row.createdByType as "user" | "service_account", id: row.createdById },
  createdAt: row.createdAt.toISOString(),
});

/** Returns a page of the organization's webhook endpoints. */
export const listEndpoints = (call: OrganizationCall, query: z.output<typeof WebhookEndpointQuery>) =>
  list(queries.webhookEndpoints, call, { ...query, organizationId: call.organizationId }, presentEndpoint);

/** Returns a webhook endpoint of the organization. @throws notFound */
export async function showEndpoint(organizationId: string, id: string, db: Queryable) {
  const [endpoint] = await queries.findWebhookEndpoint.run({ id, organizationId }, db);
  if (endpoint === undefined) throw notFound();
  return presentEndpoint(endpoint);
}

/** Counts the webhook endpoints of an organization that are not deleted, including disabled ones. */
export async function countEndpoints(db: Queryable, organizationId: string): Promise<number> {
  return exactlyOne(await queries.countLiveWebhookEndpoints.run({ organizationId }, db)).count;
}
