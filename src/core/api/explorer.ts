import { dirname, join } from "node:path";
import { swaggerUI } from "@hono/swagger-ui";
import { Hono } from "hono";
import { ignoringRange } from "../../platform/http/ranges.ts";
import type { RouterEnv } from "./request-context.ts";

/** The files of swagger-ui-dist that the API explorer needs; no other file of the package is served. */
const ASSETS: Record<string, string> = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "favicon-32x32.png": "image/png",
};

/** The path of the typed client's npm package, which `bun run client` creates. */
const CLIENT_PACKAGE = join(import.meta.dir, "../../../dist/client.tgz");

/**
 * The content security policy of the API explorer. The explorer sets inline styles and loads its icons from data
 * URLs; scripts are allowed only from this host.
 */
const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const start = (keepsToken: boolean) => `window.ui = SwaggerUIBundle({
  url: "/api/docs-json", dom_id: "#swagger-ui", deepLinking: true, persistAuthorization: ${keepsToken},
  displayRequestDuration: true, tryItOutEnabled: true, withCredentials: true, validatorUrl: null,
});`;

/**
 * The body of the explorer's page. It replaces that of the package, whose inline script the content security policy
 * blocks.
 */
const BODY = `<link rel="icon" href="/api/docs/favicon-32x32.png">
<link rel="stylesheet" href="/api/docs/swagger-ui.css">
<div id="swagger-ui"></div>
<script src="/api/docs/swagger-ui-bundle.js"></script>
<script src="/api/docs/start.js"></script>`;

/**
 * Serves the interactive API explorer at /api/docs, and the typed client at /api/docs/client.tgz. All files are
 * served by this service; no third-party host is involved.
 * @param options `keepsToken`: the page stores the access token that the user enters, and keeps it after the page
 * was closed
 */
export function explorer({ keepsToken = false, clientPackage = CLIENT_PACKAGE } = {}): Hono<RouterEnv> {
  const folder = dirname(Bun.resolveSync("swagger-ui-dist/package.json", import.meta.dir));
  const page = swaggerUI<RouterEnv>({
    url: "/api/docs-json",
    title: "API explorer",
    manuallySwaggerUIHtml: () => BODY,
  });

  const explorer = new Hono<RouterEnv>()
    .get("/", (c, next) => {
      c.get("request").route = "/api/docs";
      c.header("content-security-policy", CSP);
      return page(c, next);
    })
    .get("/start.js", (c) => {
      c.get("request").route = "/api/docs/start.js";
      return c.body(start(keepsToken), 200, { "content-type": "text/javascript; charset=utf-8" });
    });
  // One route per file: with a pattern next to fixed paths, Hono would use its slower router for all routes.
  for (const [asset, type] of Object.entries(ASSETS)) {
    explorer.get(`/${asset}`, (c) => {
      c.get("request").route = `/api/docs/${asset}`;
      return c.body(ignoringRange(Bun.file(join(folder, asset)).stream(), c.req.raw.headers), 200, {
        "content-type": type,
        "cache-control": "public, max-age=3600",
      });
    });
  }
  explorer.get("/client.tgz", async (c) => {
    const file = Bun.file(clientPackage);
    if (!(await file.exists())) return c.notFound();
    return c.body(ignoringRange(file.stream(), c.req.raw.headers), 200, {
      "content-type": "application/gzip",
      "content-disposition": 'attachment; filename="client.tgz"',
    });
  });
  return explorer;
}
