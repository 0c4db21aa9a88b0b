import { z } from "@hono/zod-openapi";
import type { FormBody } from "../forms/form.ts";

/* The bodies and responses of a route definition. */

export type RequestBody = {
  required: boolean;
  content: Record<string, { schema: z.ZodType }>;
} /** `maxBytes` differs only where a body may be larger than that of other routes. */ & (
  | { kind: "json"; schema: z.ZodObject; maxBytes?: number }
  | FormBody
  | { kind: "raw"; maxBytes: number; memory: "raw" | "json" }
);

/** A successful response in the OpenAPI document. */
export type SuccessResponse = {
  description: string;
  content?: Record<string, { schema: unknown }>;
  headers?: Record<string, unknown>;
};

/** Declares a JSON body with an example, which is shown in the OpenAPI document and sent by a test. */
export const jsonBody = <Schema extends z.ZodObject>(
  schema: Schema,
  example?: Record<string, unknown>,
  { maxBytes }: { maxBytes?: number } = {},
) => ({
  kind: "json" as const,
  schema,
  ...(maxBytes !== undefined && { maxBytes }),
  // Only the document needs it. The schema may list names of features, which are loaded after this module.
  get required() {
    return !schema.safeParse({}).success;
  },
  content: { "application/json": { schema, ...(example && { example }) } },
});

/** Declares a body that is read as bytes, up to a maximum size, of any content type. */
export const rawBody = (maxBytes: number, example = '{"id":"evt_1"}') => ({
  kind: "raw" as const,
  maxBytes,
  memory: "raw" as const,
  required: true,
  content: {
    "*/*": { schema: z.custom<Uint8Array>().openapi({ type: "string", format: "binary" }), example },
  },
});

/**
 * Declares a body of the fields of a web form (`application/x-www-form-urlencoded`), which the handler reads. It shares the
 * memory of JSON bodies, where each address has its part.
 */
export const fieldsBody = (maxBytes: number, schema: z.ZodObject, example: Record<string, unknown>) => ({
  kind: "raw" as const,
  maxBytes,
  memory: "json" as const,
  required: true,
  content: { "application/x-www-form-urlencoded": { schema, example } },
});

type ResponseExtra = {
  /** An example body that replaces the one generated from the schema. */
  example?: unknown;
  /** Whether the response sets the refresh cookie; or a description of the cookies that it sets. */
  setsCookie?: boolean | string;
  /** The description of the address to which the response redirects. */
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
