import { page } from "../lib/roots.ts";
import { ownTodoSearch, todoSearch } from "./search.ts";

/** The pages of the todos area, each loaded on demand. */
export const todoRoutes = [
  page("/todos", null, () => import("./list.tsx"), "Todos", ownTodoSearch),
  page("/todos/all", "Todos.ReadAny", () => import("./all.tsx"), "AllTodos", todoSearch),
] as const;
