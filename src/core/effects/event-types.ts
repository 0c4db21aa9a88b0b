import type { Permission } from "../access/catalog.ts";

/** The properties of an event type. The schema of its object is in src/features/event-types/catalogue.ts. */
export type EventTypeEntry = {
  /** The permission that is required to read the object, and so the event. */
  permission: Permission;
  description: string;
};

/**
 * The types of events for other systems, which `event` accepts and GET `/api/webhooks/event-types` lists. A product adds
 * its own types here, and the schema of each type's object to src/features/event-types/catalogue.ts.
 */
export const eventTypes = {
  "organization.updated": {
    permission: "Organization.Read",
    description: "Name, slug or default role changed.",
  },
  "organization.status_changed": {
    permission: "Organization.Read",
    description: "The organization was suspended or became active again.",
  },
  "organization.plan_changed": {
    permission: "Organization.Read",
    description: "A platform administrator changed the plan.",
  },
  "unit.created": { permission: "Units.Read", description: "A unit was created." },
  "unit.updated": { permission: "Units.Read", description: "A unit was renamed or moved." },
  "unit.deleted": { permission: "Units.Read", description: "A unit was deleted." },
  "role.created": { permission: "Roles.Read", description: "A role was created." },
  "role.updated": { permission: "Roles.Read", description: "A role changed." },
  "role.deleted": { permission: "Roles.Read", description: "A role was deleted." },
  "member.created": { permission: "Members.Read", description: "A person became a member." },
  "member.updated": {
    permission: "Members.Read",
    description: "Roles, units or the name of a member changed.",
  },
  "member.deleted": {
    permission: "Members.Read",
    description: "A member was removed or left, or the account was deleted.",
  },
  "invitation.created": { permission: "Invitations.Read", description: "A person was invited." },
  "invitation.resent": { permission: "Invitations.Read", description: "An invitation was sent again." },
  "invitation.accepted": { permission: "Invitations.Read", description: "An invitation was accepted." },
  "invitation.revoked": {
    permission: "Invitations.Read",
    description: "An invitation was revoked, or replaced by a new one.",
  },
  "subscription.updated": { permission: "Billing.Read", description: "The subscription changed." },
  "ticket.created": { permission: "Helpdesk.ReadOne", description: "A ticket was created." },
  "ticket.updated": { permission: "Helpdesk.ReadOne", description: "The status of a ticket changed." },
  "ticket.deleted": { permission: "Helpdesk.ReadOne", description: "A ticket was deleted." },
  "ticket.message_created": {
    permission: "Helpdesk.ReadOne",
    description: "A reply or an internal note was written. The text is not part of the event.",
  },
  "todo.created": { permission: "Todos.ReadAny", description: "A todo was created." },
  "todo.updated": { permission: "Todos.ReadAny", description: "A todo changed." },
  "todo.deleted": { permission: "Todos.ReadAny", description: "A todo was deleted." },
  "service_account.created": {
    permission: "ServiceAccounts.Read",
    description: "A service account was created.",
  },
  "service_account.updated": {
    permission: "ServiceAccounts.Read",
    description: "A service account changed, or its roles did.",
  },
  "service_account.deleted": {
    permission: "ServiceAccounts.Read",
    description: "A service account was deleted, with its keys.",
  },
  "api_key.created": { permission: "ServiceAccounts.Read", description: "An API key was created." },
  "api_key.rotated": {
    permission: "ServiceAccounts.Read",
    description: "An API key was replaced by a new one.",
  },
  "webhook_endpoint.created": {
    permission: "Webhooks.Read",
    description: "A webhook endpoint was created.",
  },
  "webhook_endpoint.updated": {
    permission: "Webhooks.Read",
    description: "A webhook endpoint changed, or was enabled.",
  },
  "webhook_endpoint.disabled": {
    permission: "Webhooks.Read",
    description: "A webhook endpoint was disabled.",
  },
  "webhook_endpoint.deleted": {
    permission: "Webhooks.Read",
    description: "A webhook endpoint was deleted.",
  },
  "api_key.revoked": { permission: "ServiceAccounts.Read", description: "An API key was revoked." },
} as const satisfies Record<string, EventTypeEntry>;

export type EventType = keyof typeof eventTypes;
export const EVENT_TYPES = Object.keys(eventTypes) as EventType[];

/** The reasons for which a record ended, for event types with several reasons. */
export type EventReason =
  | "removed"
  | "left"
  | "account_deleted"
  | "revoked"
  | "superseded"
  | "MANUAL"
  | "FAILING"
  | "GONE"
  | "CREATOR_DELETED"
  | "NO_MEMBERS";
