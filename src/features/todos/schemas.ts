import { z } from "@hono/zod-openapi";
import {
  filter,
  flag,
  listQuery,
  pageOf,
  pathId,
  search,
  singleLine,
  textExample,
  timestamp,
  uuid,
} from "#kit";

export const Todo = z
  .object({
    id: uuid.describe("The id of the todo."),
    title: textExample("Water the plants").describe("The title of the todo: one line of text."),
    completed: z.boolean().describe("Whether the todo is done."),
    organizationId: uuid.describe("The organization of the todo."),
    organizationName: textExample("Acme").describe("The current name of the todo's organization."),
    createdAt: timestamp.describe("When the todo was created."),
    updatedAt: timestamp.describe("When the todo was last changed."),
  })
  .openapi("Todo");
export const OwnedTodo = Todo.extend({
  userId: uuid.describe("The id of the account that owns the todo."),
  ownerEmail: textExample("ada@example.com").describe("The owner's email, also of a deleted account."),
}).openapi("OwnedTodo");
export const TodoPage = pageOf(Todo).openapi("TodoPage");
export const OwnedTodoPage = pageOf(OwnedTodo).openapi("OwnedTodoPage");

export const TodoPath = z.strictObject({ id: pathId("todo") });
export const TodoQuery = listQuery(
  { sorts: ["createdAt", "title"], defaultOrder: "desc" },
  { search, completed: filter(flag, "`true`: only completed todos; `false`: only open ones.") },
);

const title = singleLine({ min: 1, max: 500 });
export const CreateTodoBody = z
  .strictObject({ title: title.describe("The title of the todo: one line of text.") })
  .openapi("CreateTodoBody");
export const UpdateTodoBody = z
  .strictObject({
    title: title.optional().describe("The new title."),
    completed: z.boolean().optional().describe("Whether the todo is done."),
  })
  .openapi("UpdateTodoBody");
