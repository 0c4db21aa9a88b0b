import { join } from "node:path";
import { migrate } from "../platform/db/migrations.ts";
import { complaint, type Generated, outdated, write } from "./generated.ts";
import { startPostgres } from "./postgres.ts";
import { GENERATED_QUERIES, generateQueries, queryFiles, SCHEMA } from "./queries/generate.ts";
import { describeSchema } from "./schema.ts";

const ROOT = join(import.meta.dir, "../..");

/**
 * `bun run queries`: writes the typed queries next to each sql/**\/*.sql, and the schema, with a temporary database
 * and all migrations. Removes the output of deleted .sql files. With `--check`, names what differs and writes nothing.
 */
const postgres = await startPostgres({ dataDir: null, settings: { fsync: "off" } });
try {
  // Migrates only the schema, because the other steps of `migrate` use the queries that are generated below.
  await migrate(postgres.url);
  const generated: Generated = new Map([
    ...[...new Bun.Glob(GENERATED_QUERIES).scanSync(ROOT)].map((file) => [file, null] as const),
    [SCHEMA, await describeSchema(postgres.url)],
    ...(await generateQueries(postgres.url, queryFiles())),
  ]);
  if (process.argv.includes("--check")) {
    const files = await outdated(generated);
    if (files.length > 0) throw new Error(complaint(files));
  } else await write(generated);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await postgres.stop();
}
