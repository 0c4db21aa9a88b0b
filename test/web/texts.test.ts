import { expect, test } from "bun:test";
import { join } from "node:path";

const CONSOLE = join(import.meta.dir, "../../src/web");

/** The files of texts in a language, by what they are in every language: those of the service, and those of an area. */
const filesOf = (language: string) =>
  new Map(
    [`texts/${language}/*.ts`, `*/texts-${language}.ts`]
      .flatMap((glob) => [...new Bun.Glob(glob).scanSync({ cwd: CONSOLE })])
      .sort()
      .map((file) => [file.replace(`/${language}/`, "/").replace(`-${language}.ts`, ".ts"), file]),
  );
const load = async (file: string): Promise<Record<string, Record<string, string>>> =>
  import(join(CONSOLE, file));
const valuesOf = (text = "") => [...text.matchAll(/\{\w+\}/g)].map(([value]) => value).sort();

test("the Greek texts have the same areas, keys and placeholders as the English texts", async () => {
  const greekFiles = filesOf("el");
  expect([...greekFiles.keys()]).toEqual([...filesOf("en").keys()]);
  for (const [area, file] of filesOf("en")) {
    const [english, greek] = [await load(file), await load(greekFiles.get(area) ?? "")];
    expect(Object.keys(greek)).toEqual(Object.keys(english));
    for (const [name, texts] of Object.entries(english))
      for (const [key, text] of Object.entries(texts)) {
        const values = { area, key, values: valuesOf(text) };
        expect({ area, key, values: valuesOf(greek[name]?.[key]) }).toEqual(values);
      }
  }
});
