import { expect, test } from "bun:test";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

/** Those that no file imports, with what uses them. */
const REASONS: Record<string, string> = {
  "@biomejs/biome": "bin/biome in src/dev/check.ts",
  "@pgtyped/cli": "bin/pgtyped in src/dev/queries.ts",
  typescript: "bin/tsc in src/dev/check.ts",
};

const { dependencies, devDependencies } = await Bun.file(join(ROOT, "package.json")).json();

/** The packages that are imported or resolved by the files for which that holds, by name. */
async function importedBy(isMeant: (file: string) => boolean) {
  const files = [...new Bun.Glob("{src,test}/**/*.{ts,tsx}").scanSync(ROOT)].filter(isMeant);
  const sources = await Promise.all(files.map((file) => Bun.file(join(ROOT, file)).text()));
  const specifiers = sources.flatMap((source) => [
    ...source.matchAll(/(?:\bfrom|\bimport|\bimport\(|\bresolveSync\()\s*"([^".#][^"]*)"/g),
  ]);
  return new Set(
    specifiers.map(([, specifier = ""]) =>
      specifier
        .split("/")
        .slice(0, specifier.startsWith("@") ? 2 : 1)
        .join("/"),
    ),
  );
}

/** The client is a package of its own, with what it needs as peers; the console is built. */
const isDevelopment = (file: string) => /^(test\/|src\/(dev|client|web)[./])/.test(file);
const inService = await importedBy((file) => !isDevelopment(file));
const inDevelopment = await importedBy(isDevelopment);

test("the service imports every dependency", () => {
  expect(Object.keys(dependencies).filter((name) => !inService.has(name))).toEqual([]);
});

test("the service imports no development dependency", () => {
  expect(Object.keys(devDependencies).filter((name) => inService.has(name))).toEqual([]);
});

test("every development dependency is imported by tests or src/dev, holds types of an imported one, or has a reason", () => {
  const isUsed = (name: string) => {
    const typed = name.replace(/^@types\//, "");
    return inDevelopment.has(name) || (typed !== name && (inService.has(typed) || inDevelopment.has(typed)));
  };
  const unused = Object.keys(devDependencies).filter((name) => !isUsed(name));
  expect(unused.sort()).toEqual(Object.keys(REASONS).sort());
});
