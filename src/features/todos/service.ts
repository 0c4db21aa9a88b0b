import type { z } from "zod";
import * as queries from "#sql/todos";
import { listTodosFirstPages } from "#sql/todos.pages";
import type { Permission } from "../../core/access/catalog.ts";
import { NO_UNITS, type ReachUnits, unrestricted } from "../../core/access/reach.ts";
import type { Filters } from "../../core/api/id-headers.ts";
import { organizationScope, pageFrom } from "../../core/api/paging.ts";
import { assertStillPlatformAdmin } from "../../core/authorize/authorize.ts";
import type {
  AuthenticatedCall,
  CrossOrganizationCall,
  OrganizationCall,
  SignedInCall,
  Tx,
} from "../../core/context.ts";
import { changedFields } from "../../core/effects/changed-fields.ts";
import { event } from "../../core/effects/event.ts";
import type { EventType } from "../../core/effects/event-types.ts";
import { assertWithinLimit } from "../../core/plans/limits.ts";
import { isUnfiltered } from "../../core/row-counts.ts";
import { ListQuery } from "../../platform/db/list-query.ts";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { notFound } from "../../platform/errors.ts";
import { filteredAmong, filteredUnits } from "../units/filter.ts";
import type { CreateTodoBody, OwnedTodo, Todo, TodoQuery, UpdateTodoBody } from "./schemas.ts";

/** Returns the caller's own todos. For a platform administrator, returns those in every organization. */
export async function listOwnTodos(
  call: CrossOrganizationCall & SignedInCall,
  query: z.output<typeof TodoQuery>,
  filters: Filters,
) {
  const { userId } = call.actor;
  const units = await unitsOfOwn(call, "Todos.Read", filters, call.db.lists);
  return listTodos(call, query, { ownerId: userId, owners: filters.members, units }, present);
}

/** Returns all todos in the caller's reach, with their owners. */
export async function listAllTodos(
  call: CrossOrganizationCall,
  query: z.output<typeof TodoQuery>,
  filters: Filters,
) {
  const units = await unitsOfAny(call, "Todos.ReadAny", filters, call.db.lists);
  return listTodos(call, query, { ownerId: null, owners: filters.members, units }, presentOwned);
}

const listQuery = new ListQuery(queries.listTodos, listTodosFirstPages);

function listTodos<Item>(
  { db, organizations }: CrossOrganizationCall,
  { sort, search, completed, ...paging }: z.output<typeof TodoQuery>,
  scope: { ownerId: string | null; owners: string[] | null; units: ReachUnits },
  item: (row: Row) => Item,
) {
  const filters = { ...scope, ...organizationScope(organizations), search, completed };
  const totalQuery = countAll(filters);
  return pageFrom(
    paging,
    {
      ...listQuery.pages({ ...filters, sort }, db),
      total: () => totalQuery?.run(db.pages) ?? queries.countTodos.run(filters, db.lists),
    },
    item,
  );
}

type TodoFilters = Parameters<typeof queries.countTodos.run>[0];

/**
 * Returns the maintained total of a todo list whose only filters are the organization or one owner; null for other
 * lists.
 */
function countAll({ organizationId, ownerId, ...filters }: TodoFilters) {
  if (organizationId == null || !isUnfiltered(filters)) return null;
  if (ownerId == null) return queries.countAllTodos.with({ organizationId });
  return queries.countAllTodosOfOwner.with({ organizationId, userId: ownerId });
}

/**
 * Returns a todo that the caller owns, or that is in the caller's reach. A service account owns no todos.
 * @throws notFound
 */
export async function getTodo(call: CrossOrganizationCall, id: string, filters: Filters) {
  return present(await findTodo(call, id, { own: "Todos.ReadOne", any: "Todos.ReadAny" }, filters, call.db));
}

/**
 * Creates a todo that the caller owns.
 * @throws forbidden; notFound if the organization is deleted; planLimitReached, for platform administrators too
 */
export async function createTodo(
  tx: Tx<OrganizationCall & SignedInCall>,
  { title }: z.output<typeof CreateTodoBody>,
) {
  const { organizationId } = tx;
  const { userId } = tx.actor;
  await assertStillPlatformAdmin(tx);
  await assertWithinLimit(tx, { organizationId, limit: "todos" });
  const [created] = await queries.insertTodo.run({ organizationId, userId, title }, tx.db);
  if (created === undefined) throw notFound();
  const object = await showTodo(tx, [organizationId], created.id);
  await todoEvent(tx, "todo.created", object);
  return presentTodo(object);
}

/** Changes a todo that the caller owns, or that is in the caller's reach. @throws forbidden, notFound */
export async function updateTodo(
  call: CrossOrganizationCall,
  id: string,
  { title, completed }: z.output<typeof UpdateTodoBody>,
  filters: Filters,
) {
  return transaction(call, async (tx) => {
    await assertStillPlatformAdmin(tx);
    const found = await findTodo(tx, id, { own: "Todos.Update", any: "Todos.UpdateAny" }, filters, tx.db);
    if (title === undefined && completed === undefined) return present(found);
    const { organizationId } = found;
    const change = { id, organizationId, title: title ?? null, completed: completed ?? null };
    const [updated] = await queries.updateTodo.run(change, tx.db);
    if (updated === undefined) throw notFound();
    const object = await showTodo(tx, tx.organizations, id);
    const previous = changedFields(updated, object)?.from;
    if (previous !== undefined) await todoEvent(tx, "todo.updated", object, previous);
    return presentTodo(object);
  });
}

/** Soft-deletes a todo that the caller owns, or that is in the caller's reach. @throws forbidden, notFound */
export async function deleteTodo(call: CrossOrganizationCall, id: string, filters: Filters): Promise<void> {
  await transaction(call, async (tx) => {
    await assertStillPlatformAdmin(tx);
    const found = await findTodo(tx, id, { own: "Todos.Delete", any: "Todos.DeleteAny" }, filters, tx.db);
    const { organizationId } = found;
    const [deleted] = await queries.deleteTodo.run({ id, organizationId }, tx.db);
    if (deleted === undefined) throw notFound();
    await todoEvent(tx, "todo.deleted", presentOwned({ ...found, ...deleted }));
  });
}

/** A caller who reads or changes a todo, inside or outside of a transaction. */
type Caller = Omit<CrossOrganizationCall, "db">;

/** The permissions for an action on todos: on own todos, and on those of others. */
type OwnOrAnyPermission = { own: Permission; any: Permission };

const OWN = unrestricted("own todos are always in reach");

/**
 * Returns the units to which a caller's own todos are limited. Without a unit filter, own todos are not limited:
 * they are always in reach.
 */
const unitsOfOwn = async (caller: Caller, permission: Permission, filters: Filters, db: Queryable) =>
  filters.units === null ? OWN : unitsOfAny(caller, permission, filters, db);

/** Returns the units whose members' todos are listed: the reach of the permission, restricted by the filter. */
async function unitsOfAny(
  { permissions, organizations }: Caller,
  permission: Permission,
  { units }: Filters,
  db: Queryable,
) {
  return filteredUnits(organizations, await permissions.reach(permission, db), units, db);
}

async function findTodo(
  call: Caller,
  id: string,
  { own, any }: OwnOrAnyPermission,
  filters: Filters,
  db: Queryable,
) {
  const holdsAny = call.permissions.holdsAnywhere(any);
  let owner: Promise<string[]> | null = null;
  const unitsOfOwner = () => {
    owner ??= queries.listUnitsOfOwner.run({ id }, db).then((rows) => rows.map(({ unitId }) => unitId));
    return owner;
  };
  const unitsFor = async (permission: Permission) =>
    filteredAmong(
      await call.permissions.reachAmong(permission, unitsOfOwner, db),
      filters.units,
      unitsOfOwner,
      db,
    );
  const ownsTodos = call.actor.type === "user";
  const unitsOfOwned = async () => (filters.units === null ? OWN : unitsFor(own));
  const [found] = await queries.findTodo.run(
    {
      id,
      userId: call.actor.id,
      ...organizationScope(call.organizations),
      owners: filters.members,
      ownUnits: ownsTodos ? await unitsOfOwned() : NO_UNITS,
      any: holdsAny,
      anyUnits: holdsAny ? await unitsFor(any) : NO_UNITS,
    },
    db,
  );
  if (found === undefined) throw notFound();
  return found;
}

/** Returns a todo that the caller has just written. */
async function showTodo({ actor, db }: Tx<AuthenticatedCall>, organizations: string[] | null, id: string) {
  const anyUnits = unrestricted("the caller has just written this todo");
  const organizationWide = { any: true, anyUnits, ownUnits: OWN, owners: null };
  const [found] = await queries.findTodo.run(
    { id, userId: actor.id, ...organizationScope(organizations), ...organizationWide },
    db,
  );
  if (found === undefined) throw notFound();
  return presentOwned(found);
}

/** Writes the event of a todo. Call after the statement that locks its row. */
const todoEvent = (tx: Tx, type: EventType, object: z.output<typeof OwnedTodo>, previous?: object) =>
  event(tx, type, {
    organizationId: object.organizationId,
    id: object.id,
    object,
    previous,
    reach: { userId: object.userId, createdAt: object.createdAt },
  });

type Row = Awaited<ReturnType<typeof queries.listTodos.run>>[number];

const present = (row: Omit<Row, "userId" | "ownerEmail">): z.output<typeof Todo> => ({
  id: row.id,
  title: row.title,
  completed: row.completed,
  organizationId: row.organizationId,
  organizationName: row.organizationName,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

const presentTodo = ({ userId: _, ownerEmail: __, ...todo }: z.output<typeof OwnedTodo>) => todo;

const presentOwned = (row: Row): z.output<typeof OwnedTodo> => ({
  ...present(row),
  userId: row.userId,
  ownerEmail: row.ownerEmail,
});
