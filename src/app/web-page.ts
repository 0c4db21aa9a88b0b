import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Config } from "../core/config.ts";
import { productForConsole } from "../core/manifest/for-console.ts";
import { botCheckOrigin } from "../features/front-door/turnstile.ts";
import { StartError } from "./start-error.ts";

/** The HTML page of the console, the same for every path. */
export type Page = { bytes: Uint8Array<ArrayBuffer>; etag: string };

/**
 * Reads the HTML page of a build of the console.
 * @returns the page, and the SHA-256 hashes of its inline scripts
 * @throws StartError if there is no build
 */
export async function openPage(config: Config, folder: string) {
  const file = Bun.file(join(folder, "index.html"));
  if (!(await file.exists()))
    throw new StartError(`WEB=on, but there is no console in ${folder}: run "bun run web"`);
  const template = await file.text();
  const bytes = new TextEncoder().encode(filled(template, config));
  const page: Page = { bytes, etag: `"${Bun.hash(bytes).toString(36)}"` };
  const scriptHashes = [...template.matchAll(/<script>(.+?)<\/script>/gs)].map(([, script = ""]) =>
    createHash("sha256").update(script).digest("base64"),
  );
  return { page, scriptHashes };
}

/**
 * Inserts URLs into the HTML page: the console may be served below a path (APP_URL) and use an API on another host
 * (API_URL). Inserts also what it needs of the product's manifest, and the origin of the bot check.
 */
function filled(template: string, { appUrl, apiUrl, botCheck }: Config): string {
  const [page, api] = [new URL(appUrl), new URL(apiUrl)];
  const values: Record<string, string> = {
    base: page.pathname.replace(/\/$/, ""),
    api: page.origin === api.origin ? api.pathname.replace(/\/$/, "") : apiUrl,
    product: productForConsole(),
    botCheck: botCheck === null ? "" : botCheckOrigin(botCheck),
  };
  // All are values of attributes. One pass, so that a text with braces is not replaced again.
  return template.replace(/\{\{(\w+)\}\}/g, (_, name) => Bun.escapeHTML(values[name] ?? ""));
}
