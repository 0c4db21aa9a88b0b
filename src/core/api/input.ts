import type { z } from "zod";
import { validationFailed } from "../../platform/errors.ts";
import { isBlank } from "../../platform/text.ts";
import { unknownProperties, Violations, violations } from "../../platform/violations.ts";
import { checkKnownParts, innerSchema, isObject } from "../definitions/known-parts.ts";
import type { Form } from "../forms/form.ts";
import { isValidKey, keyFrom } from "../idempotency/key.ts";
import { readIds } from "./id-headers.ts";
import type { RequestBody } from "./route-parts.ts";

type Shape = z.ZodObject;
/** The schemas of a route's input: path, query, headers and body. */
export type InputSchemas = {
  params?: Shape | undefined;
  query?: Shape | undefined;
  body?: RequestBody | undefined;
};
/** The parsed parts of the input; null for parts that the route does not have. */
export type Input = { params: object | null; query: object | null; body: object | null };

type RawInput = {
  params: Record<string, string>;
  query: string;
  body: unknown;
  headers: Headers;
  /** The received form, if the body is a form. */
  form?: Form | null;
};

/** How often each query parameter may occur. */
type Parameters = ReadonlyMap<string, "once" | "often">;
const NO_PARAMETERS: Parameters = new Map();
const NONE: ReadonlySet<string> = new Set();
const FILTER_HEADERS = ["X-Filter-Unit", "X-Filter-Member"];

/**
 * Builds the validation of a whole request: path, query, headers and body together, so that one response lists all
 * violations. Unknown query parameters and properties are violations.
 */
export function inputReader(
  schemas: InputSchemas,
  options: { filterHeaders: boolean; idempotencyKey?: "optional" | "required" | undefined },
) {
  const parameters: Parameters = new Map(
    Object.entries(schemas.query?.shape ?? {}).map(([key, field]) => [
      key,
      isList(field as z.ZodType) ? "often" : "once",
    ]),
  );
  const params = schemas.params && partReader(schemas.params);
  const query = schemas.query && partReader(schemas.query);
  const { body: declared } = schemas;
  const body = declared && declared.kind !== "raw" ? partReader(declared.schema) : undefined;

  /** Validates a request. @throws validationFailed */
  return (raw: RawInput): Input => {
    const found = new Violations(raw.form?.violations);
    // A field that the form reader has rejected already gets no further violations.
    const alreadyInvalid = found.size === 0 ? NONE : new Set(found.named.map(({ path }) => path));
    const rawBody = raw.body === undefined ? {} : raw.body;
    const input: Input = {
      params: params ? params(raw.params, found, alreadyInvalid) : null,
      query: query ? query(readQuery(raw.query, parameters, found), found, alreadyInvalid) : null,
      body: body ? body(rawBody, found, alreadyInvalid) : null,
    };
    if (!query && raw.query !== "") forbidProperties(readQuery(raw.query, NO_PARAMETERS, found), found);
    if (!body && raw.body !== undefined) forbidProperties(raw.body, found);
    if (options.filterHeaders) checkFilterHeaders(raw.headers, found);
    if (options.idempotencyKey) checkIdempotencyKey(raw.headers, found, options.idempotencyKey);
    if (declared?.kind === "form" && !raw.form?.images.length) needText(rawBody, declared.or, found);
    if (found.size > 0) throw validationFailed(found.named);
    return input;
  };
}

function partReader(schema: Shape) {
  const checkKnown = checkKnownParts(schema);
  return (value: unknown, found: Violations, alreadyInvalid: ReadonlySet<string>) => {
    checkKnown(value, "", found);
    const parsed = schema.safeParse(value, { reportInput: true });
    if (parsed.success) return parsed.data;
    for (const { path, message } of violations(parsed.error.issues)) {
      if (found.isFull) break;
      if (!alreadyInvalid.has(path)) found.add(path, message);
    }
    return null;
  };
}

/** Reads query parameters by name; `unit[]=a` is read as `unit=a`, and only lists may repeat. */
function readQuery(query: string, parameters: Parameters, found: Violations) {
  const values: Record<string, string | string[]> = Object.create(null);
  for (const pair of query.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    if (name === null) {
      found.add("query", "query must be valid UTF-8");
      continue;
    }
    const plain = name.endsWith("[]") ? name.slice(0, -2) : name;
    const key = parameters.get(plain) === "often" ? plain : name;
    const kind = parameters.get(key);
    const value = kind === undefined || equals < 0 ? "" : decode(pair.slice(equals + 1));
    const earlier = values[key];
    if (value === null) found.add(key, `${key} must be valid UTF-8`);
    else if (kind === "often") {
      if (Array.isArray(earlier)) earlier.push(value);
      else values[key] = [value];
    } else if (kind === "once" && earlier !== undefined) found.add(key, `${key} must not be repeated`);
    else values[key] = value;
  }
  return values;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return null;
  }
}

/** Validates a route without body or query against an empty object, which rejects unknown properties. */
function forbidProperties(body: unknown, found: Violations) {
  if (!isObject(body)) return found.add("", "body must be an object");
  for (const { path, message } of unknownProperties("", Object.keys(body))) {
    if (found.isFull) return;
    found.add(path, message);
  }
}

/**
 * Reports an empty text of a message without images, unless the field has another violation or the body is no
 * object.
 */
function needText(body: unknown, name: string, found: Violations) {
  if (!isObject(body)) return;
  const text = body[name] ?? "";
  if (typeof text !== "string" || !isBlank(text) || found.named.some(({ path }) => path === name)) return;
  found.add(name, `${name} should not be empty`);
}

function checkFilterHeaders(headers: Headers, found: Violations) {
  for (const name of FILTER_HEADERS) {
    const { problem } = readIds(headers.get(name) ?? "");
    if (problem !== null) found.add(name, `${name} ${problem}`);
  }
}

function checkIdempotencyKey(headers: Headers, found: Violations, need: "optional" | "required") {
  const key = keyFrom(headers);
  if (key === null && need === "required") found.add("Idempotency-Key", "Idempotency-Key is required");
  if (key !== null && !isValidKey(key))
    found.add("Idempotency-Key", "Idempotency-Key must be 1 to 255 visible ASCII characters");
}

/** Whether a parameter is a list and may be repeated. */
function isList(field: z.ZodType): boolean {
  const inner = innerSchema(field);
  return inner === null ? field.type === "array" : isList(inner);
}
