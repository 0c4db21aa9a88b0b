import { newApiKey } from "./core/access/token-forms.ts";
import { PRODUCT_PREFIX } from "./features/product-api/config.ts";

/** `bun run product-key`: prints a new value for `PRODUCT_KEY`. */
console.log(newApiKey(PRODUCT_PREFIX));
