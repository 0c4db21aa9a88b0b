import { mkdir, rename, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { OutputChunk } from "rolldown";
import { bundle } from "./bundle.ts";
import { withImports } from "./chunks.ts";
import { FONT_PACKAGE, fontFaces, fonts } from "./fonts.ts";
import { noticesOf } from "./notices.ts";
import { pageModules } from "./routes.ts";
import { stylesheets } from "./stylesheet.ts";
import { partOf, textFiles } from "./texts.ts";

const ROOT = join(import.meta.dir, "../../..");
const SOURCE = join(ROOT, "src/web");

type Asset = { name: string; bytes: Uint8Array };

/**
 * `bun run web [folder]`: builds the console into dist/web. It writes `index.html`, into which the service inserts
 * its URLs, and assets with a hash of their content in their names, each also as .br and .gz. `demoAccounts` is
 * JSON: the accounts that the sign-in page offers in development.
 * @throws Error with the messages of the bundler
 */
export async function buildWeb({
  folder = join(ROOT, "dist/web"),
  compress = true,
  demoAccounts = "",
} = {}): Promise<void> {
  const { chunks, files } = await bundle(demoAccounts);
  const inputs = [
    ...chunks.flatMap(({ moduleIds }) => moduleIds.map((id) => relative(ROOT, id))),
    FONT_PACKAGE,
  ];
  const notices = hashed("notices.txt", await noticesOf(inputs, ROOT));
  // The first line of a script names the file with the licences of its packages.
  const texts = await textFiles(files);
  const beforePaint = chunks.find(({ name }) => name === "before-paint")?.code.trim() ?? "";
  // All files of texts have the same hash, so that a page can derive the name of one from another's.
  const hash = hashOf(texts.map(({ code }) => code).join("\n"));
  const scripts = [
    ...chunks
      .filter(({ name }) => name !== "before-paint")
      .map(({ fileName, code }) => ({ name: fileName, code })),
    ...texts.map(({ name, code }) => ({ name: name.replace(".", `-${hash}.`), code })),
  ];
  const assets: Asset[] = scripts.map(({ name, code }) => ({
    name,
    bytes: new TextEncoder().encode(`/*! Licences: ./${notices.name} */\n${code}`),
  }));
  const ownFonts = await Promise.all(
    fonts.map(async ({ name, file }) => ({ font: name, ...hashed(name, await Bun.file(file).bytes()) })),
  );
  assets.push(...ownFonts);
  const faces = await fontFaces(({ name }) => `./${ownFonts.find(({ font }) => font === name)?.name}`);
  const { first, authenticated } = await stylesheets(faces);
  assets.push(notices, hashed("style.css", first), hashed("authenticated.css", authenticated));

  // The folder is renamed at the end, so that a process that serves it finds either the old build or the new one.
  const next = `${folder}.${process.pid}`;
  await mkdir(join(next, "assets"), { recursive: true });
  await Promise.all(assets.map((asset) => write(join(next, "assets"), asset, compress)));
  await Bun.write(join(next, "index.html"), await page(assets, { hash, beforePaint }));
  await Bun.write(join(next, "routes.json"), JSON.stringify(await routes(chunks, files, assets)));
  await rm(folder, { recursive: true, force: true });
  await rename(next, folder);
}

const hashOf = (content: string | Uint8Array) => Bun.hash(content).toString(36).slice(0, 8);

function hashed(name: string, content: string | Uint8Array): Asset {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return { name: name.replace(".", `-${hashOf(content)}.`), bytes };
}

const [toGzip, toBrotli] = [promisify(gzip), promisify(brotliCompress)];

async function write(folder: string, { name, bytes }: Asset, compress: boolean): Promise<void> {
  const file = join(folder, name);
  await Bun.write(file, bytes);
  // Fonts get no compressed copy, because their format is compressed.
  if (!compress || name.endsWith(".woff2")) return;
  const best = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  await Bun.write(`${file}.gz`, await toGzip(bytes, { level: 9 }));
  await Bun.write(`${file}.br`, await toBrotli(bytes, best));
}

/**
 * Returns the HTML page with the file names of this build. Its icon and its first script are part of the page, so that
 * they cost no request. The service allows this script by its hash.
 */
async function page(
  assets: Asset[],
  { hash, beforePaint }: { hash: string; beforePaint: string },
): Promise<string> {
  const template = await Bun.file(join(SOURCE, "index.html")).text();
  const icon = await Bun.file(join(SOURCE, "theme/icon.svg")).text();
  return template
    .replace("{{hash}}", hash)
    .replace("{{icon}}", `data:image/svg+xml,${encodeURIComponent(icon)}`)
    .replace(' src="{{before-paint}}">', () => `>${beforePaint}`)
    .replace(/\{\{([a-z-]+\.[a-z]+)\}\}/g, (_, name) => named(assets, name));
}

function named(assets: Asset[], name: string): string {
  const [stem, extension] = name.split(".");
  const found = assets.find(
    (asset) => asset.name.startsWith(`${stem}-`) && asset.name.endsWith(`.${extension}`),
  );
  if (found === undefined) throw new Error(`The build has no ${name}`);
  return found.name;
}

/**
 * Returns the assets that each route needs besides those in the HTML page, so that the service can preload them, and
 * the part of the console whose texts the route needs.
 */
async function routes(chunks: OutputChunk[], files: Map<string, string>, assets: Asset[]) {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const scriptsOf = (module: string) => {
    const chunk = chunks.find(({ moduleIds }) => moduleIds.includes(module));
    if (chunk === undefined) throw new Error(`${module} is in no script`);
    return [...withImports(chunk, byName)].map(({ fileName }) => fileName);
  };
  const main = named(assets, "main.js");
  const frame = ["console.tsx", "shell/shell.tsx"].flatMap((name) => scriptsOf(join(SOURCE, name)));
  const [font, styles] = [named(assets, "inter-latin.woff2"), named(assets, "authenticated.css")];
  return (await pageModules(SOURCE)).map(({ path, module, isPublic }) => {
    const needed = new Set([font, ...(isPublic ? [] : [styles, ...frame]), ...scriptsOf(module)]);
    needed.delete(main);
    return { path, texts: partOf(files.get(module)), assets: [...needed] };
  });
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  await buildWeb(folder === undefined ? {} : { folder });
}
