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
    ? { out: { [K in Target]: z.output<Schema> } }
    : object;
type Body<R extends RouteDefinition> = R["request"] extends {
  body: { kind: "json"; schema: infer Schema extends z.ZodType };
}
  ? Checked<"json", Schema>
  : R["request"] extends { body: { kind: "form"; schema: infer Schema extends z.ZodType } }
    ? { out: { form: z.output<Schema> & { images: Upload[] } } }
    : object;

/** The types of the input parts, for `c.req.valid`. */
export type InputOf<R extends RouteDefinition> = Checked<"param", Part<R, "params">> &
  Checked<"query", Part<R, "query">> &
  Body<R>;

type StatusesOf<R extends RouteDefinition> = keyof R["responses"] & StatusCode;
/** The responses that a handler may return: typed JSON, or a `Response`. */
export type SuccessOf<R extends RouteDefinition> = {
  [Status in StatusesOf<R>]: R["responses"][Status] extends {
    content: { "application/json": { schema: infer Schema extends z.ZodType } };
  }
    ? TypedResponse<z.input<Schema>, Status, "json">
    : Response;
}[StatusesOf<R>];
