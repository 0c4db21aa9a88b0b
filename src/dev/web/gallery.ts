import { join } from "node:path";
import { rolldown } from "rolldown";
import { BEFORE_PAINT, inputOptions } from "./bundle.ts";
import { fontFaces, fonts } from "./fonts.ts";
import { stylesheets } from "./stylesheet.ts";

const GALLERY = join(import.meta.dir, "../../web/gallery/main.tsx");

/**
 * Builds the page with all components of the console (`src/web/gallery`), with the console's styles. Only development
 * and the test of the golden images have this page.
 * @returns the files of the page by their paths
 * @throws Error with the messages of the bundler
 */
export async function buildGallery(): Promise<Map<string, string | Uint8Array>> {
  const [main, beforePaint] = await Promise.all([bundle(GALLERY), bundle(BEFORE_PAINT)]);
  const { first, authenticated } = await stylesheets(await fontFaces(({ name }) => `/${name}`));
  const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Gallery</title>
    <script src="/before-paint.js"></script>
    <link rel="stylesheet" href="/style.css">
  </head>
  <body>
    <div id="root"></div>
    <script type="module" src="/main.js"></script>
  </body>
</html>`;
  const files = new Map<string, string | Uint8Array>([
    ["/", page],
    ["/main.js", main],
    ["/before-paint.js", beforePaint],
    ["/style.css", first + authenticated],
  ]);
  for (const { name, file } of fonts) files.set(`/${name}`, await Bun.file(file).bytes());
  return files;
}

async function bundle(input: string): Promise<string> {
  const build = await rolldown({ ...inputOptions(""), input });
  const { output } = await build.generate({ format: "esm", codeSplitting: false });
  await build.close();
  return output[0].code;
}
