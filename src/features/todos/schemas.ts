import { z } from "@hono/zod-openapi";
import { pathId, singleLine, textExample, timestamp, uuid } from "../../core/api/fields.ts";
import { filter, flag, listQuery, pageOf, search } from "../../core/api/paging.ts";

export const Todo = z
  .object({
    id: uuid,
    title: textExample("Water the plants"),
    completed: z.boolean(),
    organizationId: uuid,
    organizationName: textExample("Acme"),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .openapi("Todo");
export const OwnedTodo = Todo.extend({ userId: uuid, ownerEmail: textExample("ada@example.com") }).openapi(
  "OwnedTodo",
);
export const TodoPage = pageOf(Todo).openapi("TodoPage");
export const OwnedTodoPage = pageOf(OwnedTodo).openapi("OwnedTodoPage");

export const TodoPath = z.strictObject({ id: pathId("todo") });
export const TodoQuery = listQuery(
  { sorts: ["createdAt", "title"], defaultOrder: "desc" },
  { search, completed: filter(flag, "Completed ones alone, or those that are not.") },
);

const title = singleLine({ min: 1, max: 500 });
export const CreateTodoBody = z.strictObject({ title }).openapi("CreateTodoBody");
export const UpdateTodoBody = z
  .strictObject({ title: title.optional(), completed: z.boolean().optional() })
  .openapi("UpdateTodoBody");
