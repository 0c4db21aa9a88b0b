import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const document = await Bun.file(join(ROOT, "docs/asvs.md")).text();
const rows = [...document.matchAll(/^\| (\d[\d., ]*?)\s*\| (.*) \|$/gm)].map(([, ids = "", rest = ""]) => ({
  ids: ids.split(", "),
  rest,
}));

test("every test that docs/asvs.md names exists", async () => {
  const named = [...document.matchAll(/`(test\/[^`]+\.test\.ts)` "([^"]+)"/g)].map(
    ([, file = "", name = ""]) => ({
      file,
      name,
    }),
  );
  expect(named.length).toBeGreaterThan(100);
  const missing: typeof named = [];
  for (const reference of named) {
    const path = join(ROOT, reference.file);
    const text = existsSync(path) ? await Bun.file(path).text() : "";
    if (!text.includes(reference.name)) missing.push(reference);
  }
  expect(missing).toEqual([]);
});

test("docs/asvs.md lists every requirement of levels 1 and 2 once, with a test or a reason", () => {
  const ids = rows.flatMap((row) => row.ids);
  // The requirements of levels 1 and 2 of ASVS 5.0.0.
  expect(ids.length).toBe(253);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { ids, rest } of rows)
    expect([ids, rest.split(" | ").at(-1)?.trim() !== ""]).toEqual([ids, true]);
});
