import { expect, test } from "bun:test";
import { dirname, join } from "node:path";

/** Packages that few requests or few configurations need: they take memory, and time at the start. */
const LOADED_ON_DEMAND = ["stripe", "fflate", "qr", "@aws-sdk/client-s3", "openid-client", "nodemailer"];
const ROOT = join(import.meta.dir, "../..");
const transpiler = new Bun.Transpiler({ loader: "ts" });

/** Adds the packages that a file and its imports load at once, and the file by which each was reached first. */
async function addPackages(file: string, packages: Map<string, string>, seen = new Set<string>()) {
  if (seen.has(file)) return packages;
  seen.add(file);
  for (const { path, kind } of transpiler.scanImports(await Bun.file(file).text())) {
    if (kind !== "import-statement") continue;
    if (/^\..*\.ts$/.test(path)) await addPackages(join(dirname(file), path), packages, seen);
    else if (!/^[.#]/.test(path) && !packages.has(path)) packages.set(path, file.slice(ROOT.length + 1));
  }
  return packages;
}

test("the service loads packages that few requests need on demand, not at its start", async () => {
  const packages = await addPackages(join(ROOT, "src/server.ts"), new Map());
  expect(packages.has("hono")).toBe(true);
  const loaded = LOADED_ON_DEMAND.filter((name) => packages.has(name));
  expect(loaded.map((name) => [name, packages.get(name)])).toEqual([]);
});
