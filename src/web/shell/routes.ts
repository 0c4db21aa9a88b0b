import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { inside } from "../roots.tsx";

/** The pages of this area; each is loaded on demand. */
export const shellRoutes = [
  createRoute({
    getParentRoute: () => inside,
    path: "/",
    component: lazyRouteComponent(() => import("./home.tsx"), "Home"),
  }),
] as const;
