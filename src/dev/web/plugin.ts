import { join, relative } from "node:path";
import {
  convertCssVariables,
  DEFAULT_THEME,
  defaultCssVariablesResolver,
  mergeMantineTheme,
} from "@mantine/core";
import type { Plugin } from "vite";
import { productForConsole } from "../../core/manifest/for-console.ts";
import { cssVariables, theme } from "../../web/theme/theme.ts";
import { noticesOf } from "../notices.ts";

const ROOT = join(import.meta.dir, "../../..");
const BEFORE_PAINT = join(ROOT, "src/web/theme/before-paint.ts");
const VARIABLES = "virtual:theme.css";

/**
 * Adds to Vite what the content security policy and the licences of the console's packages require.
 * @param options `botCheck`: the origin of the bot check in development
 */
export const consolePlugin = ({ botCheck = "" } = {}): Plugin => ({
  name: "console",
  // Mantine would write the variables of the theme into a style element, which the policy forbids.
  resolveId: (id) => (id === VARIABLES ? `\0${VARIABLES}` : null),
  load: (id) => (id === `\0${VARIABLES}` ? themeVariables() : null),
  // The only inline script. The service allows it by its hash.
  async transformIndexHtml(html, { server }) {
    const children = new Bun.Transpiler({ loader: "ts", minifyWhitespace: true }).transformSync(
      await Bun.file(BEFORE_PAINT).text(),
    );
    const tags = [{ tag: "script", children: children.trim(), injectTo: "head-prepend" as const }];
    // In development the console is at the root of the host, and the API beside it.
    const values: Record<string, string> = { product: productForConsole(), botCheck };
    const filled = () => html.replace(/\{\{(\w+)\}\}/g, (_, name) => Bun.escapeHTML(values[name] ?? ""));
    return { html: server ? filled() : html, tags };
  },
  generateBundle: {
    order: "post",
    async handler(_, bundle) {
      const text = await noticesOf(
        [...this.getModuleIds()].map((id) => relative(ROOT, id)),
        ROOT,
      );
      const name = `notices-${Bun.hash(text).toString(36)}.txt`;
      this.emitFile({ type: "asset", fileName: `assets/${name}`, source: text });
      // The first line of a script names the file with the licences of its packages.
      for (const file of Object.values(bundle))
        if (file.type === "chunk") file.code = `/*! Licences: ./${name} */\n${file.code}`;
    },
  },
});

function themeVariables(): string {
  const merged = mergeMantineTheme(DEFAULT_THEME, theme);
  const [defaults, own] = [defaultCssVariablesResolver(merged), cssVariables(merged)];
  const all = {
    variables: { ...defaults.variables, ...own.variables },
    light: { ...defaults.light, ...own.light },
    dark: { ...defaults.dark, ...own.dark },
  };
  return convertCssVariables(all, ":root");
}
