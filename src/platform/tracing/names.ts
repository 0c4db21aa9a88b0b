import { join } from "node:path";
import { PreparedQuery } from "../db/prepared-query.ts";

const FOLDER = join(import.meta.dir, "../../../sql");

/**
 * Reads the names of all queries, such as `sessions.findTokenOwner`; returns a function from a statement's text to
 * its name.
 */
export async function readQueryNames(): Promise<(text: string) => string | undefined> {
  const byText = new Map<string, string>();
  for (const file of new Bun.Glob("**/*.queries.ts").scanSync(FOLDER)) {
    const group = file.replace(/(\.pages)?\.queries\.ts$/, "").replaceAll("/", ".");
    for (const [name, query] of Object.entries(await import(join(FOLDER, file)))) {
      if (query instanceof PreparedQuery) byText.set(query.text, `${group}.${name}`);
    }
  }
  return (text) => byText.get(text);
}
