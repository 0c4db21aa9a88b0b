import { expect, test } from "bun:test";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

/** Development dependencies that no file imports, with what uses them. */
const REASONS: Record<string, string> = {
  "@biomejs/biome": "bin/biome in src/dev/check.ts",
  "@pgtyped/cli": "bin/pgtyped in src/dev/queries.ts",
  typescript: "bin/tsc in src/dev/check.ts",
};

const { dependencies, devDependencies, scripts } = await Bun.file(join(ROOT, "package.json")).json();

/** Returns the names of the packages that the selected files import or resolve. */
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

/**
 * Files that do not run in the image: tests, tools, the client (a separate package with peer dependencies) and the
 * console (built).
 */
const isDevelopment = (file: string) => /^(test\/|src\/(dev|client|web|product\/\w+\/web)[./])/.test(file);
const inService = await importedBy((file) => !isDevelopment(file));
const inDevelopment = await importedBy(isDevelopment);

test("the service imports every dependency", () => {
  expect(Object.keys(dependencies).filter((name) => !inService.has(name))).toEqual([]);
});

test("the service imports no development dependency", () => {
  expect(Object.keys(devDependencies).filter((name) => inService.has(name))).toEqual([]);
});

test("every development dependency is imported by tests or src/dev, has types of an imported package, or has a listed reason", () => {
  const isUsed = (name: string) => {
    const typed = name.replace(/^@types\//, "");
    return inDevelopment.has(name) || (typed !== name && (inService.has(typed) || inDevelopment.has(typed)));
  };
  const unused = Object.keys(devDependencies).filter((name) => !isUsed(name));
  expect(unused.sort()).toEqual(Object.keys(REASONS).sort());
});

/** Scripts that also run in the image, which has the packages and no lock file. */
const IN_IMAGE = [
  "start",
  "migrate",
  "admin",
  "rekey",
  "signing-key",
  "product",
  "product-key",
  "jobs",
  "audit",
  "restored",
];

test("every script that does not run in the image first installs exactly the packages of bun.lock", () => {
  const ofCheckout = Object.entries<string>(scripts).filter(([name]) => !IN_IMAGE.includes(name));
  expect(ofCheckout.length).toBeGreaterThan(10);
  expect(
    ofCheckout.filter(([, command]) => !/^bun install --frozen-lockfile (>&2 )?&& /.test(command)),
  ).toEqual([]);
  for (const name of IN_IMAGE) expect(scripts[name]).not.toContain("install");
});

test("CI installs exactly the packages of bun.lock", async () => {
  const files = [...new Bun.Glob(".ci/*").scanSync({ cwd: ROOT, dot: true }), "Dockerfile"];
  const texts = await Promise.all(files.map((file) => Bun.file(join(ROOT, file)).text()));
  const installs = texts.flatMap((text) => text.match(/\bbun install\b.*/g) ?? []);
  expect(installs.length).toBeGreaterThan(2);
  expect(installs.filter((command) => !command.startsWith("bun install --frozen-lockfile"))).toEqual([]);
});

test("`bun run openapi` prints the OpenAPI document and nothing else", () => {
  const { stdout } = Bun.spawnSync([process.execPath, "run", "openapi"], { cwd: ROOT, stderr: "ignore" });
  expect(JSON.parse(stdout.toString()).openapi).toStartWith("3.1");
});
