import { timers } from "./environment.ts";
import { createProductIn, type Product, type ProductOptions } from "./product.ts";
import type { Manifest } from "./product-names.ts";

/**
 * Creates the client of a product: a program beside the service, in which its users work with the service's tokens.
 * @throws TypeError if `baseUrl` is no URL; all other failures are reported by the methods
 */
export const createProduct = <const M extends Manifest = Manifest>(options: ProductOptions<M>): Product<M> =>
  createProductIn({ ...timers, wall: Date.now }, options);

export { ApiError, ConnectionError, type FieldError } from "./errors.ts";
export type { Product, ProductEndpoint, ProductOptions } from "./product.ts";
export type { Caller, CheckedCaller, Refused } from "./product-caller.ts";
export type { Changes, ChangesOptions, Reach, Usage, Written } from "./product-changes.ts";
export type { CheckOptions, CheckSubject } from "./product-checks.ts";
export type { FeedEntry, FeedOptions } from "./product-feed.ts";
export type { KeySet } from "./product-keys.ts";
export type { Manifest } from "./product-names.ts";
export type { Result, Row, Schemas } from "./types.ts";
