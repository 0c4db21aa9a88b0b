import type { Feature } from "../core/api/feature.ts";
import type { LimitRow } from "../core/definitions/limits.ts";
import { LIMITS } from "../core/definitions/limits.ts";
import { product } from "../product/index.ts";
import { features } from "./features.ts";

const ofProduct = new Set<Feature>(product);
const own = features.filter((feature) => !ofProduct.has(feature));

/**
 * The table of limits: those of the whole service, and those that its features declare. docs/limits.md shows it; a test
 * compares it with docs/rules, docs/operate/configuration.md and .env.example.
 */
export const limits: readonly LimitRow[] = [
  LIMITS,
  ...own.map(({ abuseLimits = {} }: Feature) => abuseLimits),
].flatMap((part) => Object.values(part));
