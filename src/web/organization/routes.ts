import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "../lib/lazy-page.ts";
import { listSearch } from "../lib/list.ts";
import { authenticatedLayout } from "../lib/roots.ts";
import { filtered, texts } from "../lib/search-params.ts";

type Raw = Record<string, unknown>;

/** The pages of the organization area, each loaded on demand. */
export const organizationRoutes = [
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/organization",
    component: lazyPage(() => import("./overview/page.tsx"), "Overview"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/members",
    validateSearch: filtered("unit", "twoFactor"),
    component: lazyPage(() => import("./members/list.tsx"), "Members"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/members/$userId",
    component: lazyPage(() => import("./members/member.tsx"), "MemberPage"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/members/$userId/access",
    validateSearch: (raw: Raw) => texts(raw, ["permission", "unit"]),
    component: lazyPage(() => import("./access/page.tsx"), "Access"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/members/$userId/activity",
    validateSearch: filtered("view"),
    component: lazyPage(() => import("./members/activity.tsx"), "MemberActivity"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/service-accounts",
    validateSearch: listSearch,
    component: lazyPage(() => import("./service-accounts/list.tsx"), "ServiceAccounts"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/service-accounts/new",
    component: lazyPage(() => import("./service-accounts/new.tsx"), "NewServiceAccount"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/service-accounts/$id",
    validateSearch: listSearch,
    component: lazyPage(() => import("./service-accounts/account.tsx"), "ServiceAccountPage"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/webhooks",
    validateSearch: listSearch,
    component: lazyPage(() => import("./webhooks/list.tsx"), "Webhooks"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/webhooks/new",
    component: lazyPage(() => import("./webhooks/new.tsx"), "NewWebhook"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/webhooks/$id",
    validateSearch: (raw: Raw) => texts(raw, ["state", "type", "delivery"]),
    component: lazyPage(() => import("./webhooks/endpoint.tsx"), "WebhookPage"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/events",
    validateSearch: (raw: Raw) => texts(raw, ["type", "record"]),
    component: lazyPage(() => import("./webhooks/events.tsx"), "Events"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/invitations",
    validateSearch: listSearch,
    component: lazyPage(() => import("./invitations/list.tsx"), "Invitations"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/invitations/new",
    component: lazyPage(() => import("./invitations/invite.tsx"), "Invite"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/units",
    validateSearch: (raw: Raw) => texts(raw, ["unit"]),
    component: lazyPage(() => import("./units/page.tsx"), "Units"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/units/chart",
    validateSearch: (raw: Raw) => texts(raw, ["unit"]),
    component: lazyPage(() => import("./units/chart-page.tsx"), "OrganizationChart"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/roles",
    component: lazyPage(() => import("./roles/list.tsx"), "Roles"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/roles/$roleId",
    validateSearch: (raw: Raw) => texts(raw, ["from"]),
    component: lazyPage(() => import("./roles/role.tsx"), "RolePage"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/billing",
    validateSearch: (raw: Raw) => texts(raw, ["checkout"]),
    component: lazyPage(() => import("./billing/page.tsx"), "BillingPage"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/billing/usage",
    component: lazyPage(() => import("./billing/usage.tsx"), "UsagePage"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/audit",
    validateSearch: filtered("action", "actorId", "targetType", "targetId", "from", "to"),
    component: lazyPage(() => import("./audit/page.tsx"), "AuditLog"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/settings",
    component: lazyPage(() => import("./settings/page.tsx"), "Settings"),
  }),
] as const;
