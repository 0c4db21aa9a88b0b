import { z } from "@hono/zod-openapi";
import { textExample, timestamp, uuid } from "../api/fields.ts";
import { changedVia, RoleEntry, ticketCategory, ticketStatus } from "./entries.ts";

const aboutTicket = z.object({
  ticketId: uuid,
  number: z.int().openapi({ example: 12 }),
  subject: textExample("The list stays empty"),
});
const ticketOfOrganization = uuid.optional().openapi({
  description: "Of the ticket, for its organization's staff alone.",
});
const provider = z.object({ provider: textExample("google") });

/**
 * Notification types and their data (rules 17.1, 17.4). Types `notify`, and describes notifications in the OpenAPI document.
 * Clients render the text; data never holds a secret. A product adds its own types here.
 */
export const notificationTypes = {
  WELCOME: z.object({}),
  PASSWORD_CHANGED: z.object({ via: z.enum(["change", "reset"]) }),
  TWO_FACTOR_ENABLED: z.object({ via: changedVia }),
  TWO_FACTOR_DISABLED: z.object({ via: changedVia }),
  TWO_FACTOR_RECOVERY_CODE_USED: z.object({
    remaining: z.int().openapi({ description: "Codes that are left.", example: 9 }),
  }),
  SIGN_IN_METHOD_ADDED: provider,
  SIGN_IN_METHOD_REMOVED: provider,
  TEST: z.object({ sentAt: timestamp }),
  INVITATION_ACCEPTED: z.object({
    email: textExample("ada@example.com"),
    userId: uuid,
    organizationId: uuid,
  }),
  HELPDESK_TICKET_CREATED: aboutTicket.extend({
    category: ticketCategory,
    organizationId: ticketOfOrganization,
  }),
  HELPDESK_REPORTER_REPLIED: aboutTicket.extend({ organizationId: ticketOfOrganization }),
  HELPDESK_STAFF_REPLIED: aboutTicket,
  HELPDESK_STATUS_CHANGED: aboutTicket.extend({ status: ticketStatus }),
  ROLES_CHANGED: z.object({
    added: z.array(RoleEntry),
    removed: z.array(RoleEntry),
    organizationId: uuid,
  }),
} as const satisfies Record<string, z.ZodObject>;

export type NotificationType = keyof typeof notificationTypes;
export type NotificationData = { [Type in NotificationType]: z.output<(typeof notificationTypes)[Type]> };
