import { createRootRoute, createRoute, Outlet } from "@tanstack/react-router";
import type { ComponentType } from "react";
import type { PermissionName } from "../../client/index.ts";
import { lazyPage } from "./lazy-page.ts";

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

/**
 * Declares a page for signed-in users, which is loaded on demand.
 * @param needs what a session needs to see the page; null if every user sees it
 * @param validateSearch returns the valid search parameters of the page
 */
export const page = <const Path extends string, Name extends string, Search = object>(
  path: Path,
  needs: PageNeeds | null,
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
  validateSearch: (raw: Record<string, unknown>) => Search = () => ({}) as Search,
) =>
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path,
    staticData: needs === null ? {} : { needs },
    validateSearch,
    component: lazyPage(load, name),
  });
