import type { Hono } from "hono";
import type { Endpoints } from "./document.ts";

/*
 * The type of the API for `hono/client`: `hc<Api>(url, { fetch: client.fetch })`. It is derived from the types of
 * the OpenAPI document.
 */

type Key = keyof Endpoints;
type PathOf<E extends string> = E extends `${string} ${infer Path}` ? Path : never;

/** Converts a path to Hono's notation: `/api/units/{id}` becomes `/api/units/:id`. */
type HonoPath<Path extends string> = Path extends `${infer Start}{${infer Name}}${infer Rest}`
  ? `${Start}:${Name}${HonoPath<Rest>}`
  : Path;

/** The type of a query parameter: its own type, or the text that it becomes in the URL. */
type Text<Value> = Value extends number | boolean ? Value | `${Value}` : Value;
type Texts<Query> = { [Name in keyof Query]: Text<Query[Name]> };
type JsonOf<Holder> = Holder extends { content: { "application/json": infer Body } } ? Body : never;

type Query<Value> = [Value] extends [undefined]
  ? object
  : undefined extends Value
    ? { query?: Texts<NonNullable<Value>> }
    : { query: Texts<Value> };
type Input<Operation> = (Operation extends { parameters: { path: infer Path extends object } }
  ? { param: Path }
  : object) &
  (Operation extends { parameters: { query?: infer Value } } ? Query<Value> : object) &
  (Operation extends { requestBody: infer Body }
    ? { json: JsonOf<Body> }
    : Operation extends { requestBody?: infer Body }
      ? [Body] extends [undefined]
        ? object
        : { json?: JsonOf<Body> }
      : object);

/** The type of the responses by status: JSON, or another body. */
type Output<Operation, Responses> = {
  [Status in keyof Responses]: {
    input: Input<Operation>;
    output: [JsonOf<Responses[Status]>] extends [never] ? unknown : JsonOf<Responses[Status]>;
    outputFormat: [JsonOf<Responses[Status]>] extends [never] ? "body" : "json";
    status: Status;
  };
}[keyof Responses];

type RouteOf<E extends Key> = Output<Endpoints[E], Endpoints[E]["responses"]>;

type Routes = {
  [Path in PathOf<Key> as HonoPath<Path>]: {
    [E in Extract<Key, `${string} ${Path}`> as E extends `${infer Method} ${string}`
      ? `$${Lowercase<Method>}`
      : never]: RouteOf<E>;
  };
};

/** The type parameter for Hono's `hc`. It exists only as a type. */
export type Api = Hono<object, Routes, "/">;
