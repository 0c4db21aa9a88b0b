import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "../lib/lazy-page.ts";
import { authenticatedLayout } from "../lib/roots.ts";
import { ticketSearch } from "./search.ts";

const getParentRoute = () => authenticatedLayout;

/** The pages of the helpdesk, each loaded on demand. Mails link to `/support/tickets/<id>` (rules 18.4). */
export const helpdeskRoutes = [
  createRoute({
    getParentRoute,
    path: "/support/tickets",
    validateSearch: ticketSearch,
    component: lazyPage(() => import("./lists.tsx"), "OwnTickets"),
  }),
  createRoute({
    getParentRoute,
    path: "/support/tickets/new",
    component: lazyPage(() => import("./new-ticket.tsx"), "NewTicket"),
  }),
  createRoute({
    getParentRoute,
    path: "/support/tickets/$id",
    component: lazyPage(() => import("./ticket.tsx"), "OwnTicket"),
  }),
  createRoute({
    getParentRoute,
    path: "/helpdesk/tickets",
    staticData: { needs: "Helpdesk.Read" },
    validateSearch: ticketSearch,
    component: lazyPage(() => import("./lists.tsx"), "OrganizationTickets"),
  }),
  createRoute({
    getParentRoute,
    path: "/helpdesk/overview",
    component: lazyPage(() => import("./overview.tsx"), "HelpdeskOverview"),
  }),
  createRoute({
    getParentRoute,
    path: "/helpdesk/tickets/$id",
    staticData: { needs: "Helpdesk.Read" },
    component: lazyPage(() => import("./ticket.tsx"), "OrganizationTicket"),
  }),
  createRoute({
    getParentRoute,
    path: "/platform/tickets",
    staticData: { needs: "platform" },
    validateSearch: ticketSearch,
    component: lazyPage(() => import("./lists.tsx"), "PlatformTickets"),
  }),
  createRoute({
    getParentRoute,
    path: "/platform/tickets/$id",
    staticData: { needs: "platform" },
    component: lazyPage(() => import("./ticket.tsx"), "PlatformTicket"),
  }),
] as const;
