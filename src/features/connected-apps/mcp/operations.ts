import { isObject, type Service } from "#kit";
import {
  definitionsOf,
  isHeld,
  openApiDocument,
  permissionsOf,
  type RouteDefinition,
  routesOf,
} from "#kit/inside";
import { type Actor, allowsApiKeys, allowsApps } from "../../../core/access/access.ts";

type JsonSchema = Record<string, unknown>;

/** An operation that agents may call, as the OpenAPI document describes it. */
export type Operation = {
  operationId: string;
  definition: RouteDefinition;
  effect: "read" | "write";
  summary: string;
  scope: string | null;
  /** The parameters of its path and its query together. */
  parameters: JsonSchema & { properties: Record<string, unknown> };
  /** The JSON body; null if there is none. */
  body: unknown;
};

const JSON_TYPE = "application/json";

/** Whether request and response of an operation are JSON or empty: agents get no files. */
function speaksJson({ responses, request }: RouteDefinition): boolean {
  const ok = Object.entries(responses).filter(([status]) => status.startsWith("2"));
  return (
    ok.every(([, { content }]) => content === undefined || JSON_TYPE in content) &&
    (request?.body === undefined || JSON_TYPE in request.body.content)
  );
}

/** Whether agents may call an operation: apps may, and it is not public. */
const isForAgents = (definition: RouteDefinition): boolean =>
  allowsApps(definition) && definition.access !== "public" && speaksJson(definition);

/** Returns the operations of a router that agents may call. Describing them takes long, so call it once. */
export function operationsOf(router: object): Operation[] {
  const document = openApiDocument(routesOf(router, isForAgents)) as unknown as {
    paths: Record<string, Record<string, Record<string, unknown>>>;
    components?: { schemas?: JsonSchema };
  };
  const schemas = document.components?.schemas ?? {};
  return definitionsOf(router)
    .filter(isForAgents)
    .map((definition) => {
      const described = document.paths[definition.path]?.[definition.method] ?? {};
      const { "x-scope": scope, requestBody } = described;
      return {
        operationId: definition.operationId,
        definition,
        effect: definition.method === "get" ? "read" : "write",
        summary: definition.summary,
        scope: typeof scope === "string" ? scope : null,
        parameters: parametersOf(described.parameters, schemas),
        body: bodyOf(requestBody, schemas),
      };
    });
}

function parametersOf(parameters: unknown, schemas: JsonSchema): Operation["parameters"] {
  const own = (Array.isArray(parameters) ? parameters : []).filter(
    (one) => one.in === "path" || one.in === "query",
  );
  return {
    type: "object",
    properties: Object.fromEntries(
      own.map(({ name, schema, description }) => [
        name,
        { ...(plainSchema(schema, schemas) as object), ...(description && { description }) },
      ]),
    ),
    required: own.filter(({ required }) => required).map(({ name }) => name),
  };
}

function bodyOf(requestBody: unknown, schemas: JsonSchema): unknown {
  const content =
    isObject(requestBody) && isObject(requestBody.content) ? requestBody.content[JSON_TYPE] : null;
  return isObject(content) ? plainSchema(content.schema, schemas) : null;
}

/** Returns the operations that exist with this configuration for callers of this type, whatever permissions they hold. */
export const operationsFor = (
  all: Operation[],
  { type }: Actor,
  { app }: Pick<Service, "app">,
): Operation[] =>
  all.filter(
    ({ definition }) =>
      (definition.existsIf?.(app.config) ?? true) &&
      (type !== "service_account" || allowsApiKeys(definition)),
  );

/** Reads the caller's permissions; returns a function that says whether they suffice for a route. */
export async function holderOf(actor: Actor, service: Pick<Service, "db">) {
  const permissions = await permissionsOf(actor, service);
  return ({ access }: Pick<RouteDefinition, "access">): boolean =>
    typeof access !== "object" || isHeld(permissions, access, actor);
}

type Schema = Record<string, unknown>;

/** How deep the schema of an operation is described to an agent. */
const MAX_DEPTH = 8;
const LEFT_OUT = new Set(["example", "examples"]);

/** Returns the JSON Schema of a part of the OpenAPI document without references and examples. Parts that are nested too deeply become `{}`. */
function plainSchema(schema: unknown, components: Schema, depth = 0): unknown {
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
