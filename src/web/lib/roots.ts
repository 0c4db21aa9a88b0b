import { createRootRoute, createRoute, Outlet } from "@tanstack/react-router";
import type { PermissionName } from "../../client/index.ts";

/** The root of all routes. `router.tsx` adds the root's components, because `lib` must not import them. */
export const root = createRootRoute({ component: Outlet });

/** The parent route of the pages that need sign-in. They are shown with header and navigation. */
export const authenticatedLayout = createRoute({
  getParentRoute: () => root,
  id: "authenticated",
});

/** The parent route of the pages without navigation: sign-in, and the pages that mails link to. */
export const publicLayout = createRoute({
  getParentRoute: () => root,
  id: "public",
});

/** The condition for seeing a page: a permission, in the organization or in any unit, or being a platform administrator. */
export type PageNeeds = PermissionName | "platform";

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption {
    /** Without it, every user sees the page. */
    needs?: PageNeeds;
  }
}
