import { cp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { clientTypes, TYPES_FILE } from "./types.ts";

const ROOT = join(import.meta.dir, "../../..");
const SOURCE = join(ROOT, "src/client");

/** `bun run client [folder]`: the types of the client, and an npm package of it. */
export async function buildClient(folder = join(ROOT, "dist/client")): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const built = await Bun.build({
    entrypoints: [join(SOURCE, "index.ts"), join(SOURCE, "react.ts")],
    outdir: folder,
    format: "esm",
    splitting: true,
    target: "browser",
    external: ["react", "@tanstack/react-query"],
    // What bundles it minifies the names as well; this leaves a readable trace in an error.
    minify: { whitespace: true, syntax: true },
  });
  if (!built.success) throw new AggregateError(built.logs, "Not bundled");
  await declarations(folder);
  await Bun.write(join(folder, "package.json"), `${JSON.stringify(await manifest(), null, 2)}\n`);
  await cp(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  const guide = await Bun.file(join(ROOT, "docs/clients.md")).text();
  // The rules stand in the repository and not in the package.
  await Bun.write(join(folder, "README.md"), guide.replaceAll("[rules](rules.md)", "rules of the service"));
}

/** The types, by the compiler and without those of Bun: what needs them would not compile. */
async function declarations(folder: string): Promise<void> {
  const command = [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", SOURCE, "--noEmit", "false"];
  const emit = ["--declaration", "--emitDeclarationOnly", "--outDir", folder];
  const child = Bun.spawn([...command, ...emit], { cwd: ROOT, stdout: "pipe" });
  const output = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(output);
  // The compiler leaves the endings of imports in declarations as they are.
  for (const file of new Bun.Glob("*.d.ts").scanSync({ cwd: folder, absolute: true })) {
    const text = await Bun.file(file).text();
    await Bun.write(file, text.replace(/(["']\.\/[\w-]+)\.ts(["'])/g, "$1.js$2"));
  }
}

async function manifest() {
  const { name, version, license, devDependencies } = await Bun.file(join(ROOT, "package.json")).json();
  const range = (dependency: string) => `>=${devDependencies[dependency].split(".")[0]}`;
  const entry = (file: string) => ({ types: `./${file}.d.ts`, default: `./${file}.js` });
  return {
    name: `${name}-client`,
    version,
    description: "A typed client of the API: sessions, requests, live notifications, uploads",
    license,
    type: "module",
    sideEffects: false,
    exports: { ".": entry("index"), "./react": entry("react"), "./package.json": "./package.json" },
    peerDependencies: { "@tanstack/react-query": range("@tanstack/react-query"), react: ">=18" },
    peerDependenciesMeta: { "@tanstack/react-query": { optional: true }, react: { optional: true } },
  };
}

if (import.meta.main) {
  const folder = process.argv[2];
  await Bun.write(TYPES_FILE, await clientTypes());
  await buildClient(folder);
  console.log(`Built in ${folder ?? "dist/client"}: npm pack ./${folder ?? "dist/client"}`);
}
