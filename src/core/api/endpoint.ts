import type { z } from "zod";
import type { Refusal } from "../../platform/errors.ts";
import type { Upload } from "../../platform/http/form.ts";
import type { App, Call, OrganizationCall, SignedInCall, SpanningCall } from "../context.ts";
import type { Access } from "./guard.ts";
import type { Input, InputSchemas } from "./input.ts";

/** An answer that a route declares: what it means, and the schema of its JSON body if it has one. */
export type Answer = {
  description: string;
  schema?: z.ZodType;
  /** A body, where the one that its schema makes would not do. */
  example?: unknown;
  /** Whether it sets the refresh cookie, or what is to be said of the cookies that it sets. */
  setsCookie?: boolean | string;
  /** Where it leads, of a redirect. */
  location?: string;
  /** What it is where it is no JSON, as OpenAPI writes it. */
  content?: Record<string, { example: string }>;
};
export type Answers = Record<number, Answer>;

/**
 * What an endpoint is, as data: the router enforces it, the OpenAPI document prints it, and a test walks it.
 * `refusals` are those of its own; those that follow from the rest (401, 415, 429 …) are added by the document.
 */
export interface EndpointDefinition extends InputSchemas {
  operationId: string;
  method: "get" | "post" | "patch" | "delete";
  /** With parameters in braces, as OpenAPI writes them. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  access: Access;
  /** Set where platform administrators are refused, and how. */
  refusesPlatformAdmins?: Refusal;
  /** Set where it reads as much as a list or an export does without a page in its query: so much of that at once. */
  reads?: "list" | "export";
  /** Calls that a user may make in a minute, on one instance. */
  perUserAMinute?: number;
  /** Left out in production: no route, not in the document. */
  developmentOnly?: boolean;
  /** One bucket of `THROTTLE_LIMIT` calls a minute for each client address. */
  throttled?: boolean;
  /** Answers a call beyond that limit, where browsers come by that have no use for JSON. */
  whenThrottled?: (app: App) => Response;
  /** Whether it reads the refresh cookie, and can do without. */
  refreshCookie?: "required" | "optional";
  /** Set where others decide what the query holds: nothing in it is refused, and `handle` reads it. */
  takesAnyQuery?: boolean;
  /** Refuses by the headers alone, before any of the body is read. */
  beforeBody?: (headers: Headers, app: App) => void;
  /** Set where the body is taken as bytes, up to so many, whatever its type: `handle` gets them. */
  rawBodyBytes?: number;
  /**
   * Set where the body may be a form with images beside the fields of `body`: `handle` gets them. Where there are none,
   * the field `or` has to say something.
   */
  images?: { or: string };
  /** What `X-Filter-Unit` and `X-Filter-Member` keep here; elsewhere only their form is checked. */
  filterHeaders?: { unit?: string; member?: string };
  /** A body that the document shows, and that a test sends. */
  example?: Record<string, unknown>;
  answers: Answers;
  refusals?: Refusal<never[]>[];
  /** The statuses of refusals that clear the refresh cookie. */
  clearsCookieOn?: number[];
}

/** What a handler gives back: one of the declared answers, made by `reply`. */
export type Reply<A extends Answers> = {
  [Status in keyof A]: {
    status: Status;
    body: A[Status] extends { schema: infer Schema extends z.ZodType } ? z.input<Schema> : undefined;
    headers: Record<string, string>;
  };
}[keyof A];

/** An answer of a handler: its status, its JSON body if it has one, and headers beside the usual ones. */
export function reply<const Status extends number>(
  status: Status,
): { status: Status; body: undefined; headers: Record<string, string> };
export function reply<const Status extends number, const Body>(
  status: Status,
  body: Body,
  headers?: Record<string, string>,
): { status: Status; body: Body; headers: Record<string, string> };
export function reply(status: number, body?: unknown, headers: Record<string, string> = {}) {
  return { status, body, headers };
}

/** An answer that is no JSON: a stream, a file, a redirect. */
export type Raw = { response: Response };

/** Whether `X-Filter-Unit` and `X-Filter-Member` are looked at: not where something is created (specification 5.3). */
export const takesFilters = ({ access, answers }: EndpointDefinition): boolean =>
  access !== "public" && !(201 in answers);

/** What it reads of tables, for which there are only so many places at once: whatever has pages is a list. */
export const readingOf = ({ query, reads }: EndpointDefinition): "list" | "export" | null =>
  reads ?? (query !== undefined && "page" in query.shape ? "list" : null);

type CallOf<D extends EndpointDefinition> = D["access"] extends "public"
  ? Call
  : D["access"] extends "signed-in" | "platform-admin"
    ? SignedInCall
    : D["access"] extends { spans: true }
      ? SpanningCall
      : OrganizationCall;

/** What a body holds beside its fields: the images of a form, or, where it is taken as bytes, those. */
type ReceivedBy<D extends EndpointDefinition> = D["images"] extends object ? Upload[] : Uint8Array;

/** An endpoint: its definition and its handler, which turns input into one call of a service. */
export interface Endpoint {
  definition: EndpointDefinition;
  handle(
    call: Call,
    input: Input<InputSchemas>,
    request: Request,
    received: Uint8Array | Upload[],
  ): Promise<Reply<Answers> | Raw>;
}

export function endpoint<const D extends EndpointDefinition>(
  definition: D,
  handle: (
    call: CallOf<D>,
    input: Input<D>,
    request: Request,
    received: ReceivedBy<D>,
  ) => Promise<Reply<D["answers"]> | Raw>,
): Endpoint {
  return { definition, handle: handle as unknown as Endpoint["handle"] };
}
