import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Scenario } from "./rounds.ts";

const ENTRY = /^(?=\d{4}-\d\d-\d\d )/m;

/**
 * Returns a function that reads the deadlocks of a database since the last call from the server's log, each with
 * the statements of both processes. The function returns null if there is no log, for example for a server on
 * another machine.
 */
export async function deadlocksOf(sql: Scenario["sql"], database: string): Promise<Scenario["deadlocks"]> {
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

/** Returns the deadlocks of a database in the text of a log: the lock that each process waited for, and its statement. */
export function deadlocksIn(log: string, database: string): string[] {
  const deadlocks: string[] = [];
  const detected = new Set<string>();
  for (const entry of log.split(ENTRY)) {
    const [, process = "", entryDatabase = "", level = "", text = ""] =
      /^\S+ \S+ \S+ \[(\d+)\] (\S+) (\w+): {2}(.*)/s.exec(entry) ?? [];
    if (entryDatabase !== database) continue;
    if (level === "ERROR" && text.startsWith("deadlock detected")) detected.add(process);
    // The next log entry of the same process contains the statements.
    else if (level === "DETAIL" && detected.delete(process)) deadlocks.push(text.trimEnd());
  }
  return deadlocks;
}
