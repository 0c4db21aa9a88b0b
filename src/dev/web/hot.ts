import { join } from "node:path";
import { createServer, type Plugin, type ProxyOptions } from "vite";
import { type DevelopmentProduct, reportUnreachable } from "../product.ts";
import type { ReloadingService } from "../reloading-service.ts";
import { ROOT, viteConfig } from "./config.ts";

/** The paths that never belong to the console. */
const SERVICE_PATHS = ["/api", "/.well-known", "/mcp", "/docs", "/llms.txt"];

type Options = {
  port: number;
  /** The URL of the service. */
  serviceUrl: string;
  service: Pick<ReloadingService, "ready">;
  /** The folder for generated files. */
  folder: string;
  /** The accounts that the sign-in page offers, as JSON. */
  demoAccounts: string;
  /** The origin of the bot check; empty without one. */
  botCheck: string;
  product: DevelopmentProduct | null;
};

/**
 * Serves the console from its sources with Vite, unminified and with source maps. Changed modules are replaced in
 * the open page. Requests for paths of the service are passed on to it; during a reload they wait for it.
 * `/gallery` shows all components.
 */
export async function serveHotConsole(options: Options) {
  const { port, serviceUrl, service, folder, demoAccounts, botCheck, product } = options;
  const config = viteConfig(demoAccounts, botCheck);
  const vite = await createServer({
    ...config,
    cacheDir: join(folder, "vite"),
    plugins: [...(config.plugins ?? []), waitForService(service)],
    server: {
      host: "localhost",
      port,
      strictPort: true,
      fs: { allow: [ROOT] },
      // Preflight requests are the service's, as in production: Vite would respond to those of all routes.
      cors: false,
      proxy: {
        ...Object.fromEntries(SERVICE_PATHS.map((path) => [path, { target: serviceUrl, ws: false }])),
        ...pagesOf(product),
      },
    },
  });
  await vite.listen();
  return { stop: () => vite.close() };
}

/** Passes on what is below the path of the product, also the web sockets of its own development server. */
function pagesOf(product: DevelopmentProduct | null): Record<string, ProxyOptions> {
  if (!product?.at) return {};
  const target = product.at;
  const configure: ProxyOptions["configure"] = (proxy) =>
    proxy.on("error", (_error, _request, response) => {
      const message = reportUnreachable(target);
      // Without headers it is a web socket, which Vite closes.
      if (!("writeHead" in response) || response.headersSent) return;
      response.writeHead(502, { "content-type": "text/plain; charset=utf-8" }).end(message);
    });
  return { [`^${RegExp.escape(product.path)}(?:[/?]|$)`]: { target, ws: true, configure } };
}

/** Delays requests for the API while the service starts. */
const waitForService = (service: Options["service"]): Plugin => ({
  name: "wait-for-service",
  configureServer(server) {
    for (const path of SERVICE_PATHS)
      server.middlewares.use(path, async (_, response, next) => {
        if (await service.ready()) return next();
        const message = "The service is not running: see the terminal";
        response.writeHead(503, { "content-type": "application/json", "retry-after": "1" });
        response.end(JSON.stringify({ statusCode: 503, code: "SERVICE_UNAVAILABLE", message }));
      });
  },
});
