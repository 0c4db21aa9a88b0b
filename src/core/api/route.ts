import { createRoute, type RouteConfig, z } from "@hono/zod-openapi";
import type { TypedResponse } from "hono";
import type { StatusCode } from "hono/utils/http-status";
import type { ErrorFactory } from "../../platform/errors.ts";
import type { Access } from "../access/access.ts";
import type { App, Call, OrganizationCall, SignedInCall, SpanningCall } from "../context.ts";
import type { Upload } from "../forms/form.ts";

/**
 * A route as data: what `createRoute` of `@hono/zod-openapi` takes, and who may call it, how often, and by what it refuses.
 * The router enforces it, the OpenAPI document prints it, and tests walk it. `errors` are those of its own; those that
 * follow from the rest (401, 415, 429 …) come from `sharedErrors`.
 */
export interface RouteDefinition extends Omit<RouteConfig, "responses" | "request" | "method"> {
  operationId: string;
  method: "get" | "post" | "patch" | "delete";
  tags: [string];
  summary: string;
  access: Access;
  /** Set where platform administrators are refused, and how. */
  refusesPlatformAdmins?: ErrorFactory;
  /** Set on routes for sessions that must still set up a second factor (rules 7.9). */
  worksBeforeTwoFactor?: true;
  throttle?: Throttling;
  request?: { params?: z.ZodObject; query?: z.ZodObject; body?: RequestBody };
  /** Set where others decide what the query holds: nothing in it is refused, and the handler reads it. */
  acceptsAnyQuery?: true;
  /** Refuses by the headers alone, before any of the body is read. */
  beforeBody?: (headers: Headers, app: App) => void;
  /**
   * Set on routes that read as much as a list or an export, but have no page in their query. It limits how many run at
   * once: exports of an organization, or, for an export of one's own data, of an account.
   */
  reads?: "list" | "export" | "own-export";
  /** What `X-Filter-Unit` and `X-Filter-Member` keep here; elsewhere only their form is checked. */
  filterHeaders?: { unit?: string; member?: string };
  responses: Record<number, SuccessResponse>;
  errors?: readonly ErrorFactory[];
  /** Further components of the document, by name: they describe the content of strings in the responses. */
  schemas?: Record<string, z.ZodType>;
  /** Whether it reads the refresh cookie, and can do without. */
  refreshCookie?: "required" | "optional";
  /** The statuses of errors that clear the refresh cookie. */
  clearsCookieOn?: number[];
}

/** How often a route may be called in a minute, on one instance; beyond it answers 429, or `response`. */
export type Throttling = {
  /** `THROTTLE_LIMIT` calls of each client address. */
  perIp?: true;
  perUserPerMinute?: number;
  /** What is answered instead, where browsers come by that have no use for JSON. */
  response?: (app: App) => Response;
};

export type RequestBody = { required: boolean; content: Record<string, { schema: z.ZodType }> } & (
  | { kind: "json"; schema: z.ZodObject }
  /** Where there are no images, the field `or` has to say something. */
  | { kind: "form"; schema: z.ZodObject; or: string }
  | { kind: "raw"; maxBytes: number }
);

/** A response that is no error, as the document shows it. */
export type SuccessResponse = {
  description: string;
  content?: Record<string, { schema: unknown }>;
  headers?: Record<string, unknown>;
};

/** Declares a route: the same object, with its types kept. */
export const route = <const R extends RouteDefinition>(definition: R): R =>
  createRoute(definition as unknown as RouteConfig) as unknown as R;

/** A JSON body, with an example that the document shows and a test sends. */
export const jsonBody = <Schema extends z.ZodObject>(schema: Schema, example?: Record<string, unknown>) => ({
  kind: "json" as const,
  schema,
  required: !schema.safeParse({}).success,
  content: { "application/json": { schema, ...(example && { example }) } },
});

/**
 * A form with up to five images beside the fields of the schema, or those fields as JSON. Where there are no images, the field
 * `or` has to say something.
 */
export function form<Shape extends z.core.$ZodLooseShape>(
  schema: z.ZodObject<Shape>,
  example: Record<string, unknown>,
  { or }: { or: string },
) {
  // One schema of both, as two that each refuse the other's fields take nothing.
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
const images = z.array(z.custom<File>().openapi({ type: "string", format: "binary" })).max(5);

/** A body that is taken as bytes, up to so many, whatever its type. */
export const rawBody = (maxBytes: number, example = '{"id":"evt_1"}') => ({
  kind: "raw" as const,
  maxBytes,
  required: true,
  content: {
    "*/*": { schema: z.custom<Uint8Array>().openapi({ type: "string", format: "binary" }), example },
  },
});

type ResponseExtra = {
  /** A body, where the one that its schema makes would not do. */
  example?: unknown;
  /** Whether it sets the refresh cookie, or what is to be said of the cookies that it sets. */
  setsCookie?: boolean | string;
  /** Where a redirect leads. */
  location?: string;
};

/** A JSON response. */
export const json = <Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  extra: ResponseExtra = {},
) => ({
  description,
  headers: headersOf(extra),
  content: { "application/json": { schema, ...(extra.example !== undefined && { example: extra.example }) } },
});

/** A response without a body. */
export const empty = (description: string, extra: ResponseExtra = {}) => ({
  description,
  headers: headersOf(extra),
});

/** A response that is no JSON, by its content types: a stream, a file. */
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

/** `/todos/{id}` as Hono writes it: `/todos/:id`. */
export type HonoPath<Path extends string> = Path extends `${infer Start}/{${infer Name}}${infer Rest}`
  ? `${Start}/:${Name}${HonoPath<Rest>}`
  : Path;

/** What a handler gets of the caller: as much as the route's access makes sure of. */
export type CallOf<R extends RouteDefinition> = R["access"] extends "public"
  ? Call
  : R["access"] extends "signed-in" | "platform-admin"
    ? SignedInCall
    : R["access"] extends { spans: true }
      ? SpanningCall
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

/** What goes in, by part: for `c.req.valid`, and for the calls of `hono/client`. */
export type InputOf<R extends RouteDefinition> = Checked<"param", Part<R, "params">> &
  Checked<"query", Part<R, "query">> &
  Body<R>;

/** The statuses of the responses that a route declares. */
export type StatusesOf<R extends RouteDefinition> = keyof R["responses"] & StatusCode;
/** A JSON response of a status; any other is `Other`. */
export type Responded<
  R extends RouteDefinition,
  Status extends StatusesOf<R>,
  Other,
> = R["responses"][Status] extends {
  content: { "application/json": { schema: infer Schema extends z.ZodType } };
}
  ? TypedResponse<z.input<Schema>, Status, "json">
  : Other;

/** The responses that a handler makes: JSON is typed, anything else is any `Response`. */
export type SuccessOf<R extends RouteDefinition> = {
  [Status in StatusesOf<R>]: Responded<R, Status, Response>;
}[StatusesOf<R>];

/** Whether `X-Filter-Unit` and `X-Filter-Member` are looked at: not where something is created. */
export const takesFilters = ({ access, responses }: RouteDefinition): boolean =>
  access !== "public" && !(201 in responses);

/** What it reads of tables, for which there are only so many places at once: whatever has pages is a list. */
export const readingOf = ({
  request,
  reads,
}: RouteDefinition): NonNullable<RouteDefinition["reads"]> | null =>
  reads ?? (request?.query !== undefined && "page" in request.query.shape ? "list" : null);
