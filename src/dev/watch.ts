import { watch } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
/**
 * The milliseconds in which changes are collected: an editor writes a file in several steps, and a formatter writes
 * it again.
 */
const DEBOUNCE_MS = 50;

/**
 * Calls `onChange` with the changed files of these folders, as paths from the root of the repository. Changes that
 * follow each other closely cause one call. A call starts only after the previous one has finished.
 * @returns a function that stops watching
 */
export function watchFolders(folders: string[], onChange: (files: string[]) => Promise<void>): () => void {
  const changed = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isRunning = false;
  const schedule = () => {
    clearTimeout(timer);
    timer = setTimeout(run, DEBOUNCE_MS);
  };
  async function run() {
    if (isRunning || changed.size === 0) return;
    isRunning = true;
    const files = [...changed].sort();
    changed.clear();
    await onChange(files).catch((error) => console.error(`  ${error.message}`));
    isRunning = false;
    if (changed.size > 0) schedule();
  }
  const watchers = folders.map((folder) =>
    watch(join(ROOT, folder), { recursive: true }, (_, name) => {
      if (name === null || name.endsWith("~") || /(^|\/)\.|\.tmp$/.test(name)) return;
      changed.add(join(folder, name));
      schedule();
    }),
  );
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
