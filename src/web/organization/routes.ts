import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { listSearch } from "../lib/list.ts";
import { authenticatedLayout } from "../lib/roots.ts";

type Raw = Record<string, unknown>;

/** Validates the search parameters of a list, and further text filters with these names. */
const filtered =
  <Name extends string>(...names: Name[]) =>
  (raw: Raw) => ({ ...listSearch(raw), ...texts(raw, names) });

const texts = <Name extends string>(raw: Raw, names: Name[]) =>
  Object.fromEntries(
    names.filter((name) => typeof raw[name] === "string").map((name) => [name, raw[name]]),
  ) as {
    [Key in Name]?: string;
  };

/** The pages of this area, each loaded on demand. */
export const organizationRoutes = [
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/organization",
    component: lazyRouteComponent(() => import("./overview/page.tsx"), "Overview"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/members",
    validateSearch: filtered("unit"),
    component: lazyRouteComponent(() => import("./members/list.tsx"), "Members"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/members/$userId",
    component: lazyRouteComponent(() => import("./members/member.tsx"), "MemberPage"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/members/$userId/access",
    validateSearch: (raw: Raw) => texts(raw, ["permission", "unit"]),
    component: lazyRouteComponent(() => import("./access/page.tsx"), "Access"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/service-accounts",
    validateSearch: listSearch,
    component: lazyRouteComponent(() => import("./service-accounts/list.tsx"), "ServiceAccounts"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/service-accounts/new",
    component: lazyRouteComponent(() => import("./service-accounts/new.tsx"), "NewServiceAccount"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/service-accounts/$id",
    validateSearch: listSearch,
    component: lazyRouteComponent(() => import("./service-accounts/account.tsx"), "ServiceAccountPage"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/invitations",
    validateSearch: listSearch,
    component: lazyRouteComponent(() => import("./invitations/list.tsx"), "Invitations"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/invitations/new",
    component: lazyRouteComponent(() => import("./invitations/invite.tsx"), "Invite"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/units",
    validateSearch: (raw: Raw) => texts(raw, ["unit"]),
    component: lazyRouteComponent(() => import("./units/page.tsx"), "Units"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/roles",
    component: lazyRouteComponent(() => import("./roles/list.tsx"), "Roles"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/roles/$roleId",
    component: lazyRouteComponent(() => import("./roles/role.tsx"), "RolePage"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/billing",
    validateSearch: (raw: Raw) => texts(raw, ["checkout"]),
    component: lazyRouteComponent(() => import("./billing/page.tsx"), "BillingPage"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/audit",
    validateSearch: filtered("action", "actorId", "targetType", "targetId", "from", "to"),
    component: lazyRouteComponent(() => import("./audit/page.tsx"), "AuditLog"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/settings",
    component: lazyRouteComponent(() => import("./settings/page.tsx"), "Settings"),
  }),
] as const;
