import { healthRoutes } from "../core/api/health.ts";
import { Router } from "../core/api/router.ts";
import { all } from "./features.ts";

const mount = (routers: readonly Router[]) =>
  routers.reduce<Router>((router, routes) => router.route("/", routes) as Router, new Router());

/** Every route of the service. The OpenAPI document has the same order. */
export const api = mount([...all.flatMap(({ routes = [] }) => routes), healthRoutes]);

/** Returns the routes of the service, in development also those that only development has. */
export const developmentApi = mount([api, ...all.flatMap(({ developmentRoutes = [] }) => developmentRoutes)]);
