import { consoleFeature } from "../lib/features.ts";
import { lazyPage } from "../lib/lazy-page.ts";
import { todoRoutes } from "./routes.ts";
import { todoEntityTexts, todoLimitTexts, todoPermissionTexts, todoScopeTexts } from "./texts.ts";

export const todos = consoleFeature({
  routes: todoRoutes,
  menu: [
    {
      to: "/todos",
      icon: "check",
      text: { en: "Todos", el: "Εργασίες" },
      isVisible: (client) => {
        const session = client.session.get();
        return session.status === "signed-in" && session.organization !== null;
      },
    },
  ],
  ofOrganization: ["/api/todos"],
  permissions: todoPermissionTexts,
  scopes: todoScopeTexts,
  entities: todoEntityTexts,
  limits: todoLimitTexts,
  figure: {
    label: { en: "Todos completed", el: "Ολοκληρωμένες εργασίες" },
    of: ({ todos }) => todos?.completed ?? null,
  },
  home: { part: lazyPage(() => import("./own.tsx"), "OwnTodos"), needs: "Todos.Read" },
});
