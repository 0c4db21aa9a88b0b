import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/**
 * `bun run proof without <feature> [check | <n>/<parts>]`: removes a feature from a copy of the repository by deleting its
 * folders, its tables' migration and its lines in the two lists of features. Then runs the check and all tests of everything
 * else, or one of these parts. Tests that use records of the feature as an example are left out; the output names them.
 */
const ROOT = join(import.meta.dir, "../..");
const [name = "todos", part = "1/1", ...more] = process.argv.slice(2);
const [, nth, parts] = /^(\d+)\/(\d+)$/.exec(part) ?? [];
if (more.length > 0 || !/^[a-z]+$/.test(name) || (part !== "check" && parts === undefined))
  throw new Error("Usage: bun run proof without <feature> [check | <n>/<parts>]");

const copy = await mkdtemp(join(tmpdir(), "without-"));
const inCopy = (path: string) => join(copy, path);
const run = async (...command: string[]) => {
  const { TEST_CLUSTER_URL: _, ...env } = process.env;
  const child = Bun.spawn(command, { cwd: copy, env, stdout: "inherit", stderr: "inherit" });
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed without ${name}`);
};
const edit = async (path: string, change: (text: string) => string) =>
  Bun.write(inCopy(path), change(await Bun.file(inCopy(path)).text()));

try {
  const listed = Bun.spawnSync(["git", "ls-files"], { cwd: ROOT }).stdout.toString().trim().split("\n");
  /** The folders and files of the feature itself. */
  const isOwn = new RegExp(
    `^(src/(features|web)/${name}/|sql/${name}[./]|test/features/${name}/|test/web/${name}\\.|migrations/\\d+_${name}\\.)`,
  );
  const singular = new RegExp(name.replace(/s$/, ""), "i");
  /** Files that name it and work without it: a plan may name a limit that nothing declares. */
  const HARMLESS = new Set(["test/support/plans.ts"]);
  /** Tests that depend on it and do not name it: documents explain it as the sample, and planted faults change it. */
  const examples = ["test/architecture/documents.test.ts", "test/architecture/planted-faults.test.ts"];
  /** Whether a test names the feature, by itself or in a module of the tests that it imports or reads. */
  const names = async (path: string, seen: Set<string>): Promise<boolean> => {
    if (seen.has(path)) return false;
    seen.add(path);
    const text = await Bun.file(join(ROOT, path)).text();
    if (singular.test(text) && !HARMLESS.has(path)) return true;
    for (const [, module = ""] of text.matchAll(/"([^"]+\.tsx?)"/g)) {
      const used = join(dirname(path), module);
      if (used.startsWith("test/") && listed.includes(used) && (await names(used, seen))) return true;
    }
    return false;
  };
  for (const path of listed) {
    if (isOwn.test(path)) continue;
    if (examples.includes(path)) continue;
    if (/^test\/(?!proof\/|support\/).*\.tsx?$/.test(path) && (await names(path, new Set()))) {
      examples.push(path);
      continue;
    }
    await cp(join(ROOT, path), inCopy(path), { recursive: true });
  }
  await symlink(join(ROOT, "node_modules"), inCopy("node_modules"));
  const lines = new RegExp(`^import \\{ ${name} \\}.*\\n|^ *${name},\\n|\\b${name}, `, "gm");
  for (const list of ["src/app/features.ts", "src/web/features.ts"])
    await edit(list, (text) => text.replace(lines, ""));

  await run("bun", "src/dev/queries.ts");
  const write = `import { write } from "./src/dev/generated.ts"; import { generatedOfDocument } from "./src/dev/client/types.ts"; await write(await generatedOfDocument())`;
  await run("bun", "-e", write);
  await run("node_modules/.bin/biome", "check", "--write", "src/client", "src/app", "src/web/features.ts");
  if (part === "check" || part === "1/1") await run("bun", "src/dev/check.ts");
  if (part !== "check") {
    await run("git", "init", "-q");
    const tests = [...new Bun.Glob("test/**/*.test.ts").scanSync(copy)].sort();
    const ofPart = tests.filter((_, index) => index % Number(parts) === Number(nth) - 1);
    // Other tests look for the files of those that are left out, which documents name.
    for (const path of examples) await cp(join(ROOT, path), inCopy(path));
    await run("bun", "test/support/run.ts", ...ofPart.map((path) => `./${path}`));
    console.log(
      `${tests.length} files of tests; ${examples.length} use ${name} as an example and are left out:`,
    );
    console.log(examples.map((path) => `  ${path}`).join("\n"));
  }
} finally {
  await rm(copy, { recursive: true, force: true });
}
