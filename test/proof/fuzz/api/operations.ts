import { developmentApi } from "../../../../src/app/api.ts";
import { openApiDocument } from "../../../../src/core/api/openapi.ts";

/** A schema of the document, as far as values are made from it. */
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

/** One operation of the document. */
export type Operation = {
  id: string;
  method: string;
  path: string;
  parameters: Parameter[];
  /** The schema of each content type of the body. */
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

/** Every operation of the document. */
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

/** The same by their ids. */
export const byId = new Map(operations.map((operation) => [operation.id, operation]));

/** The schema that a reference leads to. */
export function resolved(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const name = schema.$ref.split("/").at(-1) ?? "";
  const found = document.components.schemas[name];
  if (found === undefined) throw new Error(`The document has no schema ${name}`);
  return resolved(found);
}
