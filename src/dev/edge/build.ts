import { cp, mkdir, rm } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { BunPlugin } from "bun";

const ROOT = join(import.meta.dir, "../../..");
const MODULES = join(ROOT, "node_modules");
/**
 * The maximum size of the bundle in bytes, gzipped. Cloudflare's free plan allows three times as much; a smaller
 * bundle starts sooner.
 */
const MAX_GZIPPED = 1024 * 1024;

/** Packages that few requests need: each is a module of its own beside the bundle, which is loaded when it is first needed. */
const ON_DEMAND: Readonly<Record<string, string>> = { "@modelcontextprotocol/server": "mcp-sdk.js" };

/** The size of a module in bytes. */
export type Built = { file: string; bytes: number; gzipped: number; parts: [name: string, bytes: number][] };

/**
 * `bun run build:edge [folder]`: builds the service as one module for workerd with those that it loads on demand, and copies
 * the WebAssembly that the module imports.
 * @param entry another entry module, and the conditions for resolving its packages
 * @throws if the service cannot be bundled, imports a module that workerd does not have, or is too large
 */
export async function buildEdge(
  folder = join(ROOT, "dist/edge"),
  { entry = join(ROOT, "src/edge.ts"), conditions = ["workerd", "worker"] } = {},
): Promise<Built> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const worker = await bundle(entry, "worker.js", { folder, conditions, plugins: [onDemand, smaller] });
  const sizes = await Promise.all(
    Object.entries(ON_DEMAND).map(([name, file]) =>
      bundle(Bun.resolveSync(name, ROOT), file, { folder, conditions, plugins: [smaller] }),
    ),
  );
  await cp(join(MODULES, "argon2id/dist/simd.wasm"), join(folder, "argon2.wasm"));
  const all = [worker, ...sizes].reduce((sum, { gzipped }) => sum + gzipped, 0);
  if (all > MAX_GZIPPED) throw new Error(`${all} bytes gzipped are too many`);
  return worker;
}

type Options = { folder: string; conditions: string[]; plugins: BunPlugin[] };

/** Bundles a module with all that it imports. */
async function bundle(entry: string, name: string, { folder, conditions, plugins }: Options): Promise<Built> {
  const built = await Bun.build({
    entrypoints: [entry],
    outdir: folder,
    naming: name,
    target: "node",
    format: "esm",
    minify: true,
    metafile: true,
    conditions,
    external: ["cloudflare:*"],
    plugins,
  });
  if (!built.success) throw new AggregateError(built.logs, "Not bundled");
  const file = join(folder, name);
  // Replaces the module's URL by a fixed one, because packages load modules of Node.js by `createRequire`, which
  // needs a URL. Modules of workerd have none.
  const code = (await Bun.file(file).text()).replaceAll("import.meta.url", `"file:///${name}"`);
  assertLoads(code);
  const bytes = await Bun.write(file, code);
  return { file, bytes, gzipped: gzipSync(code).length, parts: partsOf(built.metafile) };
}

/** Leaves out what is a module of its own. */
const onDemand: BunPlugin = {
  name: "on-demand",
  setup(build) {
    for (const [name, file] of Object.entries(ON_DEMAND))
      build.onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path: `./${file}`, external: true }));
  },
};

/**
 * Replaces the verification of authenticators' certificates. The service never requests certificates, and rejects a
 * passkey that has one.
 */
const CERTIFICATES = [
  /^(?:@peculiar\/|asn1js$|reflect-metadata$)/,
  /\/defaultRootCerts\/|\/verifyAttestation(?:TPM|AndroidKey|AndroidSafetyNet|Apple|FIDOU2F|WithMetadata)\.js$/,
  /\/(?:metadataService|verifyMDSBlob|isCertRevoked|validateCertificatePath|convertX509PublicKeyToCOSE)\.js$/,
];

/**
 * Excludes parts of packages that the service never uses: zod's languages, certificates of authenticators, and the
 * native PostgreSQL client, which is not installed.
 */
const smaller: BunPlugin = {
  name: "smaller",
  setup(build) {
    build.onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
      loader: "js",
    }));
    build.onResolve({ filter: /^pg-native$/ }, () => ({ path: "pg-native", namespace: "absent" }));
    build.onResolve({ filter: /\/unwrapEC2Signature\.js$/ }, () => ({
      path: join(import.meta.dir, "unwrap-ec2-signature.ts"),
    }));
    for (const filter of CERTIFICATES)
      build.onResolve({ filter }, ({ path }) => ({ path, namespace: "absent" }));
    build.onLoad({ filter: /.*/, namespace: "absent" }, () => ({
      contents: "module.exports = {};",
      loader: "js",
    }));
    // There are no files on the edge: the manifest of a product is part of the bundle.
    build.onLoad({ filter: /\/core\/manifest\/bundled\.ts$/ }, async () => ({
      contents: `export const bundled = { manifest: ${await manifest()} };`,
      loader: "js",
    }));
    build.onResolve({ filter: /\/argon2\.wasm$/ }, ({ path }) => ({ path, external: true }));
    // Adds the prefix `node:`, because workerd knows the modules of Node.js only with it.
    build.onResolve({ filter: /^[a-z_/]+$/ }, ({ path }) =>
      isBuiltin(path) && path !== "bun" ? { path: `node:${path}`, external: true } : undefined,
    );
  },
};

/** Returns the manifest of `PRODUCT_FILE` as JSON, or `null`. It is checked when the service starts. */
async function manifest(): Promise<string> {
  const path = process.env.PRODUCT_FILE;
  return path ? JSON.stringify(JSON.parse(await Bun.file(path).text())) : "null";
}

/**
 * Missing modules of Node.js are not detected here. workerd reports them when it loads the bundle, which the edge
 * tests do.
 */
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
