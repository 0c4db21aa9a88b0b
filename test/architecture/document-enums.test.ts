import { expect, test } from "bun:test";
import type { z } from "zod";
import { developmentApi } from "../../src/app/api.ts";
import { openApiDocument } from "../../src/core/api/openapi.ts";
import { definitions } from "../support/routes.ts";

/* Hand-written types replace what zod would document. They must not hide what zod validates. */

type Documented = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  items?: Documented;
  properties?: Record<string, Documented>;
  anyOf?: Documented[];
  oneOf?: Documented[];
};

// biome-ignore lint/suspicious/noExplicitAny: the document is what is tested
const document: any = openApiDocument(developmentApi);

const resolved = (schema: Documented = {}): Documented =>
  schema.$ref === undefined
    ? schema
    : resolved(document.components.schemas[schema.$ref.replace("#/components/schemas/", "")]);

const alternatives = (schema: Documented): Documented[] => {
  const { anyOf, oneOf } = resolved(schema);
  return (anyOf ?? oneOf)?.flatMap(alternatives) ?? [resolved(schema)];
};

const acceptsNull = (schema: Documented) =>
  alternatives(schema).some(
    ({ type, enum: values }) => [type].flat().includes("null") || values?.includes(null),
  );

const valuesOf = (schema: Documented) =>
  alternatives(schema).flatMap(({ enum: values, const: one }) => values ?? (one === undefined ? [] : [one]));

type Def = {
  type: string;
  entries?: Record<string, string>;
  element?: z.ZodType;
  shape?: Record<string, z.ZodType>;
  innerType?: z.ZodType;
  in?: z.ZodType;
};

/** Returns the places where the document says less or other than what a schema validates. */
function differences(schema: z.ZodType, documented: Documented, path: string): string[] {
  const def = schema._zod.def as unknown as Def;
  const within = (inner: z.ZodType | undefined) => (inner ? differences(inner, documented, path) : []);
  switch (def.type) {
    case "enum": {
      const missing = Object.values(def.entries ?? {}).filter(
        (value) => !valuesOf(documented).map(String).includes(value),
      );
      const isBoolean =
        resolved(documented).type === "boolean" && missing.every((one) => /^(true|false)$/.test(one));
      return missing.length > 0 && !isBoolean ? [`${path}: ${missing.join()}`] : [];
    }
    case "nullable":
      return [...(acceptsNull(documented) ? [] : [`${path}: null`]), ...within(def.innerType)];
    case "array":
      return alternatives(documented).flatMap(({ items }) =>
        items && def.element ? differences(def.element, items, `${path}[]`) : [],
      );
    case "object":
      return Object.entries(def.shape ?? {}).flatMap(([name, field]) => {
        const property = alternatives(documented).find(({ properties }) => properties?.[name])?.properties?.[
          name
        ];
        return property === undefined ? [] : differences(field, property, `${path}.${name}`);
      });
    case "pipe":
      return within(def.in);
    default:
      return within(def.innerType);
  }
}

test("the document names every closed set and every null that a request is validated with", () => {
  const found = definitions.flatMap(({ method, path, request }) => {
    const operation = document.paths[path]?.[method];
    const where = `${method.toUpperCase()} ${path}`;
    const parameters = ["params", "query"].flatMap((kind) =>
      Object.entries(request?.[kind as "params" | "query"]?.shape ?? {}).flatMap(([name, field]) => {
        const parameter = operation?.parameters?.find((one: { name: string }) => one.name === name);
        return parameter === undefined
          ? [`${where} ${name}: undocumented`]
          : differences(field as z.ZodType, parameter.schema, `${where} ${name}`);
      }),
    );
    const schema = request?.body?.content?.["application/json"]?.schema as z.ZodType | undefined;
    const body = operation?.requestBody?.content?.["application/json"]?.schema;
    return [...parameters, ...(schema && body ? differences(schema, body, where) : [])];
  });
  expect(found).toEqual([]);
});
