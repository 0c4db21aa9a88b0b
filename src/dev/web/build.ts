import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import { build } from "vite";
import { ROOT, viteConfig } from "./config.ts";

/**
 * `bun run web [folder]`: builds the console into dist/web. It writes a page, into which the service inserts its URLs,
 * and assets with a hash of their content in their names, each also as .br and .gz.
 * @param page `gallery.html` for the page with all components, which only development and tests have
 * @param demoAccounts the accounts that the sign-in page offers, as JSON
 * @throws Error with the messages of the bundler
 */
export async function buildWeb({
  folder = join(ROOT, "dist/web"),
  page = "index.html",
  compress = true,
  demoAccounts = "",
} = {}): Promise<void> {
  const config = viteConfig(demoAccounts);
  const next = `${folder}.${process.pid}`;
  const rolldownOptions = { input: join(ROOT, "src/web", page) };
  // Vite reads this variable. Tests set it to another value, with which React would be built for development.
  const { NODE_ENV = "" } = process.env;
  process.env.NODE_ENV = "production";
  await build({ ...config, build: { ...config.build, outDir: next, emptyOutDir: true, rolldownOptions } });
  process.env.NODE_ENV = NODE_ENV;
  if (compress) await compressAssets(join(next, "assets"));
  // The folder is renamed at the end, so that a process that serves it finds either the old build or the new one.
  await rm(folder, { recursive: true, force: true });
  await rename(next, folder);
}

const [toGzip, toBrotli] = [promisify(gzip), promisify(brotliCompress)];

/** Writes compressed copies of the assets. Fonts get none, because their format is compressed. */
async function compressAssets(folder: string): Promise<void> {
  const names = [...new Bun.Glob("*.{js,css,txt}").scanSync({ cwd: folder, absolute: true })];
  await Promise.all(
    names.map(async (name) => {
      const bytes = await Bun.file(name).bytes();
      await Promise.all([
        Bun.write(`${name}.gz`, await toGzip(bytes, { level: 9 })),
        Bun.write(`${name}.br`, await toBrotli(bytes)),
      ]);
    }),
  );
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  await buildWeb(folder === undefined ? {} : { folder });
}
