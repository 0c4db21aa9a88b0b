import { join } from "node:path";
import {
  convertCssVariables,
  DEFAULT_THEME,
  defaultCssVariablesResolver,
  mergeMantineTheme,
} from "@mantine/core";
import { cssVariables, theme } from "../../web/theme/theme.ts";

const ROOT = join(import.meta.dir, "../../..");
const WEB = join(ROOT, "src/web");
const MANTINE = join(ROOT, "node_modules/@mantine/core/styles");

/** The console's own stylesheets that the pages before sign-in need. */
const FIRST = ["theme/styles.css", "account/styles.css"];

/**
 * Returns the stylesheets of the console: the variables of Mantine's theme (the content security policy forbids a
 * style element), Mantine's components, and the console's own styles. `first` is part of the first load; `authenticated` is
 * loaded with the pages after sign-in.
 * @param fontFaces the rules of the fonts
 * @throws Error if Mantine has no such file
 */
export async function stylesheets(fontFaces: string): Promise<{ first: string; authenticated: string }> {
  const { first, authenticated } = await components();
  const own = [...new Bun.Glob("**/*.css").scanSync({ cwd: WEB })].sort();
  const ofWeb = (names: string[]) => texts(names.map((name) => join(WEB, name)));
  const firstParts = [
    fontFaces,
    await themeStyles(),
    await ofMantine(first),
    await ofWeb(own.filter((name) => FIRST.includes(name))),
  ];
  const authenticatedParts = [
    await ofMantine(authenticated),
    await ofWeb(own.filter((name) => !FIRST.includes(name))),
  ];
  return { first: minified(firstParts.join("\n")), authenticated: minified(authenticatedParts.join("\n")) };
}

/**
 * Returns the styles of Mantine and of the theme, without the console's own styles.
 * @throws Error if Mantine has no such file
 */
export async function mantineStyles(): Promise<string> {
  const { first, authenticated } = await components();
  return [await themeStyles(), await ofMantine([...first, ...authenticated])].join("\n");
}

/** The Mantine components in use: those of the first load, and those that are loaded with the pages after sign-in. */
async function components(): Promise<{ first: string[]; authenticated: string[] }> {
  const list = await Bun.file(join(WEB, "theme/components.txt")).text();
  const [first = [], authenticated = []] = list
    .split("\n\n")
    .map((part) => part.split("\n").filter((line) => line !== "" && !line.startsWith("#")));
  return { first, authenticated };
}

const themeStyles = async () =>
  [await ofMantine(["baseline"]), await variables(), await ofMantine(["global"])].join("\n");

const ofMantine = (names: string[]) => texts(names.map((name) => join(MANTINE, `${name}.css`)));

const texts = async (files: string[]) =>
  (await Promise.all(files.map((file) => Bun.file(file).text()))).join("\n");

/** Returns the CSS variables of the theme, without those of unused colors. */
async function variables(): Promise<string> {
  const merged = mergeMantineTheme(DEFAULT_THEME, theme);
  const [defaults, own] = [defaultCssVariablesResolver(merged), cssVariables(merged)];
  const all = {
    variables: { ...defaults.variables, ...own.variables },
    light: { ...defaults.light, ...own.light },
    dark: { ...defaults.dark, ...own.dark },
  };
  const sources = [...new Bun.Glob("**/*.{ts,tsx,css}").scanSync({ cwd: WEB })];
  const source = await texts(sources.map((name) => join(WEB, name)));
  const isUnused = (color: string) => !ALWAYS.has(color) && !new RegExp(`\\b${color}\\b`).test(source);
  const unused = Object.keys(merged.colors).filter(isUnused).join("|");
  const rule = new RegExp(`--mantine-color-(?:${unused})-[\\w-]+:[^;]*;`, "g");
  return convertCssVariables(all, ":root").replace(unused === "" ? /$^/ : rule, "");
}

/** Colors that Mantine's own styles use. The stylesheet always includes their variables. */
const ALWAYS = new Set(["dark", "gray", "red", "blue", "accent"]);

/**
 * Minifies CSS. Bun's bundler is not used: it would rewrite nesting and logical properties for old browsers, and
 * add half of the size. Mantine's scale is 1, so lengths are not multiplied by it.
 */
const minified = (css: string) =>
  css
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\s+/g, " ")
    .replace(/calc\((-?[\d.]+rem) \* var\(--mantine-scale\)\)/g, "$1")
    .replace(/ ?([{};]) ?/g, "$1")
    .replace(/;}/g, "}")
    .replace(/([:,]) /g, "$1")
    .replace(/ ([>~]) /g, "$1")
    .replace(/\( /g, "(")
    .replace(/ \)/g, ")")
    // Values of attribute selectors need no quotes if they are identifiers.
    .replace(/\[([\w-]+)=(["'])([a-z][\w-]*)\2\]/gi, "[$1=$3]");
