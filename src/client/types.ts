import type { components, Endpoints } from "./document.ts";

/** The schemas of the OpenAPI document by their names, such as `Schemas["Unit"]`. */
export type Schemas = components["schemas"];

/**
 * A method and a path of the API, such as `"PATCH /api/units/{id}"`. Routes that only redirect and the payment
 * webhook are left out.
 */
export type Endpoint = keyof Endpoints;

type Succeeding = 200 | 201 | 202 | 204;
type Responses<E extends Endpoint> = Endpoints[E]["responses"];

/** The type of a response body: JSON, undefined if there is no body, a Blob for files. */
type BodyOf<Response> = Response extends { content: { "application/json": infer Body } }
  ? Body
  : Response extends { content: Record<string, unknown> }
    ? Blob
    : undefined;

/** The type of the body of a successful response. */
export type Result<E extends Endpoint> = {
  [Status in keyof Responses<E> & Succeeding]: BodyOf<Responses<E>[Status]>;
}[keyof Responses<E> & Succeeding];

/** The type of every error body that an endpoint may return. */
export type ErrorBody<E extends Endpoint> = {
  [Status in Exclude<keyof Responses<E>, Succeeding | 302>]: BodyOf<Responses<E>[Status]>;
}[Exclude<keyof Responses<E>, Succeeding | 302>];

/** Omits the parts that an operation does not have, and makes optional the parts that it does not require. */
type Part<Name extends string, Type> = [Type] extends [undefined]
  ? unknown
  : undefined extends Type
    ? { readonly [Key in Name]?: Exclude<Type, undefined> }
    : object extends Type
      ? { readonly [Key in Name]?: Type }
      : { readonly [Key in Name]: Type };

type Parameters<E extends Endpoint> = Endpoints[E]["parameters"];
type BodyAs<E extends Endpoint, Type extends string> = Endpoints[E] extends {
  requestBody: { content: Record<Type, infer Body> };
}
  ? Body
  : Endpoints[E] extends { requestBody?: { content: Record<Type, infer Body> } }
    ? Body | undefined
    : undefined;

type RequestParameters<E extends Endpoint> = Part<"path", Parameters<E>["path"]> &
  Part<"query", Parameters<E>["query"]> &
  Part<"headers", OtherHeaders<Headers<E>>> &
  (KeyHeader extends keyof Headers<E> ? RepeatOptions : unknown);

type KeyHeader = "Idempotency-Key";
/** The type of the headers of an operation; an empty object if it has none. */
type Headers<E extends Endpoint> =
  Parameters<E> extends { header?: infer Found extends object }
    ? [Found] extends [never]
      ? object
      : Found
    : object;
type OtherHeaders<All> = [Exclude<keyof All, KeyHeader>] extends [never] ? undefined : Omit<All, KeyHeader>;

/** Options of a request that takes effect only once, however often it is sent. */
export type RepeatOptions = {
  /**
   * An idempotency key of your own instead of a random one, for requests that are repeated after the page was
   * closed.
   */
  readonly idempotencyKey?: string;
  /**
   * How often the request is repeated without a response of the API, and after 502, 503, 504 and
   * `IDEMPOTENCY_KEY_IN_USE`; 3 by default, after 0.5, 1 and 2 seconds.
   */
  readonly retries?: number;
};

/** Options of a request: parameters by location, the JSON body, a signal, and a timeout. */
export type RequestOptions<E extends Endpoint> = RequestParameters<E> &
  Part<"body", BodyAs<E, "application/json">> & {
    readonly signal?: AbortSignal;
    /** The timeout of this request in milliseconds; replaces the client's `timeoutMs`. */
    readonly timeoutMs?: number;
  };

/** Endpoints without required options may be called without any. */
export type OptionalArguments<Options> = object extends Options ? [options?: Options] : [options: Options];

/** Endpoints that return a file or a stream instead of JSON. */
export type FileEndpoint = {
  [E in Endpoint]: Result<E> extends Blob ? E : never;
}[Endpoint];

/** Endpoints that return a page of rows. */
export type ListEndpoint = {
  [E in Endpoint]: Result<E> extends { data: unknown[]; total: number; page: number } ? E : never;
}[Endpoint];

/** The type of a row of a list. */
export type Row<E extends ListEndpoint> = Result<E> extends { data: (infer One)[] } ? One : never;

/** Endpoints that accept a form with files. */
export type UploadEndpoint = {
  [E in Endpoint]: Endpoints[E] extends { requestBody: { content: { "multipart/form-data": unknown } } }
    ? E
    : never;
}[Endpoint];

/** The number of sent bytes of a body, and the total. */
export type UploadProgress = { readonly sent: number; readonly total: number };

/** Options of a form: its fields, and a signal. */
export type FormOptions<E extends UploadEndpoint> = RequestParameters<E> &
  Part<"form", BodyAs<E, "multipart/form-data">> & { readonly signal?: AbortSignal };

/** Options of an upload: the options of its form, and a callback for progress. */
export type UploadOptions<E extends UploadEndpoint> = FormOptions<E> & {
  readonly onProgress?: (progress: UploadProgress) => void;
};

/** The name of a permission. */
export type PermissionName = Schemas["PermissionName"];

/** The type of an event in the list of events. */
export type EventType = Exclude<Schemas["Event"]["type"], "webhook.test">;

/** An event of one of these types, discriminated by `type`. */
export type EventOf<Type extends Schemas["Event"]["type"]> = {
  [Each in Type]: Schemas["Event"] & { readonly type: Each };
}[Type];
