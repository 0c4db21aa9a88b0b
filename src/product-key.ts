import { newApiKey } from "./core/access/api-key-form.ts";
import { PRODUCT_PREFIX } from "./core/access/product-key-config.ts";

/** `bun run product-key`: prints a new value for `PRODUCT_KEY`. */
console.log(newApiKey(PRODUCT_PREFIX));
