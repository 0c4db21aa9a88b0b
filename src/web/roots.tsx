import { createRootRoute, createRoute, lazyRouteComponent, Outlet } from "@tanstack/react-router";
import { NotFound } from "./shell/not-found.tsx";

/** The root of all routes. */
export const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

/** Parent of the pages for whoever is signed in, in the shell with its navigation. */
export const inside = createRoute({
  getParentRoute: () => root,
  id: "inside",
  component: lazyRouteComponent(() => import("./shell/gate.tsx"), "Gate"),
});

/** Parent of the pages without navigation, such as that of sign-in and those that mails link to. */
export const outside = createRoute({
  getParentRoute: () => root,
  id: "outside",
  component: lazyRouteComponent(() => import("./shell/centered.tsx"), "Centered"),
});
