import { z } from "@hono/zod-openapi";
import { type AuditEntry, fromTo } from "#kit";
import { ticketStatus } from "#kit/inside";

const number = z.int().openapi({ example: 12 });

/** The audited actions (rules 16.4 to 16.7). */
export const audit = {
  HELPDESK_TICKET_STATUS_CHANGED: {
    target: "ticket",
    metadata: fromTo(ticketStatus).extend({ number: number.describe("The number of the ticket.") }),
  },
  HELPDESK_TICKET_DELETED: {
    target: "ticket",
    metadata: z.object({ number: number.describe("The number of the ticket.") }),
  },
} as const satisfies Record<string, AuditEntry>;
