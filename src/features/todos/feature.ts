import { feature } from "../../core/api/feature.ts";
import { countTodos } from "./count.ts";
import { todoRoutes } from "./routes.ts";

export const todos = feature({
  routes: [todoRoutes],
  limits: { todos: countTodos },
});
