import { z } from "@hono/zod-openapi";
import { shown, uuid } from "../api/fields.ts";

/* What the data of several effects is made of. */

/** A role as it was given, named as it was called then. */
export const RoleEntry = z
  .object({
    roleId: uuid,
    roleName: shown("MEMBER"),
    unitId: uuid.nullable().openapi({ description: "Null: for the whole organization." }),
    unitName: shown("Sales").nullable(),
  })
  .openapi("RoleEntry");
export type RoleEntry = z.output<typeof RoleEntry>;

/** A unit, named as it was called then. */
export const UnitEntry = z.object({ unitId: uuid, unitName: shown("Sales") }).openapi("UnitEntry");

/** Who changed the second factor of an account: its owner, or a platform administrator. */
export const changedVia = z.enum(["self", "admin"]);

export const TICKET_CATEGORIES = ["BUG", "QUESTION", "ACCOUNT", "BILLING", "FEATURE", "OTHER"] as const;
export const TICKET_STATUSES = ["OPEN", "IN_PROGRESS", "RESOLVED", "CLOSED"] as const;
export const ticketCategory = z.enum(TICKET_CATEGORIES).openapi("TicketCategory");
export const ticketStatus = z.enum(TICKET_STATUSES).openapi("TicketStatus");

export const organizationStatus = z
  .enum(["ACTIVE", "SUSPENDED"])
  .openapi("OrganizationStatus", { example: "ACTIVE" });
