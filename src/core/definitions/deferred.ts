import { z } from "@hono/zod-openapi";

/**
 * Returns a schema that is made when it is first used, because it lists names that features declare, and modules of
 * schemas are loaded before all features are.
 */
export const deferred = <Schema extends z.ZodType>(make: () => Schema): Schema =>
  z.lazy(make) as unknown as Schema;
