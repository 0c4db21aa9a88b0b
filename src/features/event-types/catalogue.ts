import { z } from "zod";
import { exampleOf, type JsonSchema } from "../../core/api/openapi-examples.ts";
import { EVENT_TYPES, type EventType, eventTypes } from "../../core/effects/event-types.ts";
import { PlanOfRow } from "../../core/plans/schemas.ts";
import { Subscription } from "../billing/schemas.ts";
import { Ticket, TicketMessage } from "../helpdesk/schemas.ts";
import { Invitation } from "../invitations/schemas.ts";
import { Member } from "../members/schemas.ts";
import { Organization } from "../organizations/schemas.ts";
import { Role } from "../roles/schemas.ts";
import { ApiKey, ServiceAccount } from "../service-accounts/schemas.ts";
import { OwnedTodo } from "../todos/schemas.ts";
import { Unit } from "../units/schemas.ts";
import { WebhookEndpoint, type WebhookEventType } from "../webhooks/schemas.ts";

/** The fields of a ticket message that an event contains. */
const TicketMessageOfEvent = TicketMessage.pick({
  id: true,
  internal: true,
  asStaff: true,
  staffScope: true,
}).extend({
  ticketId: Ticket.shape.id,
  attachmentCount: z.int(),
});

const plan = PlanOfRow.unwrap().shape;
/** The plan of an organization, with null in both fields if billing is off. */
const PlanOfEvent = z.object({ key: plan.key.nullable(), source: plan.source.nullable() });
/** A subscription, with a null status if the payment provider no longer has it. */
const SubscriptionOfEvent = Subscription.extend({ status: Subscription.shape.status.nullable() });

/** The schema of the object in the events of each type. A product adds the schemas of its own event types here. */
export const eventObjects: Record<EventType, z.ZodType> = {
  "organization.updated": Organization,
  "organization.status_changed": Organization,
  "organization.plan_changed": PlanOfEvent,
  "unit.created": Unit,
  "unit.updated": Unit,
  "unit.deleted": Unit,
  "role.created": Role,
  "role.updated": Role,
  "role.deleted": Role,
  "member.created": Member,
  "member.updated": Member,
  "member.deleted": Member,
  "invitation.created": Invitation,
  "invitation.resent": Invitation,
  "invitation.accepted": Invitation,
  "invitation.revoked": Invitation,
  "subscription.updated": SubscriptionOfEvent,
  "ticket.created": Ticket,
  "ticket.updated": Ticket,
  "ticket.deleted": Ticket,
  "ticket.message_created": TicketMessageOfEvent,
  "todo.created": OwnedTodo,
  "todo.updated": OwnedTodo,
  "todo.deleted": OwnedTodo,
  "service_account.created": ServiceAccount,
  "service_account.updated": ServiceAccount,
  "service_account.deleted": ServiceAccount,
  "api_key.created": ApiKey,
  "api_key.rotated": ApiKey,
  "api_key.revoked": ApiKey,
  "webhook_endpoint.created": WebhookEndpoint,
  "webhook_endpoint.updated": WebhookEndpoint,
  "webhook_endpoint.disabled": WebhookEndpoint,
  "webhook_endpoint.deleted": WebhookEndpoint,
};

const ID = "0190c7a0-0000-7000-8000-000000000001";
const TIME = "2026-01-31T09:30:00.000Z";

function exampleOfEvent(type: string, object: Record<string, unknown>) {
  return {
    id: ID,
    sequence: type === TEST.type ? 0 : 42,
    type,
    version: 1,
    timestamp: TIME,
    organizationId: ID,
    actor: { type: "user", id: ID },
    requestId: ID,
    data: { object },
  };
}

const TEST = {
  type: "webhook.test",
  permission: null,
  description: "Sent by a test of an endpoint, to it alone.",
};

const shapeOf = (schema: z.ZodType) =>
  z.toJSONSchema(schema, { io: "output", unrepresentable: "any" }) as JsonSchema;

let catalogue: z.output<typeof WebhookEventType>[] | null = null;

/** Returns every event type, with the permission that is needed to read such events, and an example. */
export function listEventTypes(): z.output<typeof WebhookEventType>[] {
  catalogue ??= [
    ...EVENT_TYPES.map((type) => {
      const object = exampleOf(shapeOf(eventObjects[type]), {}) as Record<string, unknown>;
      return { type, version: 1 as const, ...eventTypes[type], example: exampleOfEvent(type, object) };
    }),
    { ...TEST, version: 1, example: exampleOfEvent(TEST.type, { message: "This is a test." }) },
  ];
  return catalogue;
}
