import type { z } from "@hono/zod-openapi";
import type { TypedResponse } from "hono";
import type { StatusCode } from "hono/utils/http-status";
import type {
  AppCall,
  AuthenticatedCall,
  Call,
  CrossOrganizationCall,
  MachineCall,
  OrganizationCall,
  ProductCall,
  SignedInCall,
} from "../context.ts";
import type { Upload } from "../forms/form.ts";
import type { KeyedCall } from "../idempotency/responses.ts";
import type { RouteDefinition } from "./route.ts";

/* Types that are derived from a route definition: the call, the input and the responses of its handler. */

/** Converts a path to Hono's notation: `/todos/{id}` becomes `/todos/:id`. */
export type HonoPath<Path extends string> = Path extends `${infer Start}/{${infer Name}}${infer Rest}`
  ? `${Start}/:${Name}${HonoPath<Rest>}`
  : Path;

/**
 * The type of the call in a handler. It depends on the route's access, and on whether API keys may call the route:
 * only a route that rejects them has a caller with a user's id.
 */
export type CallOf<R extends RouteDefinition> = CallerOf<R> &
  (R extends { idempotent: true } ? KeyedCall : unknown);
type CallerOf<R extends RouteDefinition> = R["access"] extends "public"
  ? Call
  : R["access"] extends "setup-link"
    ? OrganizationCall
    : R["access"] extends "api-key" | "app" | "product"
      ? R["access"] extends "product"
        ? ProductCall
        : R["access"] extends "app"
          ? AppCall
          : MachineCall
      : R["access"] extends "signed-in" | "platform-admin"
        ? R extends { apiKeys: true } | { productKey: true }
          ? AuthenticatedCall
          : SignedInCall
        : R extends { apiKeys: false }
          ? R extends { setup: string }
            ? CallInOrganization<R>
            : CallInOrganization<R> & SignedInCall
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

/** The types of the input parts, for `c.req.valid` and for calls by `hono/client`. */
export type InputOf<R extends RouteDefinition> = Checked<"param", Part<R, "params">> &
  Checked<"query", Part<R, "query">> &
  Body<R>;

/** The statuses of the responses that a route declares. */
export type StatusesOf<R extends RouteDefinition> = keyof R["responses"] & StatusCode;
/** The type of the JSON response with a status; `Other` for a response without JSON. */
export type Responded<
  R extends RouteDefinition,
  Status extends StatusesOf<R>,
  Other,
> = R["responses"][Status] extends {
  content: { "application/json": { schema: infer Schema extends z.ZodType } };
}
  ? TypedResponse<z.input<Schema>, Status, "json">
  : Other;

/** The responses that a handler may return: typed JSON, or a `Response`. */
export type SuccessOf<R extends RouteDefinition> = {
  [Status in StatusesOf<R>]: Responded<R, Status, Response>;
}[StatusesOf<R>];
