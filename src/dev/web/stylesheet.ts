import { join } from "node:path";
import {
  convertCssVariables,
  DEFAULT_THEME,
  defaultCssVariablesResolver,
  mergeMantineTheme,
} from "@mantine/core";
import { cssVariables, theme } from "../../web/theme/theme.ts";

const ROOT = join(import.meta.dir, "../../..");
const MANTINE = join(ROOT, "node_modules/@mantine/core/styles");

/**
 * The one stylesheet of the console: Mantine's variables by its theme, which the page's policy forbids to write in a
 * style element; Mantine's components; then its own.
 * @throws Error if Mantine has no such file
 */
export async function stylesheet(): Promise<string> {
  const list = await Bun.file(join(ROOT, "src/web/theme/components.txt")).text();
  const components = list.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const own = [...new Bun.Glob("**/*.css").scanSync({ cwd: join(ROOT, "src/web"), absolute: true })].sort();
  const files = [
    ...["baseline", "global", ...components].map((name) => join(MANTINE, `${name}.css`)),
    ...own,
  ];
  const texts = await Promise.all(files.map((file) => Bun.file(file).text()));
  const [base = "", global = "", ...rest] = texts;
  return [base, variables(), global, ...rest].map(minified).join("\n");
}

function variables(): string {
  const merged = mergeMantineTheme(DEFAULT_THEME, theme);
  const [usual, own] = [defaultCssVariablesResolver(merged), cssVariables(merged)];
  const all = {
    variables: { ...usual.variables, ...own.variables },
    light: { ...usual.light, ...own.light },
    dark: { ...usual.dark, ...own.dark },
  };
  return convertCssVariables(all, ":root");
}

/** Not by Bun's bundler, which rewrites nesting and logical properties for old browsers, to half as much again. */
const minified = (css: string) => css.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\s+/g, " ");
