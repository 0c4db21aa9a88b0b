import { join } from "node:path";
import { type OutputChunk, type OutputOptions, rolldown } from "rolldown";
import { version } from "../../../package.json" with { type: "json" };
import { filesOf } from "./chunks.ts";
import { pageModules } from "./routes.ts";

const SOURCE = join(import.meta.dir, "../../web");

/**
 * Bundles the scripts of the console into few files, because each request costs more than some unused bytes.
 * @param demoAccounts the accounts that the sign-in page offers, as JSON
 * @throws Error with the messages of the bundler
 */
export async function bundle(demoAccounts: string): Promise<OutputChunk[]> {
  const define = {
    "process.env.NODE_ENV": '"production"',
    DEMO_ACCOUNTS: JSON.stringify(demoAccounts),
    APP_VERSION: JSON.stringify(version),
  };
  const build = await rolldown({
    input: { main: join(SOURCE, "main.tsx"), "color-scheme": join(SOURCE, "theme/color-scheme.ts") },
    platform: "browser",
    tsconfig: join(SOURCE, "tsconfig.json"),
    resolve: { conditionNames: ["production", "browser", "import", "module", "default"] },
    preserveEntrySignatures: false,
    transform: { target: "es2022", define },
    // Removes the directive "use client", which means nothing to a browser.
    onLog: (level, log, report) => log.code !== "MODULE_LEVEL_DIRECTIVE" && report(level, log),
  });
  const chunksOf = async (options: OutputOptions) =>
    (await build.generate({ format: "esm", ...options })).output.filter((file) => file.type === "chunk");
  // The modules that a page needs of a library are read from a bundle, because the library's index imports all
  // modules.
  const publicPages = (await pageModules(SOURCE)).filter(({ isPublic }) => isPublic);
  const files = filesOf(
    await chunksOf({}),
    publicPages.map(({ module }) => module),
    SOURCE,
  );
  const chunks = await chunksOf({
    minify: true,
    comments: false,
    entryFileNames: "[name]-[hash].js",
    chunkFileNames: "[name]-[hash].js",
    codeSplitting: {
      groups: [{ name: (id) => files.get(id), debugName: "files", includeDependenciesRecursively: false }],
    },
  });
  await build.close();
  return chunks;
}
