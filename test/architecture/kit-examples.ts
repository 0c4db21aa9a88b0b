import { z } from "zod";
import {
  assertWithinLimit,
  audit,
  authorize,
  type CrossOrganizationCall,
  type Declarations,
  defineError,
  empty,
  event,
  eventsAbout,
  exactlyOne,
  feature,
  findRecipient,
  idempotent,
  json,
  list,
  type MailTemplate,
  mail,
  NO_UNITS,
  noContent,
  notFound,
  notify,
  type OrganizationCall,
  planLimitReached,
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
import { eventAbout } from "../../src/features/todos/present.ts";
import { OwnedTodo, Todo, TodoPage, TodoPath, type TodoQuery } from "../../src/features/todos/schemas.ts";

/* The examples of src/kit/README.md: each block there equals a region here, so it compiles. Nothing here is executed. */

const { countTodosOfOrganization, listTodoChanges } = queries;
declare const createTodo: (tx: Tx<OrganizationCall & SignedInCall>) => Promise<typeof Todo._output>;
declare const todoRoutes: Router;
declare const todoShared: (data: { title: string }) => ReturnType<MailTemplate>;
type TodoRow = Parameters<typeof eventAbout>[0];

// #region feature
const declarations = {
  permissions: { "Todos.ReadAny": ["unit", "See the todos of members"] },
  limits: {
    todos: {
      count: async (db, organizationId) =>
        exactlyOne(await countTodosOfOrganization.run({ organizationId }, db)).count,
      changes: (db, period) => listTodoChanges.run(period, db),
      text: { en: "Todos", el: "Εργασίες" },
    },
  },
  events: eventsAbout(OwnedTodo, "Todos.ReadAny", { "todo.updated": "A todo changed." }),
  targets: { todo: "person" },
  audit: { TODO_SHARED: { target: "todo", metadata: z.object({ title: z.string() }) } },
  notifications: { TODO_SHARED: z.object({ todoId: z.uuid(), title: z.string() }) },
  mails: { todoShared },
} as const satisfies Declarations;

declare module "#src/core/definitions/features" {
  interface Features {
    exampleTodos: typeof declarations;
  }
}

export const exampleTodos = feature({ ...declarations, routes: [todoRoutes] });
// #endregion

// #region route
const createTodoRoute = route({
  operationId: "createTodo",
  method: "post",
  path: "/api/todos",
  summary: "Create a todo",
  access: { permission: "Todos.Create" },
  apiKeys: false,
  responses: { 201: json(Todo, "The todo was created") },
  idempotent: true,
  errors: [planLimitReached],
});

const todoClosed = defineError(409, "TODO_CLOSED", "The todo is closed");

const deleteTodoRoute = route({
  operationId: "deleteTodo",
  method: "delete",
  path: "/api/todos/{id}",
  summary: "Delete a todo",
  access: { permission: "Todos.DeleteAny" },
  reauthentication: { classes: ["authority"] },
  throttle: { perUserPerMinute: 10 },
  request: { params: TodoPath },
  responses: { 204: empty("The todo was deleted") },
  errors: [notFound, todoClosed],
});

export const routes = new Router("todos")
  .openapi(createTodoRoute, (c) => idempotent(c, 201, (tx) => createTodo(tx)))
  .openapi(deleteTodoRoute, (c) => noContent(c, deleteTodo(c.var.call, c.req.valid("param").id)));
// #endregion

// #region write
export const deleteTodo = (call: OrganizationCall, id: string) =>
  transaction(call, async (tx) => {
    const { organizationId, actor } = tx;
    const confirmed = await authorize(tx, "Todos.DeleteAny");
    const { units } = await confirmed.reach("Todos.DeleteAny", tx.db);
    const caller = { userId: actor.id, ownUnits: NO_UNITS, anyUnits: units };
    const scope = { organizations: [organizationId], owners: null, ...caller };
    const [todo] = await queries.findTodo.run({ id, ...scope }, tx.db);
    if (todo === undefined) throw notFound();
    exactlyOne(await queries.deleteTodo.run({ id, organizationId }, tx.db));
  });
// #endregion

// #region effects
export async function shareTodo(tx: Tx<OrganizationCall>, todo: TodoRow, userId: string) {
  const { organizationId } = tx;
  const { id, title } = todo;
  const recipient = await findRecipient(tx, userId);
  if (recipient === null) throw notFound();
  await event(tx, "todo.updated", eventAbout(todo));
  const target = { type: "todo", id, personId: todo.userId } as const;
  await audit(tx, "TODO_SHARED", { organizationId, target, metadata: { title } });
  await notify(tx, userId, "TODO_SHARED", { todoId: id, title });
  await mail(tx, { kind: "todoShared", to: recipient.email, language: recipient.language, data: { title } });
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
