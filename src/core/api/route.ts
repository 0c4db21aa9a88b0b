import { createRoute, type RouteConfig, type z } from "@hono/zod-openapi";
import type { ErrorFactory, ErrorShape } from "../../platform/errors.ts";
import type { Violation } from "../../platform/violations.ts";
import type { Access, Actor, SetupPart } from "../access/access.ts";
import type { Permission } from "../access/catalog.ts";
import type { ConfigurableClass } from "../access/config.ts";
import type { Config } from "../config.ts";
import type { App, Service } from "../context.ts";
import type { RequestBody, SuccessResponse } from "./route-parts.ts";

/**
 * A route as data: the arguments of `createRoute` of `@hono/zod-openapi`, plus access, throttling and errors. The
 * router enforces it, the OpenAPI document shows it, and tests enumerate it. `errors` lists the route's own errors.
 * Errors that follow from the rest of the definition (401, 415, 429 …) come from `errorsOf`.
 */
export interface RouteDefinition
  extends Omit<RouteConfig, "responses" | "request" | "method" | "description"> {
  operationId: string;
  method: "get" | "post" | "patch" | "delete";
  /** The tag in the OpenAPI document, if it is another than that of the router. */
  tags?: [string];
  summary: string;
  /** A function if it lists what features declare. */
  description?: string | (() => string);
  access: Access;
  /**
   * Whether API keys may call the route; needed only if it differs from the default for its access
   * (`allowsApiKeys`).
   */
  apiKeys?: boolean;
  /** Whether connected apps may call the route; needed only if it differs from the default (`allowsApps`). */
  apps?: boolean;
  /** What an app needs on a route that asks people for no permission. */
  appsNeed?: Permission;
  /** The key of the product may call the route too, and reads what a platform administrator reads. */
  productKey?: true;
  /** Setup links may call the route too, those for this part (rules 45). No other route accepts one. */
  setup?: SetupPart;
  /** The error for platform administrators, if the route rejects them. */
  refusesPlatformAdmins?: ErrorFactory;
  /** The route accepts sessions that must still set up a second factor (rules 7.9). */
  worksBeforeTwoFactor?: true;
  /**
   * The route for a signed-in user accepts sessions that were only proven by connections of organizations (rules 38);
   * possibly only bodies without some fields.
   */
  worksConfined?: true | { withoutFields: readonly string[] };
  /** The class of the route, if it requires a recent proof of identity (rules 33.5). */
  reauthentication?: Reauthentication;
  /** Marks a POST that accepts an `Idempotency-Key`; its handler responds by `idempotent` (rules 27). */
  idempotent?: true;
  /** The `Idempotency-Key` must be sent. */
  needsIdempotencyKey?: true;
  /** The route is for every signed-in user, and writes in the active organization if there is one. */
  usesActiveOrganization?: true;
  /** Fields of the response that are returned only once; in the response to a repeated request they are null. */
  shownOnce?: readonly string[];
  /** The maximum size of a response that is stored for an `Idempotency-Key`, if it is more than 64 KB. */
  maxStoredBytes?: number;
  /**
   * The response contains a value with which anybody can act for the caller, such as a sign-in link. It is stored
   * encrypted.
   */
  isSecret?: true;
  /** A public route that works differently for a signed-in caller: `c.var.caller` has the claims of a valid access token. */
  optionalBearer?: true;
  throttle?: Throttling;
  /** Set on routes that exist only with some configurations; with others, the route returns 404. */
  existsIf?: (config: Config) => boolean;
  /** Set on routes that people may call only with some configurations; with others, the route returns 403 `FORBIDDEN`. */
  permittedIf?: (config: Config) => boolean;
  /** The route starts or continues a session. Its transactions use a separate connection pool. */
  connections?: "sign-in";
  /**
   * Returns violations that schemas cannot express, of a body that the schemas reject, so that one response lists
   * all violations. For a body that the schemas accept, the handler returns them.
   */
  furtherViolations?: (
    body: Record<string, unknown>,
    call: Service & { actor: Actor | null },
  ) => Violation[] | Promise<Violation[]>;
  request?: { params?: z.ZodObject; query?: z.ZodObject; body?: RequestBody };
  /** A third party determines the query: any parameter is accepted, and the handler reads it. */
  acceptsAnyQuery?: true;
  /** Rejects a request by its headers alone, before its body is read. */
  beforeBody?: (headers: Headers, app: App) => void;
  /**
   * Marks a route without paging parameters that reads as much as a list or an export, so that only a few of its
   * reads run at once. Of a person's `overview`s one runs at once. An `export` counts for its organization. An
   * `own-export`, of the caller's own data, counts for the account. A route that may `wait` limits its reads itself,
   * because it must not use a permit while it waits.
   */
  reads?: "list" | "overview" | "export" | "own-export" | "wait";
  /**
   * The effect of `X-Filter-Unit` and `X-Filter-Member` on this route. Other routes validate only the format of these
   * headers.
   */
  filterHeaders?: { unit?: string; member?: string };
  responses: Record<number, SuccessResponse>;
  errors?: readonly ErrorFactory[];
  /** The shape of the route's errors, if a standard asks for another than ours; `responses` then lists them. */
  errorShape?: ErrorShape;
  /** Further components of the OpenAPI document, by name: schemas of JSON text that responses contain as a string. */
  schemas?: Record<string, z.ZodType>;
  /** Whether the route reads the refresh cookie if it is present. */
  refreshCookie?: "required" | "optional";
  /** The statuses of errors that clear the refresh cookie. */
  clearsCookieOn?: number[];
}

type ReauthenticationClass = ConfigurableClass | "credentials";

/**
 * The recent proof of identity that a route needs: that of one class, or of one of several classes. Routes of the class
 * `credentials` always need it. Other routes need it if `REAUTHENTICATION_MINUTES` is set and `REAUTHENTICATION_FOR`
 * names one of their classes.
 */
export type Reauthentication = {
  classes: readonly [ReauthenticationClass, ...ReauthenticationClass[]];
  /** If set, the route needs the proof only for bodies with this field, or one of these, or only if the field has this value. */
  ifBodyHas?: { field: string | readonly string[]; value?: boolean };
  /** If set, the route checks a password in the body, which is a proof by itself. */
  takesPassword?: true;
};

/** How often the route may be called per minute on one instance. Above the limit it returns 429, or `response`. */
export type Throttling = {
  /** Limits the calls from each IP address: to `THROTTLE_LIMIT`, or to a multiple of it. */
  perIp?: true | number;
  /** Limits the calls from each IP address that fail, likewise. */
  failuresPerIp?: true | number;
  perUserPerMinute?: number;
  /** The response instead of 429, for routes to which browsers navigate. */
  response?: (app: App) => Response;
};

/** Declares a route: returns the same object and keeps its types. */
export const route = <const R extends RouteDefinition>(definition: R): R =>
  createRoute(definition as unknown as RouteConfig) as unknown as R;

/** Returns the access of a route for connected apps. */
export const accessOfApps = ({ access, appsNeed }: Pick<RouteDefinition, "access" | "appsNeed">): Access =>
  appsNeed === undefined ? access : { permission: appsNeed };

/** Whether the route reads `X-Filter-Unit` and `X-Filter-Member`. A route that creates something does not. */
export const takesFilters = ({ access, responses }: RouteDefinition): boolean =>
  access !== "public" && !(201 in responses);

/**
 * Returns the concurrency limit for reads that applies to a route, or null. Every route with pages counts as a
 * list.
 */
export const readLimitOf = ({
  request,
  reads,
}: RouteDefinition): NonNullable<RouteDefinition["reads"]> | null =>
  reads ?? (request?.query !== undefined && "page" in request.query.shape ? "list" : null);
