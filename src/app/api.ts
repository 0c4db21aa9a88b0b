import type { Hono } from "hono";
import { healthRoutes } from "../core/api/health.ts";
import type { RouterEnv } from "../core/api/request-context.ts";
import { Router } from "../core/api/router.ts";
import { all, type features } from "./features.ts";

const mount = (routers: readonly Router[]) =>
  routers.reduce((router, routes) => router.route("/", routes) as never, new Router());

type RoutersOf<F> = F extends { routes: readonly (infer R)[] } ? R : never;
type SchemaOf<R> = R extends Router<infer S> ? S : never;
type Intersection<U> = (U extends unknown ? (of: U) => void : never) extends (of: infer I) => void
  ? I
  : never;

/** The type for `hc<Api>()` of `hono/client`, which makes every call typed. */
export type Api = Hono<RouterEnv, Intersection<SchemaOf<RoutersOf<(typeof features)[number]>>> & object, "/">;

/** Every route of the service. The OpenAPI document has the same order. */
export const api = mount([...all.flatMap(({ routes = [] }) => routes), healthRoutes]);

/** Returns the routes of the service, in development also those that only development has. */
export const developmentApi = mount([api, ...all.flatMap(({ developmentRoutes = [] }) => developmentRoutes)]);
