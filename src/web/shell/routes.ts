import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { listSearch } from "../lib/list.ts";
import { authenticatedLayout } from "../lib/roots.ts";

/** The pages of this area, each loaded on demand. */
export const shellRoutes = [
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/",
    component: lazyRouteComponent(() => import("./home.tsx"), "Home"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/notifications",
    validateSearch: (raw: Record<string, unknown>) => ({
      ...listSearch(raw),
      ...(raw.unread === true && { unread: true }),
    }),
    component: lazyRouteComponent(() => import("./notifications.tsx"), "Notifications"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/new-organization",
    component: lazyRouteComponent(() => import("./new-organization.tsx"), "NewOrganization"),
  }),
] as const;
