import { urlConflict } from "../core/manifest/warnings.ts";
import { isProduction } from "../platform/environment.ts";
import { readProduct } from "./features.ts";

const USAGE = "Usage: bun run product check <file>";

/** Runs `bun run product` with its arguments: prints every fault of a manifest. Returns the exit code, 1 if there is one. */
export function runManifestCommand([verb, file, ...more]: string[]): number {
  if (verb !== "check" || file === undefined || more.length > 0) {
    console.error(USAGE);
    return 1;
  }
  const { product, faults } = readProduct(file, !isProduction(process.env));
  for (const fault of faults) console.error(fault);
  if (product === null) return 1;
  const conflict = urlConflict(product);
  if (conflict !== null)
    console.error(`warning: ${conflict}; the pages of the product then need a host of their own`);
  console.log(`${file} is a valid manifest of ${product.name.en}`);
  return 0;
}
