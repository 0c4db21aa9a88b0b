import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Generated } from "../generated.ts";
import { type ComposedList, composeList, sqlOf } from "./compose-list.ts";
import { declareList } from "./declare-list.ts";
import { type Fragments, includeFragments, takeFragments } from "./fragments.ts";
import { replaceLists } from "./list-block.ts";

const ROOT = join(import.meta.dir, "../../..");
export const SCHEMA = "sql/schema.sql";
/** The conditions that queries share. A change of this file changes all queries. */
export const FRAGMENTS = "sql/fragments.sql";

/** Returns whether a file contains queries. */
export const isQueryFile = (file: string): boolean =>
  /^sql\/.*\.sql$/.test(file) && file !== SCHEMA && file !== FRAGMENTS;

/** Returns the files with queries, as paths from the root. */
export const queryFiles = (): string[] =>
  [...new Bun.Glob("sql/**/*.sql").scanSync(ROOT)].filter(isQueryFile).sort();

/** The files that are generated here, as a glob pattern from the root. */
export const GENERATED_QUERIES = "sql/**/*.queries.ts";

const generatedFileOf = (file: string): string => file.replace(/\.sql$/, ".queries.ts");

/**
 * Returns the typed queries of these .sql files, using the schema of a database: composes the statements of lists,
 * includes fragments, and lets pgtyped add the types. pgtyped reports success for queries that it could not type, so a
 * file without output counts as a failure.
 * @throws Error with the output of pgtyped
 */
export async function generateQueries(databaseUrl: string, files: string[]): Promise<Generated> {
  const work = await mkdtemp(join(tmpdir(), "queries-"));
  try {
    const generated: Generated = new Map(files.map((file) => [generatedFileOf(file), null]));
    const shared = takeFragments(await Bun.file(join(ROOT, FRAGMENTS)).text()).fragments;
    const lists = new Map<string, ComposedList[]>();
    for (const file of files) {
      const source = Bun.file(join(ROOT, file));
      if (!(await source.exists())) continue;
      const { sql, composed } = composeFile(await source.text(), shared);
      await Bun.write(join(work, file), sql);
      lists.set(file, composed);
    }
    const config = join(work, "pgtyped.json");
    await Bun.write(config, JSON.stringify(pgtypedConfig(databaseUrl, work, [...lists.keys()])));
    const { failed, output } = await runPgtyped(["-c", config]);
    const missing = await finish(work, lists, generated);
    if (failed || missing.length > 0)
      throw new Error([output, ...missing.map((file) => `${file} has no output`)].join("\n"));
    return generated;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Returns the text of a .sql file with the statements of its lists, and with its fragments included. */
function composeFile(text: string, shared: Fragments): { sql: string; composed: ComposedList[] } {
  const composed: ComposedList[] = [];
  const { fragments, rest } = takeFragments(text);
  const sql = replaceLists(rest, (list) => {
    const one = composeList(list);
    composed.push(one);
    return sqlOf(one);
  });
  // Other queries of the file may have the conditions of a list.
  const complete = composed.reduce(
    (text, { list, conditions }) => text.replaceAll(`@conditions(${list.name})`, conditions),
    sql,
  );
  return { sql: includeFragments(complete, new Map([...shared, ...fragments])), composed };
}

function pgtypedConfig(databaseUrl: string, work: string, files: string[]) {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  return {
    srcDir: work,
    transforms: files.map((file) => ({
      mode: "sql",
      include: file,
      emitTemplate: "{{dir}}/{{name}}.queries.ts",
    })),
    camelCaseColumnNames: true,
    failOnError: true,
    maxWorkerThreads: 1,
    db: { host: hostname, port: Number(port), user: username, password, dbName: pathname.slice(1) },
  };
}

async function runPgtyped(args: string[]): Promise<{ failed: boolean; output: string }> {
  // pgtyped fails under Bun if its environment has a database URL.
  const { DATABASE_URL: _, ...env } = process.env;
  const pgtyped = Bun.spawn(["bun", join(ROOT, "node_modules/.bin/pgtyped"), ...args], {
    cwd: ROOT,
    env,
    stdout: "pipe",
    stderr: "pipe",
  });
  const output = (await new Response(pgtyped.stdout).text()) + (await new Response(pgtyped.stderr).text());
  return { failed: (await pgtyped.exited) !== 0 || /error/i.test(output), output };
}

/**
 * Adds the files that pgtyped wrote to `generated`, marked as generated, with the service's own query runtime and the
 * composed lists. Returns the .sql files for which pgtyped wrote no file.
 */
async function finish(
  work: string,
  lists: ReadonlyMap<string, ComposedList[]>,
  generated: Generated,
): Promise<string[]> {
  const missing: string[] = [];
  for (const [file, composed] of lists) {
    const output = Bun.file(join(work, generatedFileOf(file)));
    if (!(await output.exists())) {
      missing.push(file);
      continue;
    }
    const [, ...lines] = (await output.text()).split("\n");
    const text = composed.reduce(declareList, withOurRuntime(lines.join("\n")));
    generated.set(generatedFileOf(file), `${markOf(file)}${withReach(text)}`);
  }
  return missing;
}

const markOf = (file: string) =>
  `// Generated by \`bun run queries\`. Do not edit.\n/** Types generated for queries found in "${file}" */\n`;

const withOurRuntime = (text: string) =>
  text
    .replace(
      "import { PreparedQuery } from '@pgtyped/runtime';",
      'import { PreparedQuery } from "#src/platform/db/prepared-query";',
    )
    .replaceAll(/[ \t]+$/gm, "");

/** The names of the query parameters that limit a query to the units in the caller's reach. */
const REACH_PARAMETERS = ["units", "visible", "ownUnits", "anyUnits", "noteUnits", "manageableUnits"];
const REACH_PARAMETER = new RegExp(`^( {2}(?:${REACH_PARAMETERS.join("|")}))\\??: stringArray\\b.*;$`, "gm");

/** Requires a `Reach` for these parameters. A call without one, with a list of ids or with null does not compile. */
function withReach(text: string): string {
  const typed = text.replaceAll(/^export interface I\w+Params \{$[^}]*/gm, (params) =>
    params.replaceAll(REACH_PARAMETER, '$1: Reach["units"];'),
  );
  return typed === text ? text : typed.replace(/^import /m, `${REACH_IMPORT}import `);
}

const REACH_IMPORT = 'import type { Reach } from "#src/core/access/reach";\n';
