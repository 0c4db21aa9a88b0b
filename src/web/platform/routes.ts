import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { listSearch } from "../lib/list.ts";
import { authenticatedLayout } from "../lib/roots.ts";
import { auditSearch } from "./audit-search.ts";

const getParentRoute = () => authenticatedLayout;

/** The pages of this area, each loaded on demand. */
export const platformRoutes = [
  createRoute({
    getParentRoute,
    path: "/platform/organizations",
    validateSearch: listSearch,
    component: lazyRouteComponent(() => import("./organizations.tsx"), "Organizations"),
  }),
  createRoute({
    getParentRoute,
    path: "/platform/organizations/new",
    component: lazyRouteComponent(() => import("./new-organization.tsx"), "NewOrganization"),
  }),
  createRoute({
    getParentRoute,
    path: "/platform/organizations/$id",
    component: lazyRouteComponent(() => import("./organization.tsx"), "Organization"),
  }),
  createRoute({
    getParentRoute,
    path: "/platform/users",
    validateSearch: listSearch,
    component: lazyRouteComponent(() => import("./users.tsx"), "Users"),
  }),
  createRoute({
    getParentRoute,
    path: "/platform/users/$id",
    component: lazyRouteComponent(() => import("./user.tsx"), "User"),
  }),
  createRoute({
    getParentRoute,
    path: "/platform/audit",
    validateSearch: auditSearch,
    component: lazyRouteComponent(() => import("./audit.tsx"), "PlatformAudit"),
  }),
] as const;
