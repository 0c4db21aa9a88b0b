import { z } from "@hono/zod-openapi";
import { number, type OrganizationCall, type OverviewPart, type Period, reach, series, seriesOf } from "#kit";
import * as queries from "#sql/todos";
import { listAllTodos } from "./service.ts";

async function todoFigures(call: OrganizationCall, period: Period) {
  const { organizationId, db } = call;
  const units = await reach(call, "Todos.ReadAny");
  const todos = { organizationId, units, from: period.from, timeZone: period.timeZone };
  const first = { page: 1, pageSize: 1, sort: "createdAt", order: "desc" } as const;
  const { total: open } = await listAllTodos(call, { ...first, search: null, completed: false });
  const [created, completed] = await Promise.all([
    queries.countCreatedTodos.run(todos, db.lists),
    queries.countCompletedTodos.run(todos, db.lists),
  ]);
  return { open, created: seriesOf(period, created), completed: seriesOf(period, completed) };
}

/** The figures of todos in the organization's overview (rules 31). */
export const overview = {
  todos: {
    permission: "Todos.ReadAny",
    text: "Figures of todos",
    schema: z.object({
      open: number("The number of todos that are not completed."),
      created: series("Todos that were created on each day"),
      completed: series("Todos that were completed on each day"),
    }),
    read: todoFigures,
  },
} as const satisfies Record<string, OverviewPart>;
