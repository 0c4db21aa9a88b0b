import { expect, test } from "bun:test";
import { join } from "node:path";
import { permissionNames } from "../../src/core/access/catalog.ts";

const TEXTS = join(import.meta.dir, "../../src/web/texts");

for (const language of ["en", "el"])
  test(`the console says what each permission allows: ${language}`, async () => {
    const named = [];
    for (const file of new Bun.Glob("*.ts").scanSync({ cwd: join(TEXTS, language) })) {
      const texts: Record<string, object> = await import(join(TEXTS, language, file));
      for (const [name, byPermission] of Object.entries(texts))
        if (/permissionTexts$/i.test(name)) named.push(...Object.keys(byPermission));
    }
    expect(named.toSorted()).toEqual(permissionNames().toSorted());
  });
