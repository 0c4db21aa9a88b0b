import type { z } from "zod";
import {
  assertStillPlatformAdmin,
  assertWithinLimit,
  type CrossOrganizationCall,
  changedFields,
  event,
  list,
  NO_UNITS,
  notFound,
  type OrganizationCall,
  type Permission,
  type Queryable,
  reach,
  reachAmong,
  type SignedInCall,
  type Tx,
  transaction,
  unrestricted,
} from "#kit";
import * as queries from "#sql/todos";
import { eventAbout, present, presentOwn } from "./present.ts";
import type { CreateTodoBody, TodoQuery, UpdateTodoBody } from "./schemas.ts";

type Call = CrossOrganizationCall;
type Query = z.output<typeof TodoQuery>;

const OWN = unrestricted("own todos are always in reach");

/** Returns the caller's own todos. For a platform administrator, returns those in every organization. */
export async function listOwnTodos(call: Call & SignedInCall, query: Query) {
  const units = call.filters.units ? await reach(call, "Todos.Read") : OWN;
  const scope = { ...scopeOf(call), ownerId: call.actor.userId, units };
  return list(queries.todos, call, { ...query, ...scope }, presentOwn);
}

/** Returns all todos in the caller's reach, with their owners. */
export async function listAllTodos(call: Call, query: Query) {
  const units = await reach(call, "Todos.ReadAny");
  return list(queries.todos, call, { ...query, ...scopeOf(call), ownerId: null, units }, present);
}

/** Returns a todo that the caller owns, or that is in the caller's reach. @throws notFound */
export async function getTodo(call: Call, id: string) {
  return presentOwn(await findTodo(call, id, ["Todos.ReadOne", "Todos.ReadAny"]));
}

/** Creates a todo of the caller. @throws forbidden, planLimitReached; notFound if the organization is deleted */
export async function createTodo(
  tx: Tx<OrganizationCall & SignedInCall>,
  { title }: z.output<typeof CreateTodoBody>,
) {
  const { organizationId, actor } = tx;
  await assertStillPlatformAdmin(tx);
  await assertWithinLimit(tx, { organizationId, limit: "todos" });
  const [created] = await queries.insertTodo.run({ organizationId, userId: actor.userId, title }, tx.db);
  if (created === undefined) throw notFound();
  await event(tx, "todo.created", eventAbout(created));
  return presentOwn(created);
}

/** Changes a todo that the caller owns, or that is in the caller's reach. @throws forbidden, notFound */
export async function updateTodo(
  call: Call,
  id: string,
  { title, completed }: z.output<typeof UpdateTodoBody>,
) {
  return transaction(call, async (tx) => {
    await assertStillPlatformAdmin(tx);
    const found = await findTodo(tx, id, ["Todos.Update", "Todos.UpdateAny"]);
    if (title === undefined && completed === undefined) return presentOwn(found);
    const { organizationId } = found;
    const [values] = await queries.updateTodo.run({ id, organizationId, title, completed }, tx.db);
    if (values === undefined) throw notFound();
    const { previousTitle, previousCompleted, ...current } = values;
    const todo = { ...found, ...current };
    const previous = changedFields({ title: previousTitle, completed: previousCompleted }, todo)?.from;
    if (previous !== undefined) await event(tx, "todo.updated", { ...eventAbout(todo), previous });
    return presentOwn(todo);
  });
}

/** Soft-deletes a todo that the caller owns, or that is in the caller's reach. @throws forbidden, notFound */
export async function deleteTodo(call: Call, id: string): Promise<void> {
  await transaction(call, async (tx) => {
    await assertStillPlatformAdmin(tx);
    const found = await findTodo(tx, id, ["Todos.Delete", "Todos.DeleteAny"]);
    const [last] = await queries.deleteTodo.run({ id, organizationId: found.organizationId }, tx.db);
    if (last === undefined) throw notFound();
    await event(tx, "todo.deleted", eventAbout({ ...found, ...last }));
  });
}

type Caller = Pick<Call, "actor" | "organizations" | "permissions" | "filters">;

/** Finds a todo of the caller, or one in reach of the permission for any. A service account owns no todos. */
async function findTodo(
  call: Caller & { db: Queryable },
  id: string,
  [own, any]: [own: Permission, any: Permission],
) {
  const { actor, permissions, filters, db } = call;
  const unitsOfOwner = () => queries.listUnitsOfOwner.run({ id }, db);
  const among = (permission: Permission) => reachAmong(call, permission, unitsOfOwner);
  const ownUnits = actor.type !== "user" ? NO_UNITS : filters.units ? await among(own) : OWN;
  const anyUnits = permissions.holdsAnywhere(any) ? await among(any) : NO_UNITS;
  const scope = { ...scopeOf(call), userId: actor.id, ownUnits, anyUnits };
  const [found] = await queries.findTodo.run({ id, ...scope }, db);
  if (found === undefined) throw notFound();
  return found;
}

const scopeOf = ({ organizations, filters }: Caller) => ({ organizations, owners: filters.members });
