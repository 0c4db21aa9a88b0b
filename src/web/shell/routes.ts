import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "../lib/lazy-page.ts";
import { listSearch } from "../lib/list.ts";
import { authenticatedLayout } from "../lib/roots.ts";

/** The pages of the shell area, each loaded on demand. */
export const shellRoutes = [
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/",
    component: lazyPage(() => import("./home.tsx"), "Home"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/notifications",
    validateSearch: (raw: Record<string, unknown>) => ({
      ...listSearch(raw),
      ...(raw.unread === true && { unread: true }),
    }),
    component: lazyPage(() => import("./notifications.tsx"), "Notifications"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/new-organization",
    component: lazyPage(() => import("./new-organization.tsx"), "NewOrganization"),
  }),
] as const;
