import type { Feature } from "../../src/core/api/feature.ts";
import type { RouteDefinition } from "../../src/core/api/route.ts";
import { definitionsOf } from "../../src/core/api/router.ts";
import { product } from "../../src/product/index.ts";

type Kind = "permissions" | "limits" | "planFeatures" | "audit" | "targets" | "notifications";

/** Returns the names of one kind that the features of the product declare. The service's documents do not list them. */
export const namesOfProduct = (kind: Kind): ReadonlySet<string> =>
  new Set((product as readonly Feature[]).flatMap((feature) => Object.keys(feature[kind] ?? {})));

const ofProduct = new Set(
  (product as readonly Feature[]).flatMap(({ routes = [] }) =>
    routes.flatMap(definitionsOf).map(({ operationId }) => operationId),
  ),
);
/** Whether a route is of the service itself. */
export const isOfService = ({ operationId }: Pick<RouteDefinition, "operationId">): boolean =>
  !ofProduct.has(operationId);
