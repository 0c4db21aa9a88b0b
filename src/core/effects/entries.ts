import { z } from "@hono/zod-openapi";
import { textExample, uuid } from "../definitions/fields.ts";

/* Schemas that several effects share. */

/** An assigned role in an event, with the name that it had at the time of the event. */
export const RoleEntry = z
  .object({
    roleId: uuid.describe("The id of the role."),
    roleName: textExample("MEMBER").describe("The name of the role at the time of the event."),
    unitId: uuid
      .nullable()
      .openapi({ description: "The unit of the assignment; null for the whole organization." }),
    unitName: textExample("Sales").nullable().describe("The name of the unit at the time of the event."),
  })
  .openapi("RoleEntry");
export type RoleEntry = z.output<typeof RoleEntry>;

/** A unit in an event, with the name that it had at the time of the event. */
export const UnitEntry = z
  .object({
    unitId: uuid.describe("The id of the added or removed unit."),
    unitName: textExample("Sales").describe("The name of the unit at the time of the event."),
  })
  .openapi("UnitEntry");

/** The actor who changed an account's second factor: its owner, or a platform administrator. */
export const changedVia = z.enum(["self", "admin"]);

export const TICKET_CATEGORIES = ["BUG", "QUESTION", "ACCOUNT", "BILLING", "FEATURE", "OTHER"] as const;
export const TICKET_STATUSES = ["OPEN", "IN_PROGRESS", "RESOLVED", "CLOSED"] as const;
export const ticketCategory = z
  .enum(TICKET_CATEGORIES)
  .openapi("TicketCategory", { description: "The category of a ticket." });
export const ticketStatus = z
  .enum(TICKET_STATUSES)
  .openapi("TicketStatus", { description: "The status of a ticket. A closed ticket accepts no replies." });

export const organizationStatus = z.enum(["ACTIVE", "SUSPENDED"]).openapi("OrganizationStatus", {
  example: "ACTIVE",
  description: "The status of the organization. In a suspended organization members cannot act.",
});

/** What the events of writes by a setup link have in addition (rules 45.4). */
export const bySetupLink = {
  setupLinkId: uuid.optional().describe("The setup link by which it was done; absent for a member."),
  setupEmail: z
    .string()
    .openapi({ example: "it@example.com" })
    .optional()
    .describe("The address of the setup link."),
};
