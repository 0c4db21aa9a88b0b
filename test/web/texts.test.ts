import { expect, test } from "bun:test";
import { join } from "node:path";

const TEXTS = join(import.meta.dir, "../../src/web/texts");
const areas = [...new Bun.Glob("*.ts").scanSync({ cwd: join(TEXTS, "en") })].sort();

const load = async (language: string, area: string): Promise<Record<string, Record<string, string>>> =>
  import(join(TEXTS, language, area));
const valuesOf = (text = "") => [...text.matchAll(/\{\w+\}/g)].map(([value]) => value).sort();

test("the Greek texts have the same areas, keys and placeholders as the English texts", async () => {
  expect([...new Bun.Glob("*.ts").scanSync({ cwd: join(TEXTS, "el") })].sort()).toEqual(areas);
  for (const area of areas) {
    const [english, greek] = [await load("en", area), await load("el", area)];
    expect(Object.keys(greek)).toEqual(Object.keys(english));
    for (const [name, texts] of Object.entries(english))
      for (const [key, text] of Object.entries(texts)) {
        const values = { area, key, values: valuesOf(text) };
        expect({ area, key, values: valuesOf(greek[name]?.[key]) }).toEqual(values);
      }
  }
});
