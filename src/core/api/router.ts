import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context, Hono } from "hono";
import type { AccessTokenClaims } from "../access/access-token.ts";
import { buildHandler } from "./handler.ts";
import type { RequestBindings, RouterEnv } from "./request-context.ts";
import type { RouteDefinition } from "./route.ts";
import type { CallOf, InputOf, SuccessOf } from "./route-types.ts";

type Variables<R extends RouteDefinition> = RouterEnv["Variables"] & {
  call: CallOf<R>;
  /** The body of a route that reads bytes. */
  bytes: Uint8Array;
  /** The claims of a valid access token, only on a route with `optionalBearer`. */
  caller: R extends { optionalBearer: true } ? AccessTokenClaims | null : never;
};
export type RouteContext<R extends RouteDefinition> = Context<
  { Bindings: RequestBindings; Variables: Variables<R> },
  string,
  InputOf<R>
>;
type RouteHandler<R extends RouteDefinition> = (c: RouteContext<R>) => SuccessOf<R> | Promise<SuccessOf<R>>;

/**
 * The key of a route's definition in the registry. It is a symbol, so that it does not appear in the OpenAPI
 * document.
 */
const DEFINITION = Symbol("definition");

const OpenApiBase = OpenAPIHono as unknown as new (
  options?: ConstructorParameters<typeof Hono>[0],
) => Hono<RouterEnv> & Pick<OpenAPIHono, "openAPIRegistry" | "getOpenAPI31Document">;

/** A route of a router, with its tag. */
export type MountedRoute = RouteDefinition & { tags: [string] };

/**
 * Extends Hono's router by `openapi` for this service's routes. Each route is added to the OpenAPI document and
 * mounted as one handler, which runs the checks in the order that rules 2.4 define and then calls the route's handler.
 * Routes have no middleware of their own.
 */
export class Router extends OpenApiBase {
  /** @param tag the tag of its routes in the OpenAPI document; a router that only mounts others needs none */
  constructor(
    private readonly tag = "",
    options?: ConstructorParameters<typeof Hono>[0],
  ) {
    super(options);
  }

  /** `openapi` is a property instead of a method, because it is a property in Hono's class. */
  openapi = <const R extends RouteDefinition>(definition: R, handle: RouteHandler<R>): this => {
    const mounted: MountedRoute = { tags: [this.tag], ...definition };
    this.openAPIRegistry.registerPath({ ...mounted, [DEFINITION]: mounted } as never);
    const path = definition.path.replaceAll(/\{(\w+)\}/g, ":$1");
    this.on(definition.method.toUpperCase(), path, buildHandler(definition, handle as never));
    return this;
  };
}

/** Returns the routes of a router and of the routers mounted in it. */
export const definitionsOf = (router: object): MountedRoute[] =>
  (router as OpenAPIHono).openAPIRegistry.definitions.flatMap((entry) =>
    entry.type === "route" ? [(entry.route as unknown as { [DEFINITION]: MountedRoute })[DEFINITION]] : [],
  );

/** Returns those routes of a router that are wanted, in the form from which the OpenAPI document is built. */
export const routesOf = (router: object, wanted: (definition: RouteDefinition) => boolean): object => ({
  openAPIRegistry: {
    definitions: (router as OpenAPIHono).openAPIRegistry.definitions.filter(
      (entry) =>
        entry.type === "route" &&
        wanted((entry.route as unknown as { [DEFINITION]: RouteDefinition })[DEFINITION]),
    ),
  },
});
