import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/* Runs the program that lists the packages of an image on a folder that looks like one. */
const PROGRAM = join(import.meta.dir, "../../src/dev/sbom.ts");
const DEBIAN = `Package: libc6
Status: install ok installed
Architecture: amd64
Version: 2.41-12

Package: removed
Status: deinstall ok config-files
Architecture: amd64
Version: 1
`;
const packageFile = (name: string, version: string) => JSON.stringify({ name, version, license: "MIT" });
const IMAGE = {
  "app/package.json": JSON.stringify({
    name: "service",
    version: "1.0.0",
    dependencies: { plain: "1.0.0", "@scope/scoped": "2.0.0" },
  }),
  "app/node_modules/plain/package.json": packageFile("plain", "1.0.0"),
  "app/node_modules/plain/node_modules/inner/package.json": packageFile("inner", "3.0.0"),
  "app/node_modules/plain/dist/package.json": JSON.stringify({ type: "module" }),
  "app/node_modules/@scope/scoped/package.json": packageFile("@scope/scoped", "2.0.0"),
  "var/lib/dpkg/status": DEBIAN,
};

async function partsOf(files: Record<string, string>) {
  const root = await mkdtemp(join(tmpdir(), "image-"));
  for (const [path, text] of Object.entries(files)) await Bun.write(join(root, path), text);
  const child = Bun.spawn(["bun", PROGRAM, root], { stdout: "pipe", stderr: "pipe" });
  const [out, problems] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  await rm(root, { recursive: true });
  const parts = out === "" ? [] : JSON.parse(out).components.map(({ purl }: { purl: string }) => purl);
  return { code: await child.exited, parts, problems };
}

test("the SBOM of an image lists Bun, all npm packages, including scoped and nested ones, and Debian packages", async () => {
  const { code, parts } = await partsOf(IMAGE);
  expect([code, parts]).toEqual([
    0,
    [
      "pkg:deb/debian/libc6@2.41-12?arch=amd64",
      "pkg:npm/%40scope/scoped@2.0.0",
      `pkg:npm/bun@${Bun.version}`,
      "pkg:npm/inner@3.0.0",
      "pkg:npm/plain@1.0.0",
    ],
  ]);
});

test("an SBOM that lacks a dependency, or all packages of one kind, is an error", async () => {
  const { "app/node_modules/@scope/scoped/package.json": _, ...withoutScoped } = IMAGE;
  const lacking = await partsOf(withoutScoped);
  expect([lacking.code, lacking.parts]).toEqual([1, []]);
  expect(lacking.problems).toContain("Dependencies that are not in the image: @scope/scoped");
  const withoutDebian = await partsOf({ ...IMAGE, "var/lib/dpkg/status": "" });
  expect([withoutDebian.code, withoutDebian.parts]).toEqual([1, []]);
});
