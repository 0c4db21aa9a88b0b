import { createRootRoute, createRoute, Outlet } from "@tanstack/react-router";

/** The root of all routes. `router.tsx` adds its components, because the folder lib must not import them. */
export const root = createRootRoute({ component: Outlet });

/** The parent route of the pages that need sign-in, which are shown in the shell with its navigation. */
export const authenticatedLayout = createRoute({
  getParentRoute: () => root,
  id: "authenticated",
});

/** The parent route of the pages without navigation: sign-in, and the pages that mails link to. */
export const publicLayout = createRoute({
  getParentRoute: () => root,
  id: "public",
});
