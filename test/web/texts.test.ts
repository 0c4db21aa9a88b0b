import { expect, test } from "bun:test";
import { join } from "node:path";

const CONSOLE = join(import.meta.dir, "../../src/web");
/** The texts of the pages, and those of areas. */
const FILES = ["texts/*.ts", "*/texts.ts"];

type Text = string | ((...values: string[]) => string);
type Exports = Record<string, object>;

const MARKS = ["<0>", "<1>", "<2>", "<3>", "<4>", "<5>"];
/** Returns the values that a text shows, or the placeholders of one that is filled with data. */
const valuesOf = (text: Text | undefined) => {
  const shown = typeof text === "function" ? text(...MARKS) : (text ?? "");
  return [...shown.matchAll(/<\d>|\{\w+\}|undefined/g)].map(([value]) => value).sort();
};

/** Returns the texts of an export with both languages: those of a dictionary, and those that are not compiled. */
function pairsOf(texts: object): [key: string, en: Text, el: Text | undefined][] {
  if ("en" in texts && "el" in texts) {
    const { en, el } = texts as { en: Record<string, Text>; el: Record<string, Text> };
    return Object.entries(en).map(([key, text]) => [key, text, el[key]]);
  }
  const both = texts as Record<string, { en: string; el: string }>;
  return Object.entries(both).map(([key, { en, el }]) => [key, en, el]);
}

test("the Greek texts have the same placeholders as the English texts", async () => {
  const files = FILES.flatMap((glob) => [...new Bun.Glob(glob).scanSync({ cwd: CONSOLE })]);
  let count = 0;
  for (const file of files)
    for (const [name, texts] of Object.entries((await import(join(CONSOLE, file))) as Exports)) {
      if (typeof texts === "function") continue;
      for (const [key, en, el] of pairsOf(texts)) {
        expect([file, name, key, typeof el]).toEqual([file, name, key, typeof en]);
        expect({ file, name, key, values: valuesOf(el) }).toEqual({ file, name, key, values: valuesOf(en) });
        count += 1;
      }
    }
  expect(count).toBeGreaterThan(2000);
});
