import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { listSearch } from "../lib/list.ts";
import { authenticatedLayout } from "../lib/roots.ts";
import { todoSearch } from "./search.ts";

/** The pages of this area, each loaded on demand. */
export const todoRoutes = [
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/todos",
    validateSearch: listSearch,
    component: lazyRouteComponent(() => import("./list.tsx"), "Todos"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/todos/all",
    validateSearch: todoSearch,
    component: lazyRouteComponent(() => import("./all.tsx"), "AllTodos"),
  }),
] as const;
