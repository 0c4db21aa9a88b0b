import { watch } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
/** An editor writes a file in several steps, and a formatter writes it again. */
const DEBOUNCE_MS = 50;

/**
 * Calls `onChange` with the files that changed in these folders of the repository, as paths from its root: once for
 * changes that follow each other closely, and never before the previous call has finished.
 * @returns a function that ends it
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
    await onChange(files).catch((error) => console.error(error));
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
