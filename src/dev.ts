import { join } from "node:path";
import { freePort } from "./dev/free-port.ts";
import { developmentOptions } from "./dev/options.ts";
import { prepareProduct } from "./dev/product.ts";

/** `bun run dev`: starts the service with everything that it needs, on this machine alone. */
async function start(): Promise<void> {
  const options = developmentOptions(process.argv.slice(2));
  const data = options.data ?? join(import.meta.dir, "../.data");
  const port = await freePort(options.port ?? Number(process.env.PORT || 3000));
  const { product: file, productAt: at } = options;
  const url = `http://localhost:${port}`;
  const product = file === null ? null : await prepareProduct({ file, at, url, data });
  // Loaded now, because the manifest of the product is read when the modules of the service are loaded.
  const { startDevelopment } = await import("./dev/start.ts");
  await startDevelopment({
    data,
    port,
    url,
    product,
    hasConsole: options.console,
    isPortGiven: options.port !== null,
  });
}

await start().catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
