import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { createServer, type Plugin } from "vite";
import { version } from "../../../package.json" with { type: "json" };
import type { ReloadingService } from "../reloading-service.ts";
import { fontFaces } from "./fonts.ts";
import { mantineStyles } from "./stylesheet.ts";

const ROOT = join(import.meta.dir, "../../..");
const WEB = join(ROOT, "src/web");

type Options = {
  port: number;
  /** The URL of the service. */
  serviceUrl: string;
  service: Pick<ReloadingService, "ready">;
  /** The folder for generated files. */
  folder: string;
  /** The accounts that the sign-in page offers, as JSON. */
  demoAccounts: string;
};

/**
 * Serves the console from its sources with Vite, unminified and with source maps. Changed modules are replaced in
 * the open page. Requests for `/api` are passed on to the service; during a reload they wait for the service.
 */
export async function serveHotConsole({ port, serviceUrl, service, folder, demoAccounts }: Options) {
  const mantine = join(folder, "mantine.css");
  await Bun.write(mantine, [await fontFaces(({ file }) => `/@fs${file}`), await mantineStyles()].join("\n"));
  const vite = await createServer({
    configFile: false,
    root: WEB,
    cacheDir: join(folder, "vite"),
    appType: "custom",
    logLevel: "error",
    plugins: [react(), waitForService(service), servePage(mantine)],
    define: { DEMO_ACCOUNTS: JSON.stringify(demoAccounts), APP_VERSION: JSON.stringify(version) },
    optimizeDeps: { entries: ["main.tsx", "**/*.tsx"] },
    server: {
      host: "localhost",
      port,
      strictPort: true,
      fs: { allow: [ROOT] },
      proxy: { "/api": { target: serviceUrl, ws: false } },
    },
  });
  await vite.listen();
  return { stop: () => vite.close() };
}

/** Delays requests for the API while the service starts. */
const waitForService = (service: Options["service"]): Plugin => ({
  name: "wait-for-service",
  configureServer(server) {
    server.middlewares.use("/api", async (_, response, next) => {
      if (await service.ready()) return next();
      const message = "The service is not running: see the terminal";
      response.writeHead(503, { "content-type": "application/json", "retry-after": "1" });
      response.end(JSON.stringify({ statusCode: 503, code: "SERVICE_UNAVAILABLE", message }));
    });
  },
});

/**
 * Returns the console's page for every path that is not a file, as the service does in production. `/gallery` shows all
 * components.
 */
const servePage = (mantine: string): Plugin => ({
  name: "serve-page",
  configureServer: (server) => () => {
    server.middlewares.use(async (request, response, next) => {
      try {
        const url = request.url ?? "/";
        const main = /^\/gallery(?:\?|$)/.test(url) ? "/gallery/main.tsx" : "/main.tsx";
        const page = await server.transformIndexHtml(url, await pageWithSources(mantine, main));
        response.writeHead(200, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" });
        response.end(page);
      } catch (error) {
        next(error);
      }
    });
  },
});

/** Returns `src/web/index.html` with links to sources instead of built files. */
async function pageWithSources(mantine: string, main: string): Promise<string> {
  const template = await Bun.file(join(WEB, "index.html")).text();
  const styles = [...new Bun.Glob("**/*.css").scanSync({ cwd: WEB })].sort().map((path) => `/${path}`);
  const links = [`/@fs${mantine}`, ...styles].map((href) => `<link rel="stylesheet" href="${href}">`);
  return (
    template
      .replace(/<link rel="stylesheet"[^>]*>/, links.join("\n    "))
      // No stylesheet is loaded later, because all styles are linked above.
      .replace("{{base}}/assets/{{authenticated.css}}", "data:text/css,")
      // There are no files of texts, because the modules contain the texts.
      .replace("{{base}}/assets/texts-{{texts}}-*-{{hash}}.js", "")
      .replace("{{icon}}", "/theme/icon.svg")
      .replace('src="{{before-paint}}"', 'type="module" src="/theme/before-paint.ts"')
      .replace("{{base}}/assets/{{main.js}}", main)
      .replace("{{preloads}}", "")
      .replace(/\{\{\w+\}\}/g, "")
  );
}
