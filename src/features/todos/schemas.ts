import { z } from "@hono/zod-openapi";
import { line, pathId, shown, timestamp, uuid } from "../../core/api/fields.ts";
import { filter, flag, listQuery, pageOf, search } from "../../core/api/paging.ts";

export const Todo = z
  .object({
    id: uuid,
    title: shown("Water the plants"),
    completed: z.boolean(),
    organizationId: uuid,
    organizationName: shown("Acme"),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .openapi("Todo");
export const OwnedTodo = Todo.extend({ userId: uuid, ownerEmail: shown("ada@example.com") }).openapi(
  "OwnedTodo",
);
export const TodoPage = pageOf(Todo).openapi("TodoPage");
export const OwnedTodoPage = pageOf(OwnedTodo).openapi("OwnedTodoPage");

export const TodoPath = z.strictObject({ id: pathId("todo") });
export const TodoQuery = listQuery(
  { sorts: ["createdAt", "title"], defaultOrder: "desc" },
  { search, completed: filter(flag, "Completed ones alone, or those that are not.") },
);

const title = line({ min: 1, max: 500 });
export const CreateTodoBody = z.strictObject({ title }).openapi("CreateTodoBody");
export const UpdateTodoBody = z
  .strictObject({ title: title.optional(), completed: z.boolean().optional() })
  .openapi("UpdateTodoBody");
