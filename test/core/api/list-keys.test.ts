import { expect, test } from "bun:test";
import { Glob } from "bun";
import { sharedService } from "../../support/service.ts";

const t = await sharedService();

/** Views whose rows have no id, with what tells their rows apart. */
const OF_VIEWS: Record<string, string> = { groups_of_connections: "connection_id, group_name" };

test("the key of every list tells all rows of its table apart, so that no page shows rows of other organizations", async () => {
  const unique = await t.sql<{ name: string; columns: string[] }>(
    `SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attname) AS columns
     FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey)
     WHERE i.indisunique AND i.indpred IS NULL GROUP BY i.indexrelid, c.relname`,
  );
  const views = (await t.sql<{ name: string }>("SELECT viewname AS name FROM pg_views")).map(
    ({ name }) => name,
  );
  const ambiguous: string[] = [];
  let lists = 0;
  for await (const file of new Glob("*.sql").scan("sql")) {
    const text = await Bun.file(`sql/${file}`).text();
    for (const [, list = "", table = "", key = ""] of text.matchAll(
      /@list (\w+) from (\w+) \w+ by ([\w, ]+?)(?: unpaged)? \*\//g,
    )) {
      lists += 1;
      const columns = key.split(", ");
      const isUnique = views.includes(table)
        ? key === (OF_VIEWS[table] ?? "id")
        : unique.some((index) => index.name === table && index.columns.every((one) => columns.includes(one)));
      if (!isUnique) ambiguous.push(list);
    }
  }
  expect(lists).toBeGreaterThan(15);
  expect(ambiguous).toEqual([]);
});
