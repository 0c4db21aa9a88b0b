import { page } from "../lib/roots.ts";
import { ticketSearch } from "./search.ts";

/** The pages of the helpdesk, each loaded on demand. Mails link to `/support/tickets/<id>` (rules 18.4). */
export const helpdeskRoutes = [
  page("/support/tickets", null, () => import("./lists.tsx"), "OwnTickets", ticketSearch),
  page("/support/tickets/new", null, () => import("./new-ticket.tsx"), "NewTicket"),
  page("/support/tickets/$id", null, () => import("./ticket.tsx"), "OwnTicket"),
  page(
    "/helpdesk/tickets",
    "Helpdesk.Read",
    () => import("./lists.tsx"),
    "OrganizationTickets",
    ticketSearch,
  ),
  page("/helpdesk/overview", null, () => import("./overview.tsx"), "HelpdeskOverview"),
  page("/helpdesk/tickets/$id", "Helpdesk.Read", () => import("./ticket.tsx"), "OrganizationTicket"),
  page("/platform/tickets", "platform", () => import("./lists.tsx"), "PlatformTickets", ticketSearch),
  page("/platform/tickets/$id", "platform", () => import("./ticket.tsx"), "PlatformTicket"),
] as const;
