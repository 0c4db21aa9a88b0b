import { rm } from "node:fs/promises";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

/** The texts of generated files, by their paths from the root; null for a file without its source. */
export type Generated = Map<string, string | null>;

/** Returns the paths of the generated files that differ from what they should be. */
export async function outdated(generated: Generated): Promise<string[]> {
  const differs = async ([path, text]: [string, string | null]) => {
    const file = Bun.file(join(ROOT, path));
    return ((await file.exists()) ? await file.text() : null) === text ? [] : [path];
  };
  return (await Promise.all([...generated].map(differs))).flat();
}

/** Writes the generated files that differ, and removes those without their source. */
export async function write(generated: Generated): Promise<void> {
  for (const path of await outdated(generated)) {
    const text = generated.get(path) ?? null;
    await (text === null ? rm(join(ROOT, path)) : Bun.write(join(ROOT, path), text));
  }
}

/** Names generated files that differ, and the command that writes them. */
export const complaint = (paths: string[]): string =>
  paths.map((path) => `${path} is out of date: bun run generate, then commit it`).join("\n");
