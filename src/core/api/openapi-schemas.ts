import type { JsonSchema } from "./openapi-examples.ts";

/**
 * Says in the words of JSON Schema 2020-12 what the schemas were written as in those of OpenAPI 3.0: one value is a
 * `const`, and a property that is never there has the schema `false`, from which generators make literal types and
 * `never`. Changes the document, wherever in it schemas stand.
 */
export function modernize(node: unknown): void {
  if (typeof node !== "object" || node === null) return;
  const schema = node as JsonSchema;
  if (Array.isArray(schema.enum) && schema.enum.length === 1) {
    [schema.const] = schema.enum;
    delete schema.enum;
  }
  for (const [key, value] of Object.entries(node)) {
    // What examples hold is data, whatever its names.
    if (key === "example" || key === "examples") continue;
    if (isNever(value)) (node as Record<string, unknown>)[key] = false;
    else modernize(value);
  }
}

const isNever = (value: unknown): boolean => JSON.stringify((value as { not?: unknown })?.not) === "{}";
