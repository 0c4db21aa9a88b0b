import type { JsonSchema } from "./openapi-examples.ts";

/**
 * Replaces OpenAPI 3.0 notation by JSON Schema 2020-12 in the whole document: an enum with one value becomes `const`,
 * and the schema of a property that is never present becomes `false`. Generators turn these into literal types and
 * `never`.
 */
export function modernize(node: unknown): void {
  if (typeof node !== "object" || node === null) return;
  const schema = node as JsonSchema;
  if (Array.isArray(schema.enum) && schema.enum.length === 1) {
    [schema.const] = schema.enum;
    delete schema.enum;
  }
  for (const [key, value] of Object.entries(node)) {
    // Examples are data, not schemas.
    if (key === "example" || key === "examples") continue;
    if (isNever(value)) (node as Record<string, unknown>)[key] = false;
    else modernize(value);
  }
}

const isNever = (value: unknown): boolean => JSON.stringify((value as { not?: unknown })?.not) === "{}";
