import { createRoute, type RouteConfig, z } from "@hono/zod-openapi";
import type { TypedResponse } from "hono";
import type { StatusCode } from "hono/utils/http-status";
import type { ErrorFactory } from "../../platform/errors.ts";
import type { Violation } from "../../platform/violations.ts";
import type { Access, Actor } from "../access/access.ts";
import type {
  App,
  AuthenticatedCall,
  Call,
  CrossOrganizationCall,
  MachineCall,
  OrganizationCall,
  Service,
  SignedInCall,
} from "../context.ts";
import type { Upload } from "../forms/form.ts";
import type { KeyedCall } from "../idempotency/answers.ts";

/**
 * A route as data: the arguments of `createRoute` of `@hono/zod-openapi`, plus access, throttling and errors. The
 * router enforces it, the OpenAPI document shows it, and tests enumerate it. `errors` lists the route's own errors;
 * those that follow from the rest of the definition (401, 415, 429 …) come from `sharedErrors`.
 */
export interface RouteDefinition extends Omit<RouteConfig, "responses" | "request" | "method"> {
  operationId: string;
  method: "get" | "post" | "patch" | "delete";
  tags: [string];
  summary: string;
  access: Access;
  /** Whether API keys may call the route, if it differs from the default of its access (`allowsApiKeys`). */
  apiKeys?: boolean;
  /** The error for platform administrators, if the route rejects them. */
  refusesPlatformAdmins?: ErrorFactory;
  /** Set on routes for sessions that must still set up a second factor (rules 7.9). */
  worksBeforeTwoFactor?: true;
  /** Set on routes that need a recent sign-in, if that is configured (rules 9.9). */
  needsRecentSignIn?: true;
  /** Set on POST routes that take an `Idempotency-Key`: their handler responds by `idempotent` (rules 27). */
  idempotent?: true;
  /** Set on routes for every signed-in user that write in the active organization, if there is one. */
  usesActiveOrganization?: true;
  /** Fields of the response that are shown only once: in a replay they are null. */
  shownOnce?: readonly string[];
  throttle?: Throttling;
  /** Set on routes that begin or continue a session: their transactions use a separate connection pool. */
  connections?: "sign-in";
  /**
   * Finds violations that the schemas cannot find, in a body that the schemas reject, so that one response lists all
   * violations. In a body that the schemas accept, the handler finds them.
   */
  furtherViolations?: (
    body: Record<string, unknown>,
    call: Service & { actor: Actor | null },
  ) => Violation[] | Promise<Violation[]>;
  request?: { params?: z.ZodObject; query?: z.ZodObject; body?: RequestBody };
  /** Set if a third party determines the query: any parameter is accepted, and the handler reads it. */
  acceptsAnyQuery?: true;
  /** Rejects a request by its headers alone, before its body is read. */
  beforeBody?: (headers: Headers, app: App) => void;
  /**
   * Set on routes that read as much as a list or an export, but have no page in their query. Limits how many run at
   * once: per organization for its exports, per account for an export of the caller's own data.
   */
  reads?: "list" | "export" | "own-export";
  /**
   * The effect of `X-Filter-Unit` and `X-Filter-Member` on this route. Other routes validate only the format of these
   * headers.
   */
  filterHeaders?: { unit?: string; member?: string };
  responses: Record<number, SuccessResponse>;
  errors?: readonly ErrorFactory[];
  /** Further components of the document, by name: schemas of JSON text that responses contain as a string. */
  schemas?: Record<string, z.ZodType>;
  /** Whether the route reads the refresh cookie without requiring it. */
  refreshCookie?: "required" | "optional";
  /** The statuses of errors that clear the refresh cookie. */
  clearsCookieOn?: number[];
}

/** How often a route may be called per minute on one instance; beyond that it returns 429, or `response`. */
export type Throttling = {
  /** Limits each client address to `THROTTLE_LIMIT` calls. */
  perIp?: true;
  perUserPerMinute?: number;
  /** Replaces the 429, for routes that browsers navigate to. */
  response?: (app: App) => Response;
};

export type RequestBody = { required: boolean; content: Record<string, { schema: z.ZodType }> } & (
  | { kind: "json"; schema: z.ZodObject }
  /** The name of a field that must not be empty if the form has no images. */
  | { kind: "form"; schema: z.ZodObject; or: string }
  | { kind: "raw"; maxBytes: number }
);

/** A successful response in the document. */
export type SuccessResponse = {
  description: string;
  content?: Record<string, { schema: unknown }>;
  headers?: Record<string, unknown>;
};

/** Declares a route: returns the same object and keeps its types. */
export const route = <const R extends RouteDefinition>(definition: R): R =>
  createRoute(definition as unknown as RouteConfig) as unknown as R;

/** Declares a JSON body, with an example for the document. A test also sends the example. */
export const jsonBody = <Schema extends z.ZodObject>(schema: Schema, example?: Record<string, unknown>) => ({
  kind: "json" as const,
  schema,
  required: !schema.safeParse({}).success,
  content: { "application/json": { schema, ...(example && { example }) } },
});

/**
 * Declares a form with the fields of the schema and up to five images, or the same fields as JSON. Without images,
 * the field named `or` must not be empty.
 */
export function form<Shape extends z.core.$ZodLooseShape>(
  schema: z.ZodObject<Shape>,
  example: Record<string, unknown>,
  { or }: { or: string },
) {
  // One strict schema for form and JSON: an intersection of two strict schemas would reject everything, because each
  // rejects the other's fields.
  const withImages = z.strictObject({ ...schema.shape, images: images.optional() });
  return {
    kind: "form" as const,
    schema,
    or,
    required: true,
    content: {
      "application/json": { schema, example },
      "multipart/form-data": { schema: withImages, example },
    },
  };
}
const images = z
  .array(z.custom<File>().openapi({ type: "string", format: "binary" }))
  .max(5)
  .describe("PNG, JPEG, WebP or GIF files of up to 5 MB.");

/** Declares a body that is read as bytes, up to a maximum size, of any content type. */
export const rawBody = (maxBytes: number, example = '{"id":"evt_1"}') => ({
  kind: "raw" as const,
  maxBytes,
  required: true,
  content: {
    "*/*": { schema: z.custom<Uint8Array>().openapi({ type: "string", format: "binary" }), example },
  },
});

type ResponseExtra = {
  /** Replaces the body that the schema describes. */
  example?: unknown;
  /** Whether the response sets the refresh cookie, or a description of the cookies that it sets. */
  setsCookie?: boolean | string;
  /** The target of a redirect. */
  location?: string;
};

/** Declares a JSON response. */
export const json = <Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  extra: ResponseExtra = {},
) => ({
  description,
  headers: headersOf(extra),
  content: { "application/json": { schema, ...(extra.example !== undefined && { example: extra.example }) } },
});

/** Declares a response without a body. */
export const empty = (description: string, extra: ResponseExtra = {}) => ({
  description,
  headers: headersOf(extra),
});

/** Declares a response other than JSON, by content type: a stream, a file. */
export const raw = (contents: Record<string, { example: string }>, description: string) => ({
  description,
  headers: headersOf({}),
  content: Object.fromEntries(
    Object.entries(contents).map(([type, content]) => [type, { schema: { type: "string" }, ...content }]),
  ),
});

const text = (description: string) => ({ schema: { type: "string" }, description });
const headersOf = ({ setsCookie, location }: ResponseExtra) => ({
  ...(setsCookie && { "Set-Cookie": text(setsCookie === true ? "The refresh_token cookie." : setsCookie) }),
  ...(location && { Location: text(location) }),
});

/** Converts a path to Hono's notation: `/todos/{id}` becomes `/todos/:id`. */
export type HonoPath<Path extends string> = Path extends `${infer Start}/{${infer Name}}${infer Rest}`
  ? `${Start}/:${Name}${HonoPath<Rest>}`
  : Path;

/**
 * The type of the call in a handler. The caller follows from the route's access, and from whether API keys may call it: only a
 * route that refuses them has a caller with a user's id.
 */
export type CallOf<R extends RouteDefinition> = CallerOf<R> &
  (R extends { idempotent: true } ? KeyedCall : unknown);
type CallerOf<R extends RouteDefinition> = R["access"] extends "public"
  ? Call
  : R["access"] extends "api-key"
    ? MachineCall
    : R["access"] extends "signed-in" | "platform-admin"
      ? R extends { apiKeys: true }
        ? AuthenticatedCall
        : SignedInCall
      : R extends { apiKeys: false }
        ? CallInOrganization<R> & SignedInCall
        : CallInOrganization<R>;
type CallInOrganization<R extends RouteDefinition> = R["access"] extends { crossOrganization: true }
  ? CrossOrganizationCall
  : OrganizationCall;

type Part<R extends RouteDefinition, Name extends string> =
  R["request"] extends Record<Name, infer Schema> ? Schema : never;
type Checked<Target extends string, Schema> = [Schema] extends [never]
  ? object
  : Schema extends z.ZodType
    ? { in: { [K in Target]: z.input<Schema> }; out: { [K in Target]: z.output<Schema> } }
    : object;
type Body<R extends RouteDefinition> = R["request"] extends {
  body: { kind: "json"; schema: infer Schema extends z.ZodType };
}
  ? Checked<"json", Schema>
  : R["request"] extends { body: { kind: "form"; schema: infer Schema extends z.ZodType } }
    ? {
        in: { form: z.input<Schema> & { images?: File[] } };
        out: { form: z.output<Schema> & { images: Upload[] } };
      }
    : object;

/** The types of the input by part, for `c.req.valid` and for calls by `hono/client`. */
export type InputOf<R extends RouteDefinition> = Checked<"param", Part<R, "params">> &
  Checked<"query", Part<R, "query">> &
  Body<R>;

/** The statuses of the responses that a route declares. */
export type StatusesOf<R extends RouteDefinition> = keyof R["responses"] & StatusCode;
/** The JSON response of a status; `Other` for a response without JSON. */
export type Responded<
  R extends RouteDefinition,
  Status extends StatusesOf<R>,
  Other,
> = R["responses"][Status] extends {
  content: { "application/json": { schema: infer Schema extends z.ZodType } };
}
  ? TypedResponse<z.input<Schema>, Status, "json">
  : Other;

/** The responses that a handler may return: typed JSON, or any `Response`. */
export type SuccessOf<R extends RouteDefinition> = {
  [Status in StatusesOf<R>]: Responded<R, Status, Response>;
}[StatusesOf<R>];

/** Whether `X-Filter-Unit` and `X-Filter-Member` are read: not on routes that create something. */
export const takesFilters = ({ access, responses }: RouteDefinition): boolean =>
  access !== "public" && !(201 in responses);

/** The concurrency limit for reads that applies to a route, or null. Every route with pages counts as a list. */
export const readLimitOf = ({
  request,
  reads,
}: RouteDefinition): NonNullable<RouteDefinition["reads"]> | null =>
  reads ?? (request?.query !== undefined && "page" in request.query.shape ? "list" : null);
