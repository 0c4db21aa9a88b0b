import { isObject } from "#kit";

type Schema = Record<string, unknown>;

/** How deep the schema of an operation is described to an agent. */
const MAX_DEPTH = 8;
const LEFT_OUT = new Set(["example", "examples"]);

/** Returns the JSON Schema of a part of the OpenAPI document without references and examples. Parts that are nested too deeply become `{}`. */
export function plainSchema(schema: unknown, components: Schema, depth = 0): unknown {
  if (Array.isArray(schema)) return schema.map((item) => plainSchema(item, components, depth));
  if (!isObject(schema)) return schema;
  if (depth > MAX_DEPTH) return {};
  const { $ref: reference, ...rest } = schema;
  if (typeof reference === "string") {
    const { [reference.split("/").at(-1) ?? ""]: target } = components;
    return plainSchema(isObject(target) ? { ...target, ...rest } : {}, components, depth + 1);
  }
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) =>
      LEFT_OUT.has(key) ? [] : [[key, plainSchema(value, components, depth + (isObject(value) ? 1 : 0))]],
    ),
  );
}
