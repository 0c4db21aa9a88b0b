import { expect, test } from "bun:test";
import { join } from "node:path";
import { OWN_TICKETS, report, write } from "../../support/helpdesk.ts";
import { pngWith } from "../../support/images.ts";
import { idOf } from "../../support/outcomes.ts";
import { startService } from "../../support/service.ts";
import { ownStorage } from "../../support/storage.ts";

const t = await startService((await ownStorage()).environment);

test("the SQL query of docs/operate/configuration.md lists the accounts with most stored images, with count and bytes", async () => {
  const document = await Bun.file(join(import.meta.dir, "../../../docs/operate/configuration.md")).text();
  const [, query = ""] = /```sql\n(SELECT u\.id, u\.email, count[^`]*)```/.exec(document) ?? [];
  const [much, little] = [await t.person(), await t.person()];
  const { id } = await report(much, {}, [pngWith()]);
  await write(much, OWN_TICKETS, id, "More", { images: [pngWith(), pngWith()] });
  await report(little, {}, [pngWith()]);
  const rows = await t.sql<{ id: string; images: unknown; bytes: unknown }>(query);
  const found = rows.map((row) => [row.id, Number(row.images), Number(row.bytes)]);
  const size = pngWith().length;
  expect(found).toEqual([
    [idOf(much), 3, 3 * size],
    [idOf(little), 1, size],
  ]);
});
