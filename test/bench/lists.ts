import { SQL } from "bun";
import * as members from "#sql/members";
import * as todos from "#sql/todos";
import * as units from "#sql/units";
import type { Service } from "../support/service.ts";
import { type Place, places } from "./places.ts";
import { todoReaders } from "./todos.ts";

const TIMES = 200;
const PAGE = { sort: "lastName", descending: false, limit: 20, offset: "0" };

type Query = { text: string; parameters: readonly string[] };

/** How much slower the statements of lists are where there is more of everything. */
export async function reportLists(t: Service): Promise<void> {
  const sql = new SQL({
    url: t.databaseUrl,
    max: 1,
    connection: { plan_cache_mode: "force_custom_plan" },
  });
  const grown = await places(t);
  const small = grown["1,000"];
  const large = grown["50,000"];
  const rowsOf = (name: string, ask: (place: typeof small) => Place["filters"]) =>
    compare(sql, `rows of 50,000 members, ${name}`, members.listMembers, [
      { ...ask(small), ...PAGE },
      { ...ask(large), ...PAGE },
    ]);
  await rowsOf("first page", ({ everything }) => everything.filters);
  await rowsOf("rare search", ({ everything }) => ({ ...everything.filters, search: "lovelace 07919" }));
  await rowsOf("frequent search", ({ everything }) => ({ ...everything.filters, search: "lovelace" }));
  await rowsOf("of 150 units", ({ in150Units }) => in150Units.filters);

  const counts = {
    everybody: large.everything.filters,
    "frequent search": { ...large.everything.filters, search: "lovelace" },
    "of 150 units": large.in150Units.filters,
  };
  for (const [name, filters] of Object.entries(counts)) {
    const [median] = await medians(sql, members.countMembers, [filters]);
    const per100000 = ((median ?? Number.NaN) / 49_000) * 100_000;
    print(`total per 100,000 members, ${name}`, `${per100000.toFixed(1)} ms (aim <= 10)`);
  }
  const [tree] = await medians(sql, units.listTree, [
    { ...large.everything.filters, id: null, search: null },
  ]);
  print("rows of 2,000 units", `${tree?.toFixed(1)} ms`);
  const todoLists = await todoReaders(t);
  for (const [whose, { filters }] of Object.entries(todoLists)) {
    const page = { ...filters, sort: "createdAt", descending: true, limit: 20, offset: "0" };
    const [rows] = await medians(sql, todos.listTodos, [page]);
    const [total] = await medians(sql, todos.countTodos, [filters]);
    print(`rows of 100,000 todos, ${whose}`, `${rows?.toFixed(2)} ms`);
    print(`total of 100,000 todos, ${whose}`, `${total?.toFixed(1)} ms (aim <= 10)`);
  }
  await sql.close();
}

async function compare(sql: SQL, name: string, query: Query, values: Record<string, unknown>[]) {
  const [small = Number.NaN, large = Number.NaN] = await medians(sql, query, values);
  const times = `${large.toFixed(2)} ms, ${(large / small).toFixed(1)} times those of 1,000 (aim < 2)`;
  print(name, times);
}

/** The median time of a query for each of these values, in turns. */
async function medians(sql: SQL, query: Query, values: Record<string, unknown>[]): Promise<number[]> {
  const times: number[][] = values.map(() => []);
  for (let time = 0; time < TIMES; time += 1) {
    for (const [index, given] of values.entries()) {
      const asked = query.parameters.map((name) => given[name]);
      const started = performance.now();
      await sql.unsafe(query.text, asked);
      times[index]?.push(performance.now() - started);
    }
  }
  return times.map((all) => all.sort((one, other) => one - other)[TIMES / 2] ?? Number.NaN);
}

const print = (name: string, found: string) => console.log(name.padEnd(46), found);
