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
    staticData: { needs: "Organization.Read" },
    component: lazyPage(() => import("./overview/page.tsx"), "Overview"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/members",
    staticData: { needs: "Members.Read" },
    validateSearch: filtered("unit", "twoFactor"),
    component: lazyPage(() => import("./members/list.tsx"), "Members"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/members/$userId",
    staticData: { needs: "Members.Read" },
    component: lazyPage(() => import("./members/member.tsx"), "MemberPage"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/members/$userId/access",
    staticData: { needs: "Members.Read" },
    validateSearch: (raw: Raw) => texts(raw, ["permission", "unit"]),
    component: lazyPage(() => import("./access/page.tsx"), "Access"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/members/$userId/activity",
    staticData: { needs: "Members.Read" },
    validateSearch: filtered("view"),
    component: lazyPage(() => import("./members/activity.tsx"), "MemberActivity"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/service-accounts",
    staticData: { needs: "ServiceAccounts.Read" },
    validateSearch: listSearch,
    component: lazyPage(() => import("./service-accounts/list.tsx"), "ServiceAccounts"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/service-accounts/new",
    staticData: { needs: "ServiceAccounts.Create" },
    component: lazyPage(() => import("./service-accounts/new.tsx"), "NewServiceAccount"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/service-accounts/$id",
    staticData: { needs: "ServiceAccounts.Read" },
    validateSearch: listSearch,
    component: lazyPage(() => import("./service-accounts/account.tsx"), "ServiceAccountPage"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/webhooks",
    staticData: { needs: "Webhooks.Read" },
    validateSearch: listSearch,
    component: lazyPage(() => import("./webhooks/list.tsx"), "Webhooks"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/webhooks/new",
    staticData: { needs: "Webhooks.Create" },
    component: lazyPage(() => import("./webhooks/new.tsx"), "NewWebhook"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/webhooks/$id",
    staticData: { needs: "Webhooks.Read" },
    validateSearch: (raw: Raw) => texts(raw, ["state", "type", "delivery"]),
    component: lazyPage(() => import("./webhooks/endpoint.tsx"), "WebhookPage"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/events",
    staticData: { needs: "Events.Read" },
    validateSearch: (raw: Raw) => texts(raw, ["type", "record"]),
    component: lazyPage(() => import("./webhooks/events.tsx"), "Events"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/invitations",
    staticData: { needs: "Invitations.Read" },
    validateSearch: listSearch,
    component: lazyPage(() => import("./invitations/list.tsx"), "Invitations"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/invitations/new",
    staticData: { needs: "Invitations.Create" },
    component: lazyPage(() => import("./invitations/invite.tsx"), "Invite"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/units",
    staticData: { needs: "Units.Read" },
    validateSearch: (raw: Raw) => texts(raw, ["unit"]),
    component: lazyPage(() => import("./units/page.tsx"), "Units"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/units/chart",
    staticData: { needs: "Units.Read" },
    validateSearch: (raw: Raw) => texts(raw, ["unit"]),
    component: lazyPage(() => import("./units/chart-page.tsx"), "OrganizationChart"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/roles",
    staticData: { needs: "Roles.Read" },
    component: lazyPage(() => import("./roles/list.tsx"), "Roles"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/roles/new",
    staticData: { needs: "Roles.Create" },
    validateSearch: (raw: Raw) => texts(raw, ["from"]),
    component: lazyPage(() => import("./roles/role.tsx"), "NewRole"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/roles/$roleId",
    staticData: { needs: "Roles.Read" },
    component: lazyPage(() => import("./roles/role.tsx"), "RolePage"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/billing",
    staticData: { needs: "Billing.Read" },
    validateSearch: (raw: Raw) => texts(raw, ["checkout"]),
    component: lazyPage(() => import("./billing/page.tsx"), "BillingPage"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/billing/usage",
    staticData: { needs: "Billing.Read" },
    component: lazyPage(() => import("./billing/usage.tsx"), "UsagePage"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/audit",
    staticData: { needs: "Audit.Read" },
    validateSearch: filtered("action", "actorId", "targetType", "targetId", "from", "to"),
    component: lazyPage(() => import("./audit/page.tsx"), "AuditLog"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/settings",
    staticData: { needs: "Organization.Update" },
    component: lazyPage(() => import("./settings/page.tsx"), "Settings"),
  }),
] as const;
