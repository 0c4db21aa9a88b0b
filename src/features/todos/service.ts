import type { z } from "zod";
import * as queries from "#sql/todos";
import { assertStillPlatformAdmin } from "../../core/access/authorize.ts";
import type { Permission } from "../../core/access/catalog.ts";
import type { Filters } from "../../core/api/id-headers.ts";
import { organizationScope, pageFrom } from "../../core/api/paging.ts";
import type { OrganizationCall, SignedInCall, SpanningCall, Tx } from "../../core/context.ts";
import { assertWithinLimit } from "../../core/plans/limits.ts";
import { isUnfiltered } from "../../core/row-counts.ts";
import { ListQuery } from "../../platform/db/list-query.ts";
import type { Queryable } from "../../platform/db/prepared-query.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { notFound } from "../../platform/errors.ts";
import { filteredAmong, filteredUnits } from "../units/filter.ts";
import { countTodos } from "./count.ts";
import type { CreateTodoBody, OwnedTodo, Todo, TodoQuery, UpdateTodoBody } from "./schemas.ts";

/** The caller's own todos; a platform administrator's of every organization. */
export async function listOwnTodos(call: SpanningCall, query: z.output<typeof TodoQuery>, filters: Filters) {
  const { userId } = call.actor;
  const units = await unitsOfOwn(call, "Todos.Read", filters, call.db.lists);
  return listTodos(call, query, { ownerId: userId, owners: filters.members, units }, present);
}

/** Everybody's todos in reach, with their owners. */
export async function listAllTodos(call: SpanningCall, query: z.output<typeof TodoQuery>, filters: Filters) {
  const units = await unitsOfAny(call, "Todos.ReadAny", filters, call.db.lists);
  return listTodos(call, query, { ownerId: null, owners: filters.members, units }, presentOwned);
}

const listQuery = new ListQuery(queries.listTodos, ["organizationId", "ownerId"]);

function listTodos<Item>(
  { db, organizations }: SpanningCall,
  { sort, search, completed, ...paging }: z.output<typeof TodoQuery>,
  kept: { ownerId: string | null; owners: string[] | null; units: string[] | null },
  item: (row: Row) => Item,
) {
  const narrowed = { ...kept, ...organizationScope(organizations), search, completed };
  const counted = countAll(narrowed);
  return pageFrom(
    paging,
    {
      ...listQuery.pages({ ...narrowed, sort }, counted, db),
      total: () => counted?.run(db.pages) ?? queries.countTodos.run(narrowed, db.lists),
    },
    item,
  );
}

type Narrowed = Parameters<typeof queries.countTodos.run>[0];

/** The total of an organization's todos, or of one person's there, that nothing else narrows; null for others. */
function countAll({ organizationId, ownerId, ...filters }: Narrowed) {
  if (organizationId == null || !isUnfiltered(filters)) return null;
  if (ownerId == null) return queries.countAllTodos.with({ organizationId });
  return queries.countAllTodosOfOwner.with({ organizationId, userId: ownerId });
}

/** @throws notFound for what is neither the caller's own nor in reach */
export async function getTodo(call: SpanningCall, id: string, filters: Filters) {
  return present(await findTodo(call, id, { own: "Todos.ReadOne", any: "Todos.ReadAny" }, filters, call.db));
}

/**
 * Makes a todo of the caller's own.
 * @throws forbidden; notFound for an organization that is gone; planLimitReached, for platform administrators too
 */
export async function createTodo(call: OrganizationCall, { title }: z.output<typeof CreateTodoBody>) {
  return transaction(call, async (tx) => {
    const { organizationId } = tx;
    const { userId } = tx.actor;
    await assertStillPlatformAdmin(tx);
    await assertWithinLimit(tx, { organizationId, limit: "todos", count: countTodos });
    const [created] = await queries.insertTodo.run({ organizationId, userId, title }, tx.db);
    if (created === undefined) throw notFound();
    return showTodo(tx, [organizationId], created.id);
  });
}

/** Changes a todo, the caller's own or one in reach. @throws forbidden, notFound */
export async function updateTodo(
  call: SpanningCall,
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
    return showTodo(tx, tx.organizations, id);
  });
}

/** Deletes a todo softly, the caller's own or one in reach. @throws forbidden, notFound */
export async function deleteTodo(call: SpanningCall, id: string, filters: Filters): Promise<void> {
  await transaction(call, async (tx) => {
    await assertStillPlatformAdmin(tx);
    const { organizationId } = await findTodo(
      tx,
      id,
      { own: "Todos.Delete", any: "Todos.DeleteAny" },
      filters,
      tx.db,
    );
    const [deleted] = await queries.deleteTodo.run({ id, organizationId }, tx.db);
    if (deleted === undefined) throw notFound();
  });
}

/** Who reads or changes a todo, whether in a transaction or not. */
type Caller = Omit<SpanningCall, "db">;

/** What lets a caller touch a todo: of their own, and of others. */
type Pair = { own: Permission; any: Permission };

/** Of the own list without a unit filter nothing is limited: one's own records are always in reach. */
const unitsOfOwn = async (caller: Caller, permission: Permission, filters: Filters, db: Queryable) =>
  filters.units === null ? null : unitsOfAny(caller, permission, filters, db);

/** The units whose people's todos are kept: in reach of the permission, and asked for. */
async function unitsOfAny(
  { authority, organizations }: Caller,
  permission: Permission,
  { units }: Filters,
  db: Queryable,
) {
  return filteredUnits(organizations, await authority.reach(permission, db), units, db);
}

async function findTodo(call: Caller, id: string, { own, any }: Pair, filters: Filters, db: Queryable) {
  const holdsAny = call.authority.holdsAnywhere(any);
  let owner: Promise<string[]> | null = null;
  const unitsOfOwner = () => {
    owner ??= queries.listUnitsOfOwner.run({ id }, db).then((rows) => rows.map(({ unitId }) => unitId));
    return owner;
  };
  const unitsFor = async (permission: Permission) =>
    filteredAmong(
      await call.authority.reachAmong(permission, unitsOfOwner, db),
      filters.units,
      unitsOfOwner,
      db,
    );
  const [found] = await queries.findTodo.run(
    {
      id,
      userId: call.actor.userId,
      ...organizationScope(call.organizations),
      owners: filters.members,
      ownUnits: filters.units === null ? null : await unitsFor(own),
      any: holdsAny,
      anyUnits: holdsAny ? await unitsFor(any) : [],
    },
    db,
  );
  if (found === undefined) throw notFound();
  return found;
}

/** A todo that has just been written. */
async function showTodo({ actor, db }: Tx<SignedInCall>, organizations: string[] | null, id: string) {
  const everywhere = { any: true, anyUnits: null, ownUnits: null, owners: null };
  const [found] = await queries.findTodo.run(
    { id, userId: actor.userId, ...organizationScope(organizations), ...everywhere },
    db,
  );
  if (found === undefined) throw notFound();
  return present(found);
}

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

const presentOwned = (row: Row): z.output<typeof OwnedTodo> => ({
  ...present(row),
  userId: row.userId,
  ownerEmail: row.ownerEmail,
});
