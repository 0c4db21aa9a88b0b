import { developmentApi } from "../../../../src/app/api.ts";
import { openApiDocument } from "../../../../src/core/api/openapi.ts";

/** The part of an OpenAPI schema from which values are generated. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
};

type Parameter = { name: string; in: "path" | "query" | "header"; required?: boolean; schema: Schema };

/** One operation of the OpenAPI document. */
export type Operation = {
  id: string;
  method: string;
  path: string;
  parameters: Parameter[];
  /** The schema of the request body, by content type. */
  body: Record<string, Schema>;
};

type Document = {
  components: { schemas: Record<string, Schema> };
  paths: Record<string, Record<string, DocumentedOperation>>;
};
type DocumentedOperation = {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema?: Schema }> };
};

const document = openApiDocument(developmentApi) as unknown as Document;

/** Every operation of the OpenAPI document. */
export const operations: Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId, parameters = [], requestBody }]) => ({
    id: operationId,
    method: method.toUpperCase(),
    path,
    parameters,
    body: Object.fromEntries(
      Object.entries(requestBody?.content ?? {}).map(([type, { schema = {} }]) => [type, schema]),
    ),
  })),
);

/** Operations by their ids. */
export const byId = new Map(operations.map((operation) => [operation.id, operation]));

/**
 * Returns a set of operation ids. Throws if the OpenAPI document has no such operation, so that a renamed one is
 * not left unchecked.
 */
export function operationSet(...ids: string[]): ReadonlySet<string> {
  const unknown = ids.filter((id) => !byId.has(id));
  if (unknown.length > 0) throw new Error(`The document has no operation ${unknown.join()}`);
  return new Set(ids);
}

/** Returns the schema itself, or the schema to which its reference points. */
export function resolved(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const name = schema.$ref.split("/").at(-1) ?? "";
  const target = document.components.schemas[name];
  if (target === undefined) throw new Error(`The document has no schema ${name}`);
  return resolved(target);
}
