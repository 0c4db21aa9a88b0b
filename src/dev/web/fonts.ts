import { join } from "node:path";

const PACKAGE = join(import.meta.dir, "../../../node_modules/@fontsource-variable/inter");

/** The alphabets of the console's languages. */
const SUBSETS = ["latin", "greek"];

export type Font = { name: string; file: string };

/** The font Inter, with one file for each alphabet. A browser loads only the files whose letters a page contains. */
export const fonts: Font[] = SUBSETS.map((subset) => ({
  name: `inter-${subset}.woff2`,
  file: join(PACKAGE, `files/inter-${subset}-wght-normal.woff2`),
}));

/** The folder of the font's package, which contains its licence. */
export const FONT_PACKAGE = "node_modules/@fontsource-variable/inter/index.css";

/**
 * Returns the CSS rules of the font's package for these files.
 * @param urlOf returns the URL of a font file, as used in the stylesheet
 * @throws Error if the package names no such file
 */
export async function fontFaces(urlOf: (font: Font) => string): Promise<string> {
  const rules = await Bun.file(join(PACKAGE, "index.css")).text();
  return SUBSETS.map((subset, index) => {
    const rule = rules
      .match(/@font-face \{[^}]*\}/g)
      ?.find((one) => one.includes(`inter-${subset}-wght-normal.woff2`));
    const font = fonts[index];
    if (rule === undefined || font === undefined) throw new Error(`Inter has no file for ${subset}`);
    return rule.replace(/url\([^)]*\)/, `url(${urlOf(font)})`);
  }).join("\n");
}
