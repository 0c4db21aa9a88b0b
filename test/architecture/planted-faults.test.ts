import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { PLANTED } from "../proof/planted-faults.ts";

/* `bun run proof planted` takes hours and runs rarely, so this test finds edits that no longer apply after a rename. */

test("the edits of all planted faults apply to the current sources", async () => {
  const outdated: string[] = [];
  for (const { name, edits } of PLANTED) {
    const texts = new Map<string, string>();
    for (const [file, before, after] of edits) {
      const text =
        texts.get(file) ?? (await readFile(join(import.meta.dir, "../..", file), "utf8").catch(() => ""));
      if (!text.includes(before) || before === after) outdated.push(`${name}: ${file}`);
      texts.set(
        file,
        text.replace(before, () => after),
      );
    }
  }
  expect(PLANTED.length).toBe(20);
  expect(outdated).toEqual([]);
});
