import { urlConflict } from "../core/manifest/warnings.ts";
import { isProduction } from "../platform/environment.ts";
import { readProduct } from "./features.ts";

const USAGE = "Usage: bun run product check <file>";

/** Runs `bun run product` with its arguments. @throws Error with every fault of the manifest, or with the usage text */
export async function runManifestCommand([verb, file, ...more]: string[]): Promise<void> {
  if (verb !== "check" || file === undefined || more.length > 0) throw new Error(USAGE);
  const { product, faults } = readProduct(file, !isProduction(process.env));
  if (product === null) throw new Error(faults.join("\n"));
  const conflict = urlConflict(product);
  if (conflict !== null)
    console.error(`warning: ${conflict}; the pages of the product then need a host of their own`);
  console.log(`${file} is a valid manifest of ${product.name.en}`);
}
