import { cp, mkdir, rm } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { BunPlugin } from "bun";

const ROOT = join(import.meta.dir, "../../..");
const MODULES = join(ROOT, "node_modules");
/** The limit of the free plan of Cloudflare is three times as much; what is not loaded starts sooner. */
const MAX_GZIPPED = 1024 * 1024;

/** What a bundle weighs. */
export type Built = { file: string; bytes: number; gzipped: number; parts: [name: string, bytes: number][] };

/**
 * `bun run build:edge [folder]`: the service as one module for workerd, and the WebAssembly beside it, which it imports.
 * @param entry another entry, and the conditions under which its packages resolve
 * @throws if it cannot be bundled, imports what workerd does not have, or is too large
 */
export async function buildEdge(
  folder = join(ROOT, "dist/edge"),
  { entry = join(ROOT, "src/edge.ts"), conditions = ["workerd", "worker"] } = {},
): Promise<Built> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const built = await Bun.build({
    entrypoints: [entry],
    outdir: folder,
    naming: "worker.js",
    target: "node",
    format: "esm",
    minify: true,
    metafile: true,
    conditions,
    external: ["cloudflare:*"],
    plugins: [smaller],
  });
  if (!built.success) throw new AggregateError(built.logs, "Not bundled");
  await cp(join(MODULES, "argon2id/dist/simd.wasm"), join(folder, "argon2.wasm"));
  const file = join(folder, "worker.js");
  // workerd gives modules no address, and `createRequire`, by which packages load what Node.js has, wants one.
  const code = (await Bun.file(file).text()).replaceAll("import.meta.url", '"file:///worker.js"');
  assertLoads(code);
  const bytes = await Bun.write(file, code);
  const gzipped = gzipSync(code).length;
  if (gzipped > MAX_GZIPPED) throw new Error(`${gzipped} bytes gzipped are too many`);
  return { file, bytes, gzipped, parts: partsOf(built.metafile) };
}

/**
 * Leaves out of packages what the service never calls: the limiter's stores, zod's languages, and the native client of
 * PostgreSQL, which is not installed.
 */
const smaller: BunPlugin = {
  name: "smaller",
  setup(build) {
    build.onLoad({ filter: /rate-limiter-flexible\/index\.js$/ }, () => ({
      contents: ["RateLimiterMemory", "RateLimiterRes"]
        .map((name) => `exports.${name} = require("./lib/${name}.js");`)
        .join("\n"),
      loader: "js",
    }));
    build.onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
      loader: "js",
    }));
    build.onResolve({ filter: /^pg-native$/ }, () => ({ path: "pg-native", namespace: "absent" }));
    build.onLoad({ filter: /.*/, namespace: "absent" }, () => ({
      contents: "module.exports = null;",
      loader: "js",
    }));
    build.onResolve({ filter: /\/argon2\.wasm$/ }, ({ path }) => ({ path, external: true }));
    // workerd knows the modules of Node.js by their full names only.
    build.onResolve({ filter: /^[a-z_/]+$/ }, ({ path }) =>
      isBuiltin(path) && path !== "bun" ? { path: `node:${path}`, external: true } : undefined,
    );
  },
};

/** What workerd lacks of the modules of Node.js, it says when it loads the bundle, which the tests of the edge do. */
function assertLoads(code: string) {
  const [imported] = code.match(/\b(?:from|import|require\()\s*["'](?:bun(?::\w+)?|[^"']+\.node)["']/) ?? [];
  if (imported !== undefined) throw new Error(`Neither Bun nor native modules exist on workerd: ${imported}`);
}

type Metafile = { outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }> };

function partsOf(metafile: unknown): Built["parts"] {
  const sizes = new Map<string, number>();
  for (const { inputs } of Object.values((metafile as Metafile).outputs))
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const name =
        /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path.split("/").slice(0, 2).join("/");
      sizes.set(name, (sizes.get(name) ?? 0) + bytesInOutput);
    }
  return [...sizes].sort(([, one], [, other]) => other - one);
}

if (import.meta.main) {
  const { file, bytes, gzipped, parts } = await buildEdge(process.argv[2]);
  for (const [name, size] of parts.slice(0, 20)) console.log(String(size).padStart(9), name);
  console.log(`${file}: ${bytes} bytes, ${gzipped} gzipped`);
}
