import {
  empty,
  idempotent,
  json,
  jsonBody,
  noContent,
  notFound,
  planLimitReached,
  Router,
  route,
} from "#kit";
import {
  CreateTodoBody,
  OwnedTodoPage,
  Todo,
  TodoPage,
  TodoPath,
  TodoQuery,
  UpdateTodoBody,
} from "./schemas.ts";
import { createTodo, deleteTodo, getTodo, listAllTodos, listOwnTodos, updateTodo } from "./service.ts";

const OWN_OR_ANY = (permission: string) =>
  `Applies to your own todo; with \`${permission}\`, also to todos of the members that this permission covers.`;

const FILTERS = {
  unit: "Only todos of members of these units and their sub-units.",
  member: "Only todos of these members.",
};

const listTodosRoute = route({
  operationId: "listTodos",
  method: "get",
  path: "/api/todos",
  summary: "List your todos",
  access: { permission: "Todos.Read", crossOrganization: true },
  apiKeys: false,
  request: { query: TodoQuery },
  responses: { 200: json(TodoPage, "A page of todos") },
  filterHeaders: FILTERS,
});

const listAllTodosRoute = route({
  operationId: "listAllTodos",
  method: "get",
  path: "/api/todos/all",
  summary: "List the todos of members",
  description:
    "If the caller holds the permission in a unit, only todos of members of that unit and its sub-units are returned.",
  access: { permission: "Todos.ReadAny", crossOrganization: true },
  request: { query: TodoQuery },
  responses: { 200: json(OwnedTodoPage, "A page of todos with their owners") },
  filterHeaders: FILTERS,
});

const getTodoRoute = route({
  operationId: "getTodo",
  method: "get",
  path: "/api/todos/{id}",
  summary: "Read a todo",
  description: OWN_OR_ANY("Todos.ReadAny"),
  access: { permission: "Todos.ReadOne", any: "Todos.ReadAny", crossOrganization: true },
  request: { params: TodoPath },
  responses: { 200: json(Todo, "The todo") },
  errors: [notFound],
  filterHeaders: FILTERS,
});

const createTodoRoute = route({
  operationId: "createTodo",
  method: "post",
  path: "/api/todos",
  summary: "Create a todo",
  access: { permission: "Todos.Create" },
  apps: true,
  apiKeys: false,
  request: { body: jsonBody(CreateTodoBody, { title: "Water the plants" }) },
  responses: { 201: json(Todo, "The todo was created") },
  idempotent: true,
  errors: [planLimitReached],
});

const updateTodoRoute = route({
  operationId: "updateTodo",
  method: "patch",
  path: "/api/todos/{id}",
  summary: "Change a todo",
  description: OWN_OR_ANY("Todos.UpdateAny"),
  access: { permission: "Todos.Update", any: "Todos.UpdateAny", crossOrganization: true },
  apps: true,
  request: { params: TodoPath, body: jsonBody(UpdateTodoBody, { completed: true }) },
  responses: { 200: json(Todo, "The changed todo") },
  errors: [notFound],
  filterHeaders: FILTERS,
});

const deleteTodoRoute = route({
  operationId: "deleteTodo",
  method: "delete",
  path: "/api/todos/{id}",
  summary: "Delete a todo",
  description: OWN_OR_ANY("Todos.DeleteAny"),
  access: { permission: "Todos.Delete", any: "Todos.DeleteAny", crossOrganization: true },
  apps: true,
  request: { params: TodoPath },
  responses: { 204: empty("The todo was deleted") },
  errors: [notFound],
  filterHeaders: FILTERS,
});

export const todoRoutes = new Router("todos")
  .openapi(listTodosRoute, async (c) => c.json(await listOwnTodos(c.var.call, c.req.valid("query")), 200))
  .openapi(listAllTodosRoute, async (c) => c.json(await listAllTodos(c.var.call, c.req.valid("query")), 200))
  .openapi(getTodoRoute, async (c) => c.json(await getTodo(c.var.call, c.req.valid("param").id), 200))
  .openapi(createTodoRoute, (c) => idempotent(c, 201, (tx) => createTodo(tx, c.req.valid("json"))))
  .openapi(updateTodoRoute, async (c) =>
    c.json(await updateTodo(c.var.call, c.req.valid("param").id, c.req.valid("json")), 200),
  )
  .openapi(deleteTodoRoute, (c) => noContent(c, deleteTodo(c.var.call, c.req.valid("param").id)));
