import { z } from "@hono/zod-openapi";
import { textExample, uuid } from "#kit";
import { ticketCategory, ticketStatus } from "#kit/inside";

const aboutTicket = z.object({
  ticketId: uuid.describe("The id of the ticket."),
  number: z.int().openapi({ example: 12 }).describe("The number of the ticket."),
  subject: textExample("The list stays empty").describe("The subject of the ticket."),
});

const ticketOfOrganization = uuid.optional().openapi({
  description: "The id of the ticket's organization; present only for its staff.",
});

/** Types of notifications with their data, which must not contain a secret (rules 17.1, 17.4). */
export const notifications = {
  HELPDESK_TICKET_CREATED: aboutTicket.extend({
    category: ticketCategory,
    organizationId: ticketOfOrganization,
  }),
  HELPDESK_REPORTER_REPLIED: aboutTicket.extend({ organizationId: ticketOfOrganization }),
  HELPDESK_STAFF_REPLIED: aboutTicket,
  HELPDESK_STATUS_CHANGED: aboutTicket.extend({ status: ticketStatus }),
} as const satisfies Record<string, z.ZodObject>;
