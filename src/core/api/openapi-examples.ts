/** The subset of JSON Schema that schemas in the OpenAPI document use. */
export type JsonSchema = {
  $ref?: string;
  example?: unknown;
  const?: unknown;
  enum?: unknown[];
  allOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  discriminator?: object;
  type?: string | string[];
  format?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
};

export const EXAMPLE_ID = "0190c7a0-5b1f-7d3e-9c52-1f6a2b7c8d9e";

/**
 * Builds an example of a schema from the examples of its fields, so that lists, pages and other composed schemas need
 * no example of their own.
 * @param models the schemas that references point to
 */
export function exampleOf(schema: JsonSchema, models: Record<string, JsonSchema>): unknown {
  const { $ref, allOf, anyOf, oneOf, properties, required = [], items } = schema;
  if (schema.example !== undefined) return schema.example;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if ($ref !== undefined) return exampleOf(models[nameOf(schema)] ?? {}, models);
  const alternatives = anyOf ?? oneOf;
  if (alternatives !== undefined) return exampleOf(alternatives[0] ?? {}, models);
  if (allOf !== undefined) {
    const parts = allOf.map((part) => exampleOf(part, models));
    // `allOf` extends another schema, or makes it nullable.
    return parts.every((part) => typeof part === "object") ? Object.assign({}, ...parts) : parts[0];
  }
  switch ([schema.type].flat()[0]) {
    case "array":
      return items === undefined ? [] : [exampleOf(items, models)];
    case "string":
      return schema.format === "uuid" ? EXAMPLE_ID : "…";
    case "integer":
      return 0;
    case "boolean":
      return false;
    default:
      return Object.fromEntries(
        Object.entries(properties ?? {})
          .filter(([name, field]) => !isFlag(field, required.includes(name)))
          .map(([name, field]) => [name, exampleOf(field, models)]),
      );
  }
}

export type Document = {
  paths?: Record<
    string,
    Record<string, { responses: Record<string, { content?: Record<string, Content> }> }>
  >;
  components?: { schemas?: Record<string, JsonSchema> };
};
/** Whether a field is a constant that is present only in special cases, so that examples omit it. */
const isFlag = (field: JsonSchema, isRequired: boolean) => !isRequired && field.const !== undefined;

type Content = { schema: JsonSchema; example?: unknown; examples?: Record<string, { value: unknown }> };

const nameOf = ({ $ref = "" }: JsonSchema): string => $ref.split("/").at(-1) ?? "";

/** Returns the alternatives of a union that has no discriminator. */
function alternativesOf(schema: JsonSchema, models: Record<string, JsonSchema>): JsonSchema[] | null {
  const { oneOf, discriminator } = models[nameOf(schema)] ?? schema;
  return oneOf !== undefined && discriminator === undefined ? oneOf : null;
}

/**
 * Adds a generated example to every JSON response in the OpenAPI document that has none.
 * @param named schemas that also get an example, because no response consists of them alone
 */
export function addExamples({ paths = {}, components = {} }: Document, named: string[]): void {
  const models = components.schemas ?? {};
  const documented = Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ responses }) => Object.values(responses)),
  );
  for (const { content } of documented) {
    const json = content?.["application/json"];
    if (json === undefined || json.example !== undefined || json.examples !== undefined) continue;
    const alternatives = alternativesOf(json.schema, models);
    if (alternatives === null) json.example = exampleOf(json.schema, models);
    else
      json.examples = Object.fromEntries(
        alternatives.map((one) => [nameOf(one), { value: exampleOf(one, models) }]),
      );
  }
  for (const name of named) {
    const schema = models[name];
    if (schema !== undefined) schema.example = exampleOf(schema, models);
  }
}

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
