import { createRootRoute, createRoute, Outlet } from "@tanstack/react-router";

/** The root of all routes. `router.tsx` adds the components, which lie above the areas. */
export const root = createRootRoute({ component: Outlet });

/** Parent of the pages that need sign-in, shown in the shell with its navigation. */
export const authenticatedLayout = createRoute({
  getParentRoute: () => root,
  id: "inside",
});

/** Parent of the pages without navigation: sign-in, and the pages that mails link to. */
export const publicLayout = createRoute({
  getParentRoute: () => root,
  id: "outside",
});
