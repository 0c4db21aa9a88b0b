import { z } from "@hono/zod-openapi";
import { line, timestamp, uuid } from "../http/fields.ts";
import { flag, listQuery, pageOf, search } from "../http/paging.ts";

export const Todo = z
  .object({
    id: uuid,
    title: z.string(),
    completed: z.boolean(),
    organizationId: uuid,
    organizationName: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .openapi("Todo");
export const OwnedTodo = Todo.extend({ userId: uuid, ownerEmail: z.string() }).openapi("OwnedTodo");
export const TodoPage = pageOf(Todo).openapi("TodoPage");
export const OwnedTodoPage = pageOf(OwnedTodo).openapi("OwnedTodoPage");

export const TodoPath = z.strictObject({ id: uuid });
export const TodoQuery = listQuery(
  { sorts: ["createdAt", "title"], usualOrder: "desc" },
  { search, completed: flag.nullable().default(null) },
);

const title = line({ least: 1, most: 500 });
export const CreateTodoBody = z.strictObject({ title }).openapi("CreateTodoBody");
export const UpdateTodoBody = z
  .strictObject({ title: title.optional(), completed: z.boolean().optional() })
  .openapi("UpdateTodoBody");
