import { rm } from "node:fs/promises";
import { join } from "node:path";
import { migrate } from "../platform/db/migrations.ts";
import { startPostgres } from "./postgres.ts";
import { GENERATED_QUERIES, generateQueries, queryFiles, SCHEMA } from "./queries/generate.ts";
import { describeSchema } from "./schema.ts";

const ROOT = join(import.meta.dir, "../..");

/**
 * `bun run queries`: writes the typed queries beside each sql/**\/*.sql, and the schema, using a temporary database with all
 * migrations. Output of deleted .sql files is removed.
 */
const postgres = await startPostgres({ dataDir: null, settings: { fsync: "off" } });
try {
  // Only the schema: the other steps of `migrate` use the queries that are about to be written.
  await migrate(postgres.url);
  await Bun.write(join(ROOT, SCHEMA), await describeSchema(postgres.url));
  for (const pattern of GENERATED_QUERIES)
    for (const file of new Bun.Glob(pattern).scanSync(ROOT)) await rm(join(ROOT, file));
  await generateQueries(postgres.url, queryFiles());
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await postgres.stop();
}
