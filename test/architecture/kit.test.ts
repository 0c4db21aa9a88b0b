import { expect, test } from "bun:test";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

test("the examples of the kit's README are compiled", async () => {
  const compiled = await Bun.file(join(import.meta.dir, "kit-examples.ts")).text();
  const regions = new Map(
    [...compiled.matchAll(/^\/\/ #region (\w+)\n([\s\S]*?)^\/\/ #endregion/gm)].map(([, name, text]) => [
      name,
      text,
    ]),
  );
  const readme = await Bun.file(join(ROOT, "src/kit/README.md")).text();
  const shown = new Map(
    [...readme.matchAll(/<!-- example (\w+) -->\n\n```ts\n([\s\S]*?)```/g)].map(([, name, text]) => [
      name,
      text,
    ]),
  );
  expect(shown).toEqual(regions);
  expect(shown.size).toBeGreaterThan(4);
});
