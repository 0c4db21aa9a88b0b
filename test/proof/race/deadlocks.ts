import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Arena } from "./rounds.ts";

const ENTRY = /^(?=\d{4}-\d\d-\d\d )/m;

/**
 * Returns a function that reads the deadlocks of a database since its last call from the log of the server: each with the
 * statements of both processes. It returns null if there is no log here, such as that of a server elsewhere.
 */
export async function deadlocksOf(sql: Arena["sql"], database: string): Promise<Arena["deadlocks"]> {
  const [row] = await sql("SELECT current_setting('data_directory') AS folder");
  const path = join(String(row?.folder), "../server.log");
  if (!existsSync(path)) return async () => null;
  const sizeNow = async () => (await stat(path)).size;
  let from = await sizeNow();
  return async () => {
    const until = await sizeNow();
    const text = await Bun.file(path).slice(from, until).text();
    from = until;
    return deadlocksIn(text, database);
  };
}

/** The deadlocks of a database in the text of a log: what each process waited for and ran. */
export function deadlocksIn(log: string, database: string): string[] {
  const found: string[] = [];
  const open = new Set<string>();
  for (const entry of log.split(ENTRY)) {
    const [, process = "", of = "", level = "", text = ""] =
      /^\S+ \S+ \S+ \[(\d+)\] (\S+) (\w+): {2}(.*)/s.exec(entry) ?? [];
    if (of !== database) continue;
    if (level === "ERROR" && text.startsWith("deadlock detected")) open.add(process);
    // The next entry of the same process names the statements.
    else if (level === "DETAIL" && open.delete(process)) found.push(text.trimEnd());
  }
  return found;
}
