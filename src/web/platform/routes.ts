import { filtered, listSearch } from "../lib/list.ts";
import { page } from "../lib/roots.ts";

export const platformRoutes = [
  page(
    "/platform/organizations",
    "platform",
    () => import("./organizations.tsx"),
    "Organizations",
    listSearch,
  ),
  page("/platform/organizations/new", "platform", () => import("./new-organization.tsx"), "NewOrganization"),
  page("/platform/organizations/$id", "platform", () => import("./organization.tsx"), "Organization"),
  page("/platform/users", "platform", () => import("./users.tsx"), "Users", listSearch),
  page("/platform/users/$id", "platform", () => import("./user.tsx"), "User"),
  page("/platform/apps", "platform", () => import("./apps.tsx"), "PlatformApps", listSearch),
  page(
    "/platform/audit",
    "platform",
    () => import("./audit.tsx"),
    "PlatformAudit",
    filtered("action", "actorId", "targetType", "targetId", "grantId", "organization", "from", "to"),
  ),
] as const;
