import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "../lib/lazy-page.ts";
import { listSearch } from "../lib/list.ts";
import { authenticatedLayout } from "../lib/roots.ts";
import { filtered } from "../lib/search-params.ts";

const getParentRoute = () => authenticatedLayout;
const staticData = { needs: "platform" } as const;

/** The pages of the platform area, each loaded on demand. */
export const platformRoutes = [
  createRoute({
    getParentRoute,
    staticData,
    path: "/platform/organizations",
    validateSearch: listSearch,
    component: lazyPage(() => import("./organizations.tsx"), "Organizations"),
  }),
  createRoute({
    getParentRoute,
    staticData,
    path: "/platform/organizations/new",
    component: lazyPage(() => import("./new-organization.tsx"), "NewOrganization"),
  }),
  createRoute({
    getParentRoute,
    staticData,
    path: "/platform/organizations/$id",
    component: lazyPage(() => import("./organization.tsx"), "Organization"),
  }),
  createRoute({
    getParentRoute,
    staticData,
    path: "/platform/users",
    validateSearch: listSearch,
    component: lazyPage(() => import("./users.tsx"), "Users"),
  }),
  createRoute({
    getParentRoute,
    staticData,
    path: "/platform/users/$id",
    component: lazyPage(() => import("./user.tsx"), "User"),
  }),
  createRoute({
    getParentRoute,
    staticData,
    path: "/platform/apps",
    validateSearch: listSearch,
    component: lazyPage(() => import("./apps.tsx"), "PlatformApps"),
  }),
  createRoute({
    getParentRoute,
    staticData,
    path: "/platform/audit",
    validateSearch: filtered(
      "action",
      "actorId",
      "targetType",
      "targetId",
      "grantId",
      "organization",
      "from",
      "to",
    ),
    component: lazyPage(() => import("./audit.tsx"), "PlatformAudit"),
  }),
] as const;
