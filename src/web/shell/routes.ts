import { listSearch } from "../lib/list.ts";
import { page } from "../lib/roots.ts";

export const shellRoutes = [
  page("/", null, () => import("./home.tsx"), "Home"),
  page(
    "/notifications",
    null,
    () => import("./notifications.tsx"),
    "Notifications",
    (raw: Record<string, unknown>) => ({
      ...listSearch(raw),
      ...(raw.unread === true && { unread: true }),
    }),
  ),
  page("/new-organization", null, () => import("./new-organization.tsx"), "NewOrganization"),
] as const;
