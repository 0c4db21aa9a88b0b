import { rm } from "node:fs/promises";
import { join } from "node:path";
import { migrate } from "../platform/db/migrations.ts";
import { startPostgres } from "./postgres.ts";
import { GENERATED_QUERIES, generateQueries, queryFiles, SCHEMA } from "./queries/generate.ts";
import { describeSchema } from "./schema.ts";

const ROOT = join(import.meta.dir, "../..");

/**
 * `bun run queries`: writes the typed queries next to each sql/**\/*.sql, and the schema, with a temporary database
 * and all migrations. Removes the output of deleted .sql files.
 */
const postgres = await startPostgres({ dataDir: null, settings: { fsync: "off" } });
try {
  // Migrates only the schema, because the other steps of `migrate` use the queries that are generated below.
  await migrate(postgres.url);
  await Bun.write(join(ROOT, SCHEMA), await describeSchema(postgres.url));
  for (const file of new Bun.Glob(GENERATED_QUERIES).scanSync(ROOT)) await rm(join(ROOT, file));
  await generateQueries(postgres.url, queryFiles());
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await postgres.stop();
}
