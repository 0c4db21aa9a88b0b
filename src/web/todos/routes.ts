import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { listSearch } from "../lib/list.ts";
import { inside } from "../roots.tsx";

/** The pages of this area; each is loaded on demand. */
export const todoRoutes = [
  createRoute({
    getParentRoute: () => inside,
    path: "/todos",
    validateSearch: listSearch,
    component: lazyRouteComponent(() => import("./list.tsx"), "Todos"),
  }),
] as const;
