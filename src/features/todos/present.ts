import type { z } from "zod";
import type * as queries from "#sql/todos";
import type { OwnedTodo, Todo } from "./schemas.ts";

type Row = Awaited<ReturnType<typeof queries.findTodo.run>>[number];

/** Returns a todo with its owner. */
export const present = (row: Row): z.output<typeof OwnedTodo> => ({
  ...row,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

/** Returns a todo as its owner sees it. */
export function presentOwn(row: Row): z.output<typeof Todo> {
  const { userId: _, ownerEmail: __, ...todo } = present(row);
  return todo;
}

/** Returns the contents of an event about a todo. Call after the statement that locks its row. */
export function eventAbout(row: Row) {
  const { organizationId, id, userId } = row;
  const object = present(row);
  return { organizationId, id, object, reach: { userId, createdAt: object.createdAt } };
}
