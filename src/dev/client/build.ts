import { chmod, cp, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { manifestSchema } from "../../core/manifest/schema.ts";
import { write } from "../generated.ts";
import { noticesOf } from "../notices.ts";
import { generatedOfDocument } from "./types.ts";

const ROOT = join(import.meta.dir, "../../..");
const SOURCE = join(ROOT, "src/client");
const FOLDER = join(ROOT, "dist/client");
const ENTRIES = ["index", "machine", "setup", "react", "events", "webhooks", "server"];
/** The modules that `index` loads on demand: they share no code with it, and bundle the library that they use. */
const ON_DEMAND = ["ceremonies", "upload-progress"];
/** The packages that the modules in `ON_DEMAND` bundle, so that applications need not install them for passkeys. */
const BUNDLED = ["node_modules/@simplewebauthn/browser/package.json"];

/** Builds the npm package of the client; `bun run client [folder]` also generates its types and packs it. */
export async function buildClient(target = FOLDER): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  const folder = await mkdtemp(`${target}-`);
  await chmod(folder, 0o755);
  await bundle(ENTRIES, folder);
  await bundle(ON_DEMAND, folder);
  await declarations(folder);
  await Bun.write(join(folder, "package.json"), `${JSON.stringify(await manifest(), null, 2)}\n`);
  await cp(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  await Bun.write(join(folder, "NOTICES"), await noticesOf(BUNDLED, ROOT));
  await Bun.write(join(folder, "product.schema.json"), JSON.stringify(manifestSchema()));
  await cp(join(SOURCE, "README.md"), join(folder, "README.md"));
  // The directive "use client" is added again, because the bundler drops it. Frameworks recognize code for the
  // browser by it.
  const hooks = Bun.file(join(folder, "react.js"));
  await Bun.write(hooks, `"use client";\n${await hooks.text()}`);
  await replace(target, folder);
}

/** Puts a built folder in the place of an earlier one at once, because programs may be using that. */
async function replace(target: string, folder: string): Promise<void> {
  const old = `${folder}-old`;
  await rename(target, old).catch(() => {});
  await rename(folder, target);
  await rm(old, { recursive: true, force: true });
}

/** Bundles modules of the client; what several of them use becomes a chunk. */
async function bundle(names: string[], folder: string): Promise<void> {
  const built = await Bun.build({
    entrypoints: names.map((name) => join(SOURCE, `${name}.ts`)),
    outdir: folder,
    format: "esm",
    splitting: true,
    target: "browser",
    external: ["react", "@tanstack/react-query"],
    plugins: [keepOnDemand],
    // Names are kept, so that stack traces stay readable. The bundler of the application minifies them.
    minify: { whitespace: true, syntax: true },
  });
  if (!built.success) throw new AggregateError(built.logs, "Not bundled");
}

/** Keeps dynamic imports as they are: Bun would add a preloader to `index`, which pages would load for nothing. */
const keepOnDemand: Bun.BunPlugin = {
  name: "modules on demand",
  setup: (build) =>
    void build.onResolve({ filter: new RegExp(`^\\./(${ON_DEMAND.join("|")})\\.ts$`) }, ({ path }) => ({
      path: path.replace(".ts", ".js"),
      external: true,
    })),
};

/** Packs a built package as npm does, for `/api/docs/client.tgz`; returns the path of the archive. */
export async function packClient(folder = FOLDER, archive = `${folder}.tgz`): Promise<string> {
  const files: Record<string, Uint8Array> = {};
  for (const name of new Bun.Glob("**/*").scanSync(folder))
    files[`package/${name}`] = await Bun.file(join(folder, name)).bytes();
  await Bun.Archive.write(archive, files, { compress: "gzip" });
  return archive;
}

/**
 * Writes the declarations with the compiler, but without the types of Bun: code that needs these would not compile.
 */
async function declarations(folder: string): Promise<void> {
  // Runs the compiler with Bun, because its script would start Node.js, which the image does not have.
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const command = [process.execPath, tsc, "-p", SOURCE, "--noEmit", "false"];
  const emit = ["--declaration", "--emitDeclarationOnly", "--outDir", folder];
  const child = Bun.spawn([...command, ...emit], { cwd: ROOT, stdout: "pipe" });
  const output = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(output);
  // The endings of imports are changed here, because the compiler does not change them in declarations.
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
    exports: {
      ".": entry("index"),
      "./events": entry("events"),
      "./machine": entry("machine"),
      "./react": entry("react"),
      "./server": entry("server"),
      "./setup": entry("setup"),
      "./webhooks": entry("webhooks"),
      // The module `hono` contains only types, so its bundle is empty.
      "./hono": { types: "./hono.d.ts" },
      "./package.json": "./package.json",
      "./product.schema.json": "./product.schema.json",
    },
    peerDependencies: { "@tanstack/react-query": range("@tanstack/react-query"), hono: ">=4", react: ">=18" },
    peerDependenciesMeta: {
      "@tanstack/react-query": { optional: true },
      hono: { optional: true },
      react: { optional: true },
    },
  };
}

if (import.meta.main) {
  const folder = process.argv[2];
  await write(await generatedOfDocument());
  await buildClient(folder);
  console.log(`Built: ${await packClient(folder)}`);
}
