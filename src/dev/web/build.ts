import { mkdir, rename, rm } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { version } from "../../../package.json" with { type: "json" };
import { FONT_PACKAGE, fontFaces, fonts } from "./fonts.ts";
import { noticesOf } from "./notices.ts";
import { stylesheets } from "./stylesheet.ts";

const ROOT = join(import.meta.dir, "../../..");
const SOURCE = join(ROOT, "src/web");

type Asset = { name: string; bytes: Uint8Array };

/**
 * `bun run web [folder]`: builds the console into dist/web. It writes `index.html`, in which the service fills in its
 * addresses, and assets with a hash of their content in their names, each also as .br and .gz. `demoAccounts` is
 * JSON: the accounts that the sign-in page offers in development.
 * @throws AggregateError with the messages of the bundler
 */
export async function buildWeb({
  folder = join(ROOT, "dist/web"),
  compress = true,
  demoAccounts = "",
} = {}): Promise<void> {
  const built = await Bun.build({
    entrypoints: [join(SOURCE, "main.tsx"), join(SOURCE, "theme/color-scheme.ts")],
    format: "esm",
    splitting: true,
    target: "browser",
    minify: true,
    naming: { entry: "[name]-[hash].[ext]", chunk: "chunk-[hash].[ext]", asset: "[name]-[hash].[ext]" },
    define: {
      "process.env.NODE_ENV": '"production"',
      DEMO_ACCOUNTS: JSON.stringify(demoAccounts),
      APP_VERSION: JSON.stringify(version),
    },
    conditions: ["production"],
    tsconfig: join(SOURCE, "tsconfig.json"),
    metafile: true,
  });
  if (!built.success) throw new AggregateError(built.logs, "Not bundled");
  // The bundler's file names are relative to the working directory of this process.
  const inputs = [
    ...Object.keys(built.metafile?.inputs ?? {}),
    relative(process.cwd(), join(ROOT, FONT_PACKAGE)),
  ];
  const notices = hashed("notices.txt", await noticesOf(inputs, process.cwd()));
  const assets: Asset[] = await Promise.all(
    built.outputs.map(async (output) => script(basename(output.path), await output.text(), notices.name)),
  );
  const ownFonts = await Promise.all(
    fonts.map(async ({ name, file }) => ({ font: name, ...hashed(name, await Bun.file(file).bytes()) })),
  );
  assets.push(...ownFonts);
  const faces = await fontFaces(({ name }) => `./${ownFonts.find(({ font }) => font === name)?.name}`);
  const { first, authenticated } = await stylesheets(faces);
  assets.push(
    notices,
    hashed("style.css", first),
    hashed("authenticated.css", authenticated),
    hashed("icon.svg", await Bun.file(join(SOURCE, "theme/icon.svg")).text()),
  );

  // Renames the folder, so that a process that serves it finds either the old build or the new one.
  const next = `${folder}.${process.pid}`;
  await mkdir(join(next, "assets"), { recursive: true });
  await Promise.all(assets.map((asset) => write(join(next, "assets"), asset, compress)));
  await Bun.write(join(next, "index.html"), await page(assets));
  await rm(folder, { recursive: true, force: true });
  await rename(next, folder);
}

/**
 * Minifies a script again by oxc-minify, which saves 4 % of what Bun's minifier leaves. Returns it unchanged on
 * platforms without that library. The first line names the file with the licences of the script's packages.
 */
async function script(name: string, text: string, notices: string): Promise<Asset> {
  const bytes = (code: string) => ({
    name,
    bytes: new TextEncoder().encode(`/*! Licences: ./${notices} */\n${code}`),
  });
  const library = await import("oxc-minify").catch(() => null);
  if (library === null) return bytes(text);
  const { code, errors } = await library.minify(name, text, { module: true, compress: { target: "es2022" } });
  if (errors.length > 0) throw new AggregateError(errors, `${name} was not minified`);
  return bytes(code);
}

function hashed(name: string, content: string | Uint8Array): Asset {
  const hash = Bun.hash(content).toString(36).slice(0, 8);
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return { name: name.replace(".", `-${hash}.`), bytes };
}

const [toGzip, toBrotli] = [promisify(gzip), promisify(brotliCompress)];

async function write(folder: string, { name, bytes }: Asset, compress: boolean): Promise<void> {
  const file = join(folder, name);
  await Bun.write(file, bytes);
  // Fonts are compressed by themselves.
  if (!compress || name.endsWith(".woff2")) return;
  const best = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  await Bun.write(`${file}.gz`, await toGzip(bytes, { level: 9 }));
  await Bun.write(`${file}.br`, await toBrotli(bytes, best));
}

/** Returns the page with the file names of this build. It preloads the imports of the first script. */
async function page(assets: Asset[]): Promise<string> {
  const named = (name: string) => {
    const [stem, extension] = name.split(".");
    const found = assets.find(
      (asset) => asset.name.startsWith(`${stem}-`) && asset.name.endsWith(`.${extension}`),
    );
    if (found === undefined) throw new Error(`The build has no ${name}`);
    return found;
  };
  const text = new TextDecoder().decode(named("main.js").bytes);
  const imports = [...text.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)].map(([, name = ""]) => name);
  const preloads = [...new Set(imports)].map(
    (name) => `<link rel="modulepreload" href="{{base}}/assets/${name}">`,
  );
  const template = await Bun.file(join(SOURCE, "index.html")).text();
  return template
    .replace("{{preloads}}", preloads.join("\n    "))
    .replace(/\{\{([a-z-]+\.[a-z]+)\}\}/g, (_, name) => named(name).name);
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  await buildWeb(folder === undefined ? {} : { folder });
}
