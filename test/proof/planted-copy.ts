import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const ROOT = join(import.meta.dir, "../..");
const PARTS = [
  "src",
  "sql",
  "migrations",
  "test",
  "docs",
  "examples",
  "package.json",
  "tsconfig.json",
  "bunfig.toml",
];

/** Runs work on a copy of the source tree, which is deleted afterwards. */
export async function withCopy<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "planted-"));
  try {
    for (const part of PARTS) await cp(join(ROOT, part), join(folder, part), { recursive: true });
    await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
