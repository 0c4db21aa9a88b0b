import { join } from "node:path";
import { PreparedQuery } from "../db/prepared-query.ts";

type ListQueries = Record<"firstPages" | "totals", readonly { query: { text: string } }[]>;

const FOLDER = join(import.meta.dir, "../../../sql");

/**
 * Reads the names of all queries, such as `sessions.findTokenOwner`. Queries that only a list uses have the names
 * `members.members.firstPages` and `members.members.totals`. Returns a function from a statement's text to
 * its name.
 */
export async function readQueryNames(): Promise<(text: string) => string | undefined> {
  const byText = new Map<string, string>();
  for (const file of new Bun.Glob("**/*.queries.ts").scanSync(FOLDER)) {
    const group = file.replace(/\.queries\.ts$/, "").replaceAll("/", ".");
    const exported: Record<string, PreparedQuery<never, unknown> | ListQueries> = await import(
      join(FOLDER, file)
    );
    for (const [name, value] of Object.entries(exported)) {
      if (value instanceof PreparedQuery) byText.set(value.text, `${group}.${name}`);
      else
        for (const kind of ["firstPages", "totals"] as const)
          for (const { query } of value[kind]) byText.set(query.text, `${group}.${name}.${kind}`);
    }
  }
  return (text) => byText.get(text);
}
