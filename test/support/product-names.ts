import type { Feature } from "../../src/core/api/feature.ts";
import { product } from "../../src/product/index.ts";

type Kind = "permissions" | "limits" | "audit" | "targets" | "notifications";

/** Returns the names of one kind that the features of the product declare. The service's documents do not list them. */
export const namesOfProduct = (kind: Kind): ReadonlySet<string> =>
  new Set((product as readonly Feature[]).flatMap((feature) => Object.keys(feature[kind] ?? {})));
