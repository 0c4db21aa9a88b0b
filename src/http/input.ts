import type { z } from "zod";
import { isBlank } from "./characters.ts";
import { ApiError, type Violation, validationFailed } from "./errors.ts";
import type { Form } from "./form.ts";
import { idList } from "./id-headers.ts";
import { violations } from "./messages.ts";

type Shape = z.ZodObject;
/** What a route takes in, part by part. */
export type InputSchemas = { params?: Shape; query?: Shape; body?: Shape; images?: { or: string } };
export type Input<S extends InputSchemas> = {
  params: S["params"] extends Shape ? z.output<S["params"]> : null;
  query: S["query"] extends Shape ? z.output<S["query"]> : null;
  body: S["body"] extends Shape ? z.output<S["body"]> : null;
};

type RawInput = {
  params: Record<string, string>;
  query: string;
  body: unknown;
  headers: Headers;
  /** Where the body is one. */
  form?: Form | null;
};

const NO_KEYS = new Set<string>();
const FILTER_HEADERS = ["X-Filter-Unit", "X-Filter-Member"];

/**
 * Makes the one check of everything that a request carries: path, query, headers and body together, so that
 * an answer names every violation at once. Unknown query parameters and properties are violations.
 */
export function inputReader<S extends InputSchemas>(schemas: S, options: { filterHeaders: boolean }) {
  const listKeys = new Set(
    Object.entries(schemas.query?.shape ?? {}).flatMap(([key, field]) => (isList(field) ? [key] : [])),
  );

  /** @throws validationFailed */
  return (raw: RawInput): Input<S> => {
    const found: Violation[] = [...(raw.form?.violations ?? [])];
    // What is wrong with a field as such is all that is said of it.
    const judged = new Set(found.map(({ path }) => path));
    const check = (schema: Shape, value: unknown) => {
      findBrokenText(value, "", found);
      const parsed = schema.safeParse(value, { reportInput: true });
      if (parsed.success) return parsed.data;
      // One by one: there may be more of them than a call takes arguments.
      for (const violation of violations(parsed.error.issues))
        if (!judged.has(violation.path)) found.push(violation);
      return null;
    };

    const input = {
      params: schemas.params ? check(schemas.params, raw.params) : null,
      query: schemas.query ? check(schemas.query, readQuery(raw.query, listKeys, found)) : null,
      body: schemas.body ? check(schemas.body, raw.body === undefined ? {} : raw.body) : null,
    };
    if (!schemas.query && raw.query !== "") refuseProperties(readQuery(raw.query, NO_KEYS, found), found);
    if (!schemas.body && raw.body !== undefined) refuseProperties(raw.body, found);
    if (options.filterHeaders) checkFilterHeaders(raw.headers, found);
    if (schemas.images && !raw.form?.images.length) needText(raw.body, schemas.images.or, found);
    if (found.length > 0) throw validationFailed(distinct(found));
    return input as Input<S>;
  };
}

/** Query parameters by name; `unit[]=a` reads as `unit=a`, and only lists may repeat. */
function readQuery(query: string, listKeys: Set<string>, found: Violation[]) {
  const values: Record<string, string | string[]> = Object.create(null);
  for (const pair of query.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? "" : decode(pair.slice(equals + 1));
    if (name === null || value === null) {
      found.push({ path: name ?? "query", message: `${name ?? "query"} must be valid UTF-8` });
      continue;
    }
    const key = name.endsWith("[]") && listKeys.has(name.slice(0, -2)) ? name.slice(0, -2) : name;
    const earlier = values[key];
    if (listKeys.has(key)) {
      if (Array.isArray(earlier)) earlier.push(value);
      else values[key] = [value];
    } else if (earlier === undefined) values[key] = value;
    else found.push({ path: key, message: `${key} must not be repeated` });
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

/** No schema goes this deep, and what looks at input must not run out of stack. */
const MOST_LEVELS = 32;

/** PostgreSQL refuses NUL, and unpaired surrogates have no UTF-8: neither may get as far as the database. */
function findBrokenText(value: unknown, path: string, found: Violation[], level = 0) {
  if (typeof value === "string") {
    if (!value.isWellFormed() || value.includes("\0")) {
      found.push({
        path,
        message: `${path || "body"} must not contain NUL characters or unpaired surrogates`,
      });
    }
  } else if (typeof value === "object" && value !== null) {
    if (level > MOST_LEVELS) found.push({ path, message: `${path} is nested too deeply` });
    else {
      for (const key in value) {
        findBrokenText(value[key as never], path ? `${path}.${key}` : key, found, level + 1);
      }
    }
  }
}

/** A route without a body or a query takes an empty one, and refuses properties as every other route does. */
function refuseProperties(body: unknown, found: Violation[]) {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    found.push({ path: "", message: "body must be an object" });
    return;
  }
  for (const key of Object.keys(body)) found.push({ path: key, message: `property ${key} should not exist` });
}

/** Says so where a text says nothing, unless something else is wrong with it. */
function needText(body: unknown, name: string, found: Violation[]) {
  const text = ((body ?? {}) as Record<string, unknown>)[name] ?? "";
  if (typeof text !== "string" || !isBlank(text) || found.some(({ path }) => path === name)) return;
  found.push({ path: name, message: `${name} should not be empty` });
}

function checkFilterHeaders(headers: Headers, found: Violation[]) {
  for (const name of FILTER_HEADERS) {
    const value = headers.get(name);
    if (value === null) continue;
    try {
      idList(name, value);
    } catch (error) {
      found.push(...((error instanceof ApiError && error.extra.errors) || []));
    }
  }
}

const distinct = (found: Violation[]) => [
  ...new Map(found.map((one) => [`${one.path} ${one.message}`, one])).values(),
];

function isList(field: z.core.$ZodType): boolean {
  const { def } = field._zod;
  if (def.type === "array") return true;
  if ("innerType" in def) return isList(def.innerType as z.core.$ZodType);
  return "in" in def && isList(def.in as z.core.$ZodType);
}
