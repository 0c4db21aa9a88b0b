import { z } from "zod";
import type { Violations } from "../../platform/violations.ts";

type Check = (value: unknown, path: string, found: Violations) => void;

/**
 * Builds a check that runs before the schema, over the parts of an input that the schema contains. The check
 * rejects strings that the database cannot store, and shortens arrays that are too long to one item more than the
 * maximum. Unknown properties are rejected by name, so their content is not checked.
 */
export function checkKnownParts(schema: z.ZodType): Check {
  const inner = innerSchema(schema);
  if (inner !== null) return checkKnownParts(inner);
  if (schema instanceof z.ZodObject) return checkObject(schema.shape as Record<string, z.ZodType>);
  if (schema instanceof z.ZodArray) return checkArray(schema as z.ZodArray<z.ZodType>);
  switch (schema.type) {
    case "any":
    case "unknown":
    case "record":
    case "tuple":
    case "union":
    case "intersection":
    case "transform":
      return (value, path, found) => checkEverything(value, path, found, 0);
    default:
      return checkText;
  }
}

/** Returns the schema inside an optional, nullable, transformed or deferred schema; null for any other schema. */
export function innerSchema(schema: z.ZodType): z.ZodType | null {
  if (schema instanceof z.ZodLazy) return schema.unwrap() as z.ZodType;
  const { def } = schema;
  if ("innerType" in def) return def.innerType as z.ZodType;
  return "in" in def ? (def.in as z.ZodType) : null;
}

function checkObject(shape: Record<string, z.ZodType>): Check {
  const checks = Object.entries(shape).map(([key, field]) => [key, checkKnownParts(field)] as const);
  return (value, path, found) => {
    if (!isObject(value)) return;
    for (const [key, check] of checks) {
      if (Object.hasOwn(value, key)) check(value[key], path === "" ? key : `${path}.${key}`, found);
    }
  };
}

function checkArray(schema: z.ZodArray<z.ZodType>): Check {
  const check = checkKnownParts(schema.element);
  const { maxItems: max } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return (value, path, found) => {
    if (!Array.isArray(value)) return;
    if (max !== undefined && value.length > max + 1) value.length = max + 1;
    for (let index = 0; index < value.length; index += 1) check(value[index], `${path}.${index}`, found);
  };
}

/** Whether a string cannot be stored: PostgreSQL rejects NUL, and unpaired surrogates have no UTF-8 encoding. */
const checkText: Check = (value, path, found) => {
  if (typeof value !== "string" || (value.isWellFormed() && !value.includes("\0"))) return;
  found.add(path, `${path || "body"} must not contain NUL characters or unpaired surrogates`);
};

/**
 * The maximum nesting of a JSON value, so that recursive checks do not overflow the stack. Valid input is never
 * nested as deep. A violation inside such a value is reported for the whole value.
 */
const MAX_LEVELS = 32;

function checkEverything(value: unknown, path: string, found: Violations, level: number): void {
  if (typeof value !== "object" || value === null) checkText(value, path, found);
  else if (level > MAX_LEVELS) found.add(path, `${path} is nested too deeply`);
  else {
    for (const key in value) {
      if (found.isFull) return;
      checkText(key, path, found);
      checkEverything(value[key as never], path, found, level + 1);
    }
  }
}

/** Whether a value is a JSON object; an array is not. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
