import { type Declarations, eventsAbout, exactlyOne, feature, ownedRecords } from "#kit";
import { countTodosOfOrganization, exportTodos, listTodoChanges } from "#sql/todos";
import { overview } from "./overview.ts";
import { todoRoutes } from "./routes.ts";
import { OwnedTodo } from "./schemas.ts";

const declarations = {
  permissions: {
    "Todos.Read": ["unit", "List your todos", "member"],
    "Todos.ReadAny": ["unit", "See the todos of members"],
    "Todos.ReadOne": ["unit", "Open one's own todos", "member"],
    "Todos.Create": ["unit", "Create todos", "member"],
    "Todos.Update": ["unit", "Change one's own todos", "member"],
    "Todos.UpdateAny": ["unit", "Change the todos of members"],
    "Todos.Delete": ["unit", "Delete one's own todos", "member"],
    "Todos.DeleteAny": ["unit", "Delete the todos of members"],
  },
  limits: {
    todos: {
      count: async (db, organizationId) =>
        exactlyOne(await countTodosOfOrganization.run({ organizationId }, db)).count,
      changes: (db, period) => listTodoChanges.run(period, db),
      text: { en: "Todos", el: "Εργασίες" },
    },
  },
  events: eventsAbout(OwnedTodo, "Todos.ReadAny", {
    "todo.created": "A todo was created.",
    "todo.updated": "A todo changed.",
    "todo.deleted": "A todo was deleted.",
  }),
} as const satisfies Declarations;

declare module "#src/core/definitions/features" {
  interface Features {
    todos: typeof declarations & { overview: typeof overview };
  }
}

export const todos = feature({
  ...declarations,
  tags: { todos: "The sample resource: owned by members, visible through units." },
  routes: [todoRoutes],
  overview,
  personalData: { todos: { text: "todos", read: ownedRecords(exportTodos) } },
});
