import { join } from "node:path";
import { type InputOptions, type OutputChunk, type OutputOptions, type Plugin, rolldown } from "rolldown";
import { version } from "../../../package.json" with { type: "json" };
import { filesOf } from "./chunks.ts";
import { pageModules } from "./routes.ts";
import { withoutTexts } from "./texts.ts";

const SOURCE = join(import.meta.dir, "../../web");

type Bundle = {
  chunks: OutputChunk[];
  /** The output file of each module, without the hash. */
  files: Map<string, string>;
};

/** The script that runs before the first paint. */
export const BEFORE_PAINT = join(SOURCE, "theme/before-paint.ts");

const CSS_VARIABLES = "/core/MantineProvider/MantineCssVariables/MantineCssVariables.mjs";

/**
 * Leaves out Mantine's component that writes the variables of the theme into a style element: they are in the
 * stylesheet. Without this it would be part of the first load, although it is never rendered.
 */
const withoutCssVariables: Plugin = {
  name: "without-css-variables",
  load: (id) => (id.endsWith(CSS_VARIABLES) ? "export const MantineCssVariables = () => null;" : null),
};

/**
 * Returns how scripts of the console are bundled.
 * @param demoAccounts the accounts that the sign-in page offers, as JSON
 */
export function inputOptions(demoAccounts: string): InputOptions {
  const define = {
    "process.env.NODE_ENV": '"production"',
    DEMO_ACCOUNTS: JSON.stringify(demoAccounts),
    APP_VERSION: JSON.stringify(version),
  };
  return {
    platform: "browser",
    tsconfig: join(SOURCE, "tsconfig.json"),
    resolve: { conditionNames: ["production", "browser", "import", "module", "default"] },
    preserveEntrySignatures: false,
    transform: { target: "es2022", define },
    // Removes the directive "use client", which means nothing to a browser.
    onLog: (level, log, report) => log.code !== "MODULE_LEVEL_DIRECTIVE" && report(level, log),
  };
}

/**
 * Bundles the scripts of the console into few files, because each request costs more than some unused bytes. The
 * scripts contain no texts.
 * @param demoAccounts the accounts that the sign-in page offers, as JSON
 * @throws Error with the messages of the bundler
 */
export async function bundle(demoAccounts: string): Promise<Bundle> {
  const chunksOf = async (plugins: Plugin[], chunkOptimization: boolean, options: OutputOptions) => {
    const build = await rolldown({
      ...inputOptions(demoAccounts),
      input: { main: join(SOURCE, "main.tsx"), "before-paint": BEFORE_PAINT },
      plugins: [withoutCssVariables, ...plugins],
      experimental: { chunkOptimization },
    });
    const { output } = await build.generate({ format: "esm", ...options });
    await build.close();
    return output.filter((file) => file.type === "chunk");
  };
  // A first build without optimization shows which modules each page needs: each of its files has only modules that
  // the same pages need. The sources do not show it, because the index of a library imports all modules of the
  // library.
  const publicPages = (await pageModules(SOURCE)).filter(({ isPublic }) => isPublic);
  const files = filesOf(
    await chunksOf([], false, {}),
    publicPages.map(({ module }) => module),
    SOURCE,
  );
  const chunks = await chunksOf([withoutTexts(files, SOURCE)], true, {
    minify: true,
    comments: false,
    entryFileNames: "[name]-[hash].js",
    chunkFileNames: "[name]-[hash].js",
    codeSplitting: {
      groups: [{ name: (id) => files.get(id), debugName: "files", includeDependenciesRecursively: false }],
    },
  });
  return { chunks, files };
}
