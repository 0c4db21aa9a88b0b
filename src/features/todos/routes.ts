import { endpoint, reply } from "../../core/api/endpoint.ts";
import { filtersOf } from "../../core/api/id-headers.ts";
import { notFound, planLimitReached } from "../../platform/errors.ts";
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

const OWN_OR_ANY = (permission: string) => `One's own, or with \`${permission}\` anybody's in its reach.`;

const FILTERS = {
  unit: "Keeps todos of members of these units and their sub-units.",
  member: "Keeps todos of these members.",
};

export const todoEndpoints = [
  endpoint(
    {
      operationId: "listTodos",
      method: "get",
      path: "/api/todos",
      tag: "todos",
      summary: "List one's own todos",
      access: { permission: "Todos.Read", spans: true },
      filterHeaders: FILTERS,
      query: TodoQuery,
      answers: { 200: { description: "A page of todos", schema: TodoPage } },
    },
    async (call, { query }, request) => reply(200, await listOwnTodos(call, query, filtersOf(request))),
  ),

  endpoint(
    {
      operationId: "listAllTodos",
      method: "get",
      path: "/api/todos/all",
      tag: "todos",
      summary: "List everybody's todos in reach",
      description: "Held in a unit, it reaches the todos of the members linked to it or a sub-unit.",
      access: { permission: "Todos.ReadAny", spans: true },
      filterHeaders: FILTERS,
      query: TodoQuery,
      answers: { 200: { description: "A page of todos with their owners", schema: OwnedTodoPage } },
    },
    async (call, { query }, request) => reply(200, await listAllTodos(call, query, filtersOf(request))),
  ),

  endpoint(
    {
      operationId: "getTodo",
      method: "get",
      path: "/api/todos/{id}",
      tag: "todos",
      summary: "Read a todo",
      description: OWN_OR_ANY("Todos.ReadAny"),
      access: { permission: "Todos.ReadOne", spans: true },
      filterHeaders: FILTERS,
      params: TodoPath,
      answers: { 200: { description: "The todo", schema: Todo } },
      refusals: [notFound],
    },
    async (call, { params }, request) => reply(200, await getTodo(call, params.id, filtersOf(request))),
  ),

  endpoint(
    {
      operationId: "createTodo",
      method: "post",
      path: "/api/todos",
      tag: "todos",
      summary: "Create a todo of one's own",
      access: { permission: "Todos.Create" },
      body: CreateTodoBody,
      example: { title: "Water the plants" },
      answers: { 201: { description: "Created", schema: Todo } },
      refusals: [planLimitReached],
    },
    async (call, { body }) => reply(201, await createTodo(call, body)),
  ),

  endpoint(
    {
      operationId: "updateTodo",
      method: "patch",
      path: "/api/todos/{id}",
      tag: "todos",
      summary: "Change a todo",
      description: OWN_OR_ANY("Todos.UpdateAny"),
      access: { permission: "Todos.Update", spans: true },
      filterHeaders: FILTERS,
      params: TodoPath,
      body: UpdateTodoBody,
      example: { completed: true },
      answers: { 200: { description: "As it is now", schema: Todo } },
      refusals: [notFound],
    },
    async (call, { params, body }, request) =>
      reply(200, await updateTodo(call, params.id, body, filtersOf(request))),
  ),

  endpoint(
    {
      operationId: "deleteTodo",
      method: "delete",
      path: "/api/todos/{id}",
      tag: "todos",
      summary: "Delete a todo",
      description: OWN_OR_ANY("Todos.DeleteAny"),
      access: { permission: "Todos.Delete", spans: true },
      filterHeaders: FILTERS,
      params: TodoPath,
      answers: { 204: { description: "Deleted" } },
      refusals: [notFound],
    },
    async (call, { params }, request) => {
      await deleteTodo(call, params.id, filtersOf(request));
      return reply(204);
    },
  ),
];
