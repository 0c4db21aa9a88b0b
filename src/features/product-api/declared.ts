import { z } from "@hono/zod-openapi";
import type { Feature, LimitEntry } from "#kit";
import type { Product } from "#kit/inside";
import * as queries from "#sql/product-api";
import { productRoutes } from "./routes.ts";

const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const metadata = z.record(z.string(), value) as unknown as z.ZodObject;
const data = z.record(z.string(), z.string()) as unknown as z.ZodObject;
const object = z.record(z.string(), z.unknown());

const map = <In, Out>(part: Readonly<Record<string, In>>, of: (entry: In, name: string) => Out) =>
  Object.fromEntries(Object.entries(part).map(([name, entry]) => [name, of(entry, name)]));

/** Returns what a manifest declares, in the form of a feature of this repository: from here on both are the same. */
export const featureOf = (product: Product): Feature => ({
  tags: { product: "What the product whose code runs elsewhere asks, reports and follows. Needs its key." },
  permissions: map(product.permissions, ({ scope, text, member }) =>
    member ? ([scope, text.en, "member"] as const) : ([scope, text.en] as const),
  ),
  limits: map(product.limits, limitOf),
  planFeatures: map(product.features, () => true as const),
  audit: map(product.audit, ({ target }) => ({ target, metadata }) as never),
  targets: map(
    Object.fromEntries(Object.values(product.audit).map(({ target }) => [target, target])),
    () => "organization" as const,
  ),
  events: map(product.events, ({ permission, text }) => ({
    permission: permission as never,
    text: text.en,
    object,
  })),
  notifications: map(product.notifications, () => data),
  routes: [productRoutes],
});

const limitOf = ({ text, per }: Product["limits"][string], limit: string): LimitEntry => ({
  text,
  ...(per && { per }),
  count: (db, organizationId) =>
    queries.countUsage
      .run({ organizationId, limit, isPerMonth: per === "month" }, db)
      .then(([row]) => Number(row?.used ?? 0)),
  changes: (db, period) =>
    queries.listUsageChanges.run({ ...period, limit, isPerMonth: per === "month" }, db),
});
