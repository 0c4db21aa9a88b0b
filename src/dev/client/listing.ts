// biome-ignore lint/suspicious/noExplicitAny: a JSON document of which only a few parts are read
type Json = any;

/** Returns the operations of an OpenAPI document, and the fields of their bodies, a line each. */
export function listing(document: Json): string {
  const operations = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const lines = operations.map(({ path, method, operation }) => {
    const keys = operation["x-api-keys"] ? ", API keys" : "";
    const statuses = Object.keys(operation.responses).join(" ");
    return `${method.toUpperCase()} ${path} ${operation.operationId} (${operation["x-access"]}${keys}): ${statuses}`;
  });
  const fields = operations.flatMap(({ operation: { operationId, requestBody } }) => {
    const body = resolve(document, requestBody?.content["application/json"]?.schema);
    if (body === undefined) return [];
    const { properties = {}, ...rest } = body;
    const ofBody = Object.entries(properties).map(
      ([name, field]) => `${operationId}.${name}: ${written(field)}`,
    );
    return [`${operationId}: ${written(rest)}`, ...ofBody];
  });
  return `${[...lines, "", ...fields.sort()].join("\n")}\n`;
}

/** Follows references to components of the document. */
const resolve = (document: Json, value: Json): Json => {
  if (!value?.$ref) return value;
  const [, ...path]: string[] = value.$ref.split("/");
  return resolve(
    document,
    path.reduce((at: Json, key) => at?.[key], document),
  );
};

/** Returns a schema as one line. */
const written = (value: Json): string => {
  if (Array.isArray(value)) return `[${value.map(written).join(", ")}]`;
  if (typeof value === "string") return `'${value}'`;
  if (value === null || typeof value !== "object") return String(value);
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{ ${entries.map(([name, field]) => `${name}: ${written(field)}`).join(", ")} }`;
};
