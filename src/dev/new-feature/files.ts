import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Names, withNames } from "./names.ts";

/** Maps each template to the path of the file that is written from it. */
const TARGETS = {
  "queries.sql": "sql/product/samples.sql",
  "schemas.ts": "src/product/samples/schemas.ts",
  "service.ts": "src/product/samples/service.ts",
  "routes.ts": "src/product/samples/routes.ts",
  "feature.ts": "src/product/samples/feature.ts",
  "page.tsx": "src/product/samples/web/page.tsx",
  "page-routes.ts": "src/product/samples/web/routes.ts",
  "web-feature.ts": "src/product/samples/web/feature.ts",
  "texts.ts": "src/product/samples/web/texts.ts",
  "feature.test.ts": "test/product/samples/samples.test.ts",
  "cases.ts": "test/product/samples/cases.ts",
};
const MIGRATIONS = "migrations/product";

/** What the records of a resource belong to; each has a folder of templates beside the common ones. */
export const OWNERS = ["members", "units"] as const;
export type Owner = (typeof OWNERS)[number];

/**
 * Returns the files of a new resource by their paths, without writing them.
 * @throws Error if a file, table, schema, path of the API or page already has that name
 */
export async function filesOf(root: string, names: Names, owner: Owner): Promise<Map<string, string>> {
  await assertFree(root, names);
  const files = new Map<string, string>();
  const add = async (template: string, target: string) => {
    const templates = join(import.meta.dir, "templates");
    const ofOwner = join(templates, owner, `${template}.txt`);
    const file = existsSync(ofOwner) ? ofOwner : join(templates, `${template}.txt`);
    files.set(target, withNames(await Bun.file(file).text(), names));
  };
  await add("migration.sql", `${MIGRATIONS}/${nextNumber(root)}_${names.plural}.sql`);
  for (const [template, target] of Object.entries(TARGETS)) await add(template, withNames(target, names));
  return files;
}

async function assertFree(root: string, names: Names): Promise<void> {
  const { plural, Singular } = names;
  const existing = [
    ...Object.values(TARGETS),
    "sql/samples",
    "sql/samples.sql",
    "src/core/samples",
    "src/features/samples",
    "src/web/samples",
    // A product with these names would collide with the sample manifest, which tests use.
    "examples/samples",
  ]
    .map((target) => withNames(target, names))
    .filter((path) => existsSync(join(root, path)));
  const has = async (path: string, pattern: RegExp) =>
    pattern.test(await Bun.file(join(root, path)).text()) && existing.push(path);
  await has("sql/schema.sql", new RegExp(`CREATE TABLE (\\w+\\.)?${plural} `));
  await has("src/client/document.ts", new RegExp(`^ +${Singular}: |/api/${plural}[/"]`, "m"));
  for (const path of new Bun.Glob("src/web/**/routes.ts").scanSync(root))
    await has(path, new RegExp(`^ +(path: |page\\(\\s*)"/${plural}[/"]`, "m"));
  if (existing.length > 0) throw new Error(`The name ${plural} is taken: ${existing.join(", ")}`);
}

/** Returns the number after the newest migration, with four digits. */
function nextNumber(root: string): string {
  const existing = [...new Bun.Glob("*.sql").scanSync(join(root, MIGRATIONS))];
  return String(Math.max(0, ...existing.map((name) => Number.parseInt(name, 10))) + 1).padStart(4, "0");
}
