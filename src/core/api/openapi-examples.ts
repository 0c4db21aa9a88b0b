/** The part of JSON Schema that the document's own schemas are written in. */
export type JsonSchema = {
  $ref?: string;
  example?: unknown;
  const?: unknown;
  enum?: unknown[];
  allOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  type?: string | string[];
  format?: string;
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
};

const ID = "0190c7a0-5b1f-7d3e-9c52-1f6a2b7c8d9e";

/**
 * An example of a schema, put together from those of its fields: models say once what a field may hold, and lists,
 * pages and whatever else is made of them need none of their own.
 * @param models the schemas that references name
 */
export function exampleOf(schema: JsonSchema, models: Record<string, JsonSchema>): unknown {
  const { $ref, allOf, anyOf, oneOf, properties, items } = schema;
  if (schema.example !== undefined) return schema.example;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if ($ref !== undefined) return exampleOf(models[$ref.split("/").at(-1) ?? ""] ?? {}, models);
  const alternatives = anyOf ?? oneOf;
  if (alternatives !== undefined) return exampleOf(alternatives[0] ?? {}, models);
  if (allOf !== undefined) {
    const parts = allOf.map((part) => exampleOf(part, models));
    // What a model is extended by, or that it may be null beside.
    return parts.every((part) => typeof part === "object") ? Object.assign({}, ...parts) : parts[0];
  }
  switch ([schema.type].flat()[0]) {
    case "array":
      return items === undefined ? [] : [exampleOf(items, models)];
    case "string":
      return schema.format === "uuid" ? ID : "…";
    case "integer":
      return 0;
    case "boolean":
      return false;
    default:
      return Object.fromEntries(
        Object.entries(properties ?? {}).map(([name, field]) => [name, exampleOf(field, models)]),
      );
  }
}

type Document = {
  paths?: Record<
    string,
    Record<string, { responses: Record<string, { content?: Record<string, Content> }> }>
  >;
  components?: { schemas?: Record<string, JsonSchema> };
};
type Content = { schema: JsonSchema; example?: unknown };

/** Gives every JSON response of a document that has no example the one that its schema makes. */
export function addExamples({ paths = {}, components = {} }: Document): void {
  const answers = Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ responses }) => Object.values(responses)),
  );
  for (const { content } of answers) {
    const json = content?.["application/json"];
    if (json !== undefined && json.example === undefined)
      json.example = exampleOf(json.schema, components.schemas ?? {});
  }
}
