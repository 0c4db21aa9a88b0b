import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Config } from "../core/config.ts";
import { StartError } from "./start-error.ts";

/** The HTML page for a path of the console. */
export type Page = { bytes: Uint8Array<ArrayBuffer>; etag: string };
/**
 * A route of the console such as `/members/$userId`, with the part of the texts and the assets that the page needs.
 */
type Route = { path: string; texts: string; assets: string[] };

/**
 * Reads the HTML page of a build of the console. The page for each route has links that preload the assets of that
 * route.
 * @returns a function from a path to its page, and the SHA-256 hashes of the inline scripts of all pages
 * @throws StartError if there is no build
 */
export async function openPages(config: Config, folder: string) {
  const file = Bun.file(join(folder, "index.html"));
  if (!(await file.exists()))
    throw new StartError(`WEB=on, but there is no console in ${folder}: run "bun run web"`);
  const template = await file.text();
  const routes: Route[] = await Bun.file(join(folder, "routes.json")).json();
  const pageWith = (texts: string, assets: string[]): Page => {
    const links = assets.map((name) => `<link ${relationOf(name)} href="{{base}}/assets/${name}">`);
    const filled = template.replace("{{preloads}}", links.join("\n    ")).replace("{{texts}}", texts);
    const text = withAddresses(filled, config);
    const bytes = new TextEncoder().encode(text);
    return { bytes, etag: `"${Bun.hash(bytes).toString(36)}"` };
  };
  const pages = routes.map(({ path, texts, assets }) => ({
    parts: path.split("/"),
    page: pageWith(texts, assets),
  }));
  const other = pageWith("all", []);
  const pageOf = (path: string): Page => {
    const parts = path.replace(/(?<=.)\/$/, "").split("/");
    const matches = (pattern: string[]) =>
      pattern.length === parts.length &&
      pattern.every((part, index) => part === parts[index] || part.startsWith("$"));
    return pages.find((one) => matches(one.parts))?.page ?? other;
  };
  const scriptHashes = [...template.matchAll(/<script>(.+?)<\/script>/gs)].map(([, script = ""]) =>
    createHash("sha256").update(script).digest("base64"),
  );
  return { pageOf, scriptHashes };
}

function relationOf(name: string): string {
  if (name.endsWith(".css")) return 'rel="preload" as="style"';
  if (name.endsWith(".woff2")) return 'rel="preload" as="font" type="font/woff2" crossorigin';
  return 'rel="modulepreload"';
}

/**
 * Inserts URLs into the HTML page: the console may be served below a path (APP_URL) and use an API on another host
 * (API_URL).
 */
function withAddresses(template: string, { appUrl, apiUrl }: Config): string {
  const [page, api] = [new URL(appUrl), new URL(apiUrl)];
  const addresses: Record<string, string> = {
    base: page.pathname.replace(/\/$/, ""),
    api: page.origin === api.origin ? api.pathname.replace(/\/$/, "") : apiUrl,
  };
  return template.replace(/\{\{(\w+)\}\}/g, (_, name) => Bun.escapeHTML(addresses[name] ?? ""));
}
