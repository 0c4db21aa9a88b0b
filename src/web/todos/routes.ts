import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "../lib/lazy-page.ts";
import { authenticatedLayout } from "../lib/roots.ts";
import { ownTodoSearch, todoSearch } from "./search.ts";

/** The pages of the todos area, each loaded on demand. */
export const todoRoutes = [
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/todos",
    validateSearch: ownTodoSearch,
    component: lazyPage(() => import("./list.tsx"), "Todos"),
  }),
  createRoute({
    getParentRoute: () => authenticatedLayout,
    path: "/todos/all",
    staticData: { needs: "Todos.ReadAny" },
    validateSearch: todoSearch,
    component: lazyPage(() => import("./all.tsx"), "AllTodos"),
  }),
] as const;
