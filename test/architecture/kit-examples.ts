import { z } from "zod";
import {
  assertHeldEverywhere,
  assertWithinLimit,
  audit,
  authorize,
  type CrossOrganizationCall,
  empty,
  event,
  exactlyOne,
  feature,
  idempotent,
  json,
  list,
  noContent,
  notFound,
  notify,
  type OrganizationCall,
  Router,
  reach,
  reachAmong,
  route,
  type SignedInCall,
  type Tx,
  tool,
  transaction,
  unrestricted,
} from "#kit";
import * as queries from "#sql/todos";
import { Todo, TodoPage, TodoPath, type TodoQuery } from "../../src/features/todos/schemas.ts";

/* The examples of src/kit/README.md: each block there equals a region here, so it compiles. Nothing here is executed. */

const { countTodosOfOrganization, listTodoChanges } = queries;
declare const createTodo: (tx: Tx<OrganizationCall & SignedInCall>) => Promise<typeof Todo._output>;
declare const assignTodo: (call: OrganizationCall, id: string, userId: string) => Promise<void>;
declare const todoRoutes: Router;

// #region feature
const permissions = {
  "Todos.Read": ["unit", "List your todos", "member"],
  "Todos.ReadAny": ["unit", "See the todos of members"],
} as const;

export const todos = feature({
  permissions,
  limits: {
    todos: {
      count: async (db, organizationId) =>
        exactlyOne(await countTodosOfOrganization.run({ organizationId }, db)).count,
      changes: (db, period) => listTodoChanges.run(period, db),
      text: { en: "Todos", el: "Εργασίες" },
    },
  },
  routes: [todoRoutes],
});
// #endregion

// #region route
const createTodoRoute = route({
  operationId: "createTodo",
  method: "post",
  path: "/api/todos",
  tags: ["todos"],
  summary: "Create a todo",
  access: { permission: "Todos.Create" },
  apiKeys: false,
  responses: { 201: json(Todo, "The todo was created") },
  idempotent: true,
});

const assignTodoRoute = route({
  operationId: "assignTodo",
  method: "post",
  path: "/api/todos/{id}/assign",
  tags: ["todos"],
  summary: "Assign a todo to the caller",
  access: { permission: "Todos.UpdateAny" },
  apiKeys: false,
  request: { params: TodoPath },
  responses: { 204: empty("The todo was assigned") },
  errors: [notFound],
});

export const routes = new Router()
  .openapi(createTodoRoute, (c) => idempotent(c, 201, (tx) => createTodo(tx)))
  .openapi(assignTodoRoute, (c) =>
    noContent(c, assignTodo(c.var.call, c.req.valid("param").id, c.var.call.actor.userId)),
  );
// #endregion

// #region write
export const endTodos = (call: OrganizationCall, id: string) =>
  transaction(call, async (tx) => {
    const confirmed = await authorize(tx, "Todos.DeleteAny");
    assertHeldEverywhere(confirmed, ["Todos.ReadAny"]);
    const { organizationId } = tx;
    const [deleted] = await queries.deleteTodo.run({ id, organizationId }, tx.db);
    if (deleted === undefined) throw notFound();
  });
// #endregion

// #region effects
export async function tellOwner(tx: Tx<OrganizationCall>, todo: { id: string; userId: string }) {
  const { organizationId } = tx;
  await event(tx, "todo.updated", {
    organizationId,
    id: todo.id,
    object: todo,
    reach: { userId: todo.userId },
  });
  await notify(tx, todo.userId, "TEST", { sentAt: new Date().toISOString() });
  await audit(tx, "UNIT_DELETED", {
    organizationId,
    target: { type: "unit", id: todo.id },
    metadata: { name: "Sales", parentId: null },
  });
}
// #endregion

// #region limit
export async function createWithinLimit(tx: Tx<OrganizationCall & SignedInCall>, title: string) {
  const { organizationId, actor } = tx;
  await assertWithinLimit(tx, { organizationId, limit: "todos" });
  await queries.insertTodo.run({ organizationId, userId: actor.userId, title }, tx.db);
}
// #endregion

// #region list
export const listOwn = (call: CrossOrganizationCall & SignedInCall, query: z.output<typeof TodoQuery>) =>
  list(
    queries.todos,
    call,
    { ...query, organizations: call.organizations, ownerId: call.actor.userId, owners: null, units: OWN },
    ({ id, title }) => ({ id, title }),
  );
// #endregion

// #region reach
export const unitsOfList = (call: OrganizationCall) => reach(call, "Todos.ReadAny");
export const unitsOfOne = (tx: Tx<OrganizationCall>, id: string) =>
  reachAmong(tx, "Todos.UpdateAny", () => queries.listUnitsOfOwner.run({ id }, tx.db));
const OWN = unrestricted("own todos are always in reach");
// #endregion

// #region tool
export const openTodos = tool({
  name: "count_open_todos",
  title: "Count open todos",
  description: "Counts the open todos of the person.",
  input: z.strictObject({ search: z.string().max(200).optional() }),
  output: z.object({ open: z.int() }),
  needs: "Todos.Read",
  effect: "read",
  async run(call, { search }) {
    const { total } = TodoPage.parse(await call.operation("listTodos", { completed: false, search }));
    return { open: total };
  },
});
// #endregion
