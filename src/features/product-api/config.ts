import { z } from "zod";
import { configSection, integer } from "#kit";
import { rejectUnchangedPreviousKey, theProduct, urlConflict, warnOfPreviousKey } from "#kit/inside";
import { isApiKey } from "../../core/access/token-forms.ts";
import { LIMITS } from "./limits.ts";

export type ProductKeyConfig = {
  /** The keys of the product that are accepted, the current one first; none without a product. */
  productKeys: string[];
  /** The maximum number of requests per minute of the product, on one instance. */
  productRateLimit: number;
};

declare module "../../core/config.ts" {
  interface Config extends ProductKeyConfig {}
}

/** What the key of a product begins with. */
export const PRODUCT_PREFIX = "mosp";
const MAX_REQUESTS = 1_000_000;

const key = z
  .string()
  .refine(
    (value) => value.startsWith(`${PRODUCT_PREFIX}_`) && isApiKey(value),
    `must be a key that begins with ${PRODUCT_PREFIX}_ (bun run product-key)`,
  )
  .optional();

/** Returns a warning if the product has the origin of the console, and a path there that is not its own. */
function warnOfUrl(appUrl = ""): string[] {
  const product = theProduct();
  if (product === null || !URL.canParse(appUrl)) return [];
  const conflict = new URL(product.url).origin === new URL(appUrl).origin ? urlConflict(product) : null;
  return conflict === null ? [] : [`PRODUCT_FILE ${conflict}; its pages cannot be reached at APP_URL`];
}

/** The configuration of the product whose code runs elsewhere. */
export const productKeyConfig = configSection({
  variables: {
    PRODUCT_FILE: z.string().optional(),
    PRODUCT_KEY: key,
    PRODUCT_KEY_PREVIOUS: key,
    PRODUCT_RATE_LIMIT: integer(1, MAX_REQUESTS).default(LIMITS.productRequests.points),
  },
  secrets: ["PRODUCT_KEY", "PRODUCT_KEY_PREVIOUS"],
  check: (raw) => [
    ...(theProduct() !== null && !raw.PRODUCT_KEY ? ["PRODUCT_KEY is required with PRODUCT_FILE"] : []),
    ...rejectUnchangedPreviousKey(raw, "PRODUCT_KEY"),
  ],
  warn: (raw) => [...warnOfPreviousKey(raw, "PRODUCT_KEY"), ...warnOfUrl(raw.APP_URL)],
  read: (env): ProductKeyConfig => ({
    productKeys:
      theProduct() === null ? [] : [env.PRODUCT_KEY, env.PRODUCT_KEY_PREVIOUS].flatMap((one) => one ?? []),
    productRateLimit: env.PRODUCT_RATE_LIMIT,
  }),
});
