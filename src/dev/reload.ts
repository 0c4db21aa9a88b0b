import { write } from "./generated.ts";
import { migrateDevelopment } from "./migrate.ts";
import { FRAGMENTS, generateQueries, isQueryFile, queryFiles } from "./queries/generate.ts";
import type { ReloadingService } from "./reloading-service.ts";
import { watchFolders } from "./watch.ts";

type Options = { service: ReloadingService; databaseUrl: string };

/**
 * The watched source folders of the service. The console is not watched, because it replaces its own modules. `dev`
 * itself is not watched, because it needs a restart.
 */
const isOfTheService = (file: string) => /^src\/(?!web\/|client\/|dev\/).*\.tsx?$/.test(file);

/**
 * Applies changed sources to the running service: runs new migrations, generates the types of changed queries, and
 * restarts the service.
 * @returns a function that stops watching
 */
export function reloadOnChange({ service, databaseUrl }: Options): () => void {
  return watchFolders(["src", "sql", "migrations"], async (files) => {
    const started = performance.now();
    const migrations = files.filter((file) => /^migrations\/.*\.sql$/.test(file));
    const queries = files.includes(FRAGMENTS) ? queryFiles() : files.filter(isQueryFile);
    if (migrations.length > 0) await migrateDevelopment(databaseUrl);
    if (queries.length > 0) await write(await generateQueries(databaseUrl, queries));
    const sources = files.filter(isOfTheService);
    const [first, ...others] = [...migrations, ...queries, ...sources];
    if (first === undefined) return;
    const isRunning = await service.reload();
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const what = others.length === 0 ? first : `${first} and ${others.length} more`;
    console.log(
      isRunning ? `  Reloaded in ${seconds} s: ${what}` : `  Did not start after a change of ${what}`,
    );
  });
}
