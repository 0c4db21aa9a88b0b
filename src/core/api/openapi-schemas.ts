import type { JsonSchema } from "./openapi-examples.ts";

/**
 * Replaces OpenAPI 3.0 notation by JSON Schema 2020-12 in the whole document. An enum with one value becomes
 * `const`, from which client generators make literal types. A reference keeps its description.
 */
export function modernize(node: unknown): void {
  if (typeof node !== "object" || node === null) return;
  const schema = node as JsonSchema;
  if (Array.isArray(schema.enum) && schema.enum.length === 1) {
    [schema.const] = schema.enum;
    delete schema.enum;
  }
  const [reference, other, ...more] = schema.allOf ?? [];
  if (
    reference?.$ref !== undefined &&
    more.length === 0 &&
    Object.keys(other ?? {}).join() === "description"
  ) {
    Object.assign(schema, reference, other);
    delete schema.allOf;
  }
  for (const [key, value] of Object.entries(node)) {
    // Examples are skipped, because they are data and not schemas.
    if (key !== "example" && key !== "examples") modernize(value);
  }
}
