import { join } from "node:path";
import type { Config } from "../core/config.ts";
import { botCheckOrigin } from "../features/front-door/turnstile.ts";
import { ENCODINGS, type Encoding, preferredEncoding } from "../platform/http/content-encoding.ts";
import { pathOf } from "../platform/http/target.ts";
import { openPage } from "./web-page.ts";

/** The console, built by `src/dev/web/build.ts`. */
export type Web = {
  /** Returns the response to a GET request for a path of the console; null for every other path. */
  respond(request: Request): Promise<Response | null>;
};

type Asset = { type: string; encodings: Encoding[] };

const TYPES: Record<string, string> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  woff2: "font/woff2",
  txt: "text/plain; charset=utf-8",
};
const ASSETS = "/assets/";
/** The first path segments that never belong to the console: the API's routes, and well-known paths; with connected apps also theirs. */
const NOT_OURS = /^\/(?:api|\.well-known)(?:\/|$)/i;
const OF_APPS = /^\/(?:mcp|docs)(?:\/|$)/i;

/** The folder into which `bun run web` builds the console. */
export const WEB_FOLDER = join(import.meta.dir, "../../dist/web");

/**
 * Opens a build of the console. Only files that exist at this moment are served, so that no path can lead out of
 * the folder.
 * @throws StartError if there is no build
 */
export async function openWeb(config: Config, folder = WEB_FOLDER): Promise<Web> {
  const { page, scriptHashes } = await openPage(config, folder);
  const assets = listAssets(join(folder, "assets"));
  const pageHeaders = {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-cache",
    "content-security-policy": policy(config, scriptHashes),
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "cross-origin-opener-policy": "same-origin",
  };

  async function asset(name: string, headers: Headers): Promise<Response | null> {
    const found = assets.get(name);
    if (found === undefined) return null;
    const encoding = preferredEncoding(headers.get("accept-encoding"), found.encodings);
    // The file is served from memory, because the runtime would apply a `Range` header to a file itself.
    const file = Bun.file(join(folder, "assets", name + ENCODINGS[encoding]));
    const bytes = await file.bytes().catch(() => null);
    // The file is missing because a newer build has replaced the one that this process opened.
    if (bytes === null) return null;
    return new Response(bytes, {
      headers: {
        "content-type": found.type,
        "cache-control": "public, max-age=31536000, immutable",
        vary: "accept-encoding",
        ...(encoding !== "identity" && { "content-encoding": encoding }),
      },
    });
  }

  return {
    async respond(request) {
      const path = pathOf(request);
      if (path.startsWith(ASSETS)) return asset(path.slice(ASSETS.length), request.headers);
      if (NOT_OURS.test(path) || (config.oauth && OF_APPS.test(path))) return null;
      // A path whose last segment contains a dot names a file.
      if (path.slice(path.lastIndexOf("/")).includes(".")) return null;
      const { bytes, etag } = page;
      const headers = { ...pageHeaders, etag };
      const known = request.headers.get("if-none-match")?.split(/\s*,\s*/);
      const isKnown = known?.some((tag) => tag === "*" || tag.replace(/^W\//, "") === etag) ?? false;
      return isKnown ? new Response(null, { status: 304, headers }) : new Response(bytes, { headers });
    },
  };
}

function listAssets(folder: string): Map<string, Asset> {
  const files = new Set(new Bun.Glob("*").scanSync(folder));
  const assets = new Map<string, Asset>();
  for (const name of files) {
    const type = TYPES[name.split(".").at(-1) ?? ""];
    const encodings = (Object.keys(ENCODINGS) as Encoding[]).filter((key) =>
      files.has(name + ENCODINGS[key]),
    );
    if (type !== undefined) assets.set(name, { type, encodings });
  }
  return assets;
}

/**
 * Returns the content security policy: no inline scripts but those of the build, no content from other hosts, and
 * calls only to the API. Images of tickets are blobs. A bot check needs the scripts and frames of its provider.
 */
function policy({ appUrl, apiUrl, botCheck }: Config, scriptHashes: string[]): string {
  const [page, api] = [new URL(appUrl), new URL(apiUrl)];
  const connected = page.origin === api.origin ? "'self'" : `'self' ${api.origin}`;
  const provider = botCheck === null ? [] : [botCheckOrigin(botCheck)];
  return [
    "default-src 'none'",
    ["script-src 'self'", ...scriptHashes.map((hash) => `'sha256-${hash}'`), ...provider].join(" "),
    ...provider.map((origin) => `frame-src ${origin}`),
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "font-src 'self'",
    `connect-src ${connected}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
