import { expect, test } from "bun:test";
import { z } from "zod";
import { errorsOf } from "../../src/core/api/shared-errors.ts";
import { strict } from "../support/document.ts";
import { createOrganization } from "../support/organizations.ts";
import { definitions, schemaOf } from "../support/routes.ts";
import { sharedService } from "../support/service.ts";

// biome-ignore lint/suspicious/noExplicitAny: the document is what is tested
type Json = any;

const t = await sharedService();
const text = await (await fetch(`${t.url}/api/docs-json`)).text();
const document: Json = JSON.parse(text);
const resolve = (value: Json): Json =>
  value?.$ref
    ? resolve(
        value.$ref
          .split("/")
          .slice(1)
          .reduce((at: Json, key: string) => at?.[key], document),
      )
    : value;

const operations = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
  Object.entries<Json>(methods).map(([method, operation]) => ({ path, method, operation })),
);
const parameters = operations.flatMap(({ operation }) =>
  (operation.parameters ?? []).map((one: Json) => ({
    where: `${operation.operationId} ${resolve(one).name}`,
    parameter: resolve(one),
  })),
);
const responses = operations.flatMap(({ operation }) =>
  Object.entries<Json>(operation.responses).map(([status, response]) => ({
    where: `${operation.operationId} ${status}`,
    operation,
    status: Number(status),
    response: resolve(response),
  })),
);

const inside = (schema: Json) =>
  JSON.parse(JSON.stringify(schema).replaceAll("#/components/schemas/", "#/$defs/"));
const $defs = inside(document.components.schemas);
const readers = new Map<Json, z.ZodType>();

/** Returns the errors of a value that is validated against a schema of the document. */
function complaints(schema: Json, value: unknown): string[] {
  const reader = readers.get(schema) ?? z.fromJSONSchema({ ...inside(schema), $defs });
  readers.set(schema, reader);
  const issues = reader.safeParse(value).error?.issues ?? [];
  return issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
}

/** Returns the examples of a media type, from `example` or `examples`. */
const examplesOf = ({ example, examples = {} }: Json): unknown[] => [
  ...(example === undefined ? [] : [example]),
  ...Object.values<Json>(examples).map((one) => resolve(one).value),
];

test("every parameter of the OpenAPI document has a description", () => {
  expect(
    parameters.filter(({ parameter }) => !(parameter.description?.length > 10)).map(({ where }) => where),
  ).toEqual([]);
});

test("no query, path or header parameter is nullable", () => {
  const takesNull = (schema: Json): boolean => {
    const known = resolve(schema);
    return (
      [known?.type].flat().includes("null") ||
      known?.default === null ||
      known?.enum?.includes(null) ||
      ["allOf", "anyOf", "oneOf"].some((parts) => known?.[parts]?.some(takesNull))
    );
  };
  expect(parameters.filter(({ parameter }) => takesNull(parameter.schema)).map(({ where }) => where)).toEqual(
    [],
  );
});

test("in the OpenAPI document a nullable schema is nullable in all its parts and its enum", () => {
  const mayBeNull = (schema: Json) => [resolve(schema).type].flat().includes("null");
  let seen = 0;
  const check = (where: string, schema: Json) => {
    if (typeof schema !== "object" || schema === null) return;
    const parts = Array.isArray(schema.allOf) ? schema.allOf.map(mayBeNull) : [];
    expect([where, new Set(parts).size > 1]).toEqual([where, false]);
    if (Array.isArray(schema.enum) && [schema.type].flat().includes("null")) {
      expect([where, schema.enum.includes(null)]).toEqual([where, true]);
      seen += 1;
    }
    for (const [key, value] of Object.entries(schema)) check(`${where}/${key}`, value);
  };
  check("components", document.components.schemas);
  check("paths", document.paths);
  expect(seen).toBeGreaterThan(2);
});

test("every JSON body and response has an example that matches its schema", () => {
  const bodies = operations.flatMap(({ operation }) =>
    operation.requestBody === undefined
      ? []
      : [{ where: `${operation.operationId} body`, response: operation.requestBody }],
  );
  let seen = 0;
  for (const { where, response } of [...responses, ...bodies]) {
    const json = response.content?.["application/json"];
    if (json === undefined) continue;
    const examples = examplesOf(json);
    expect([where, examples.length > 0]).toEqual([where, true]);
    for (const example of examples) {
      expect([where, complaints(json.schema, example)]).toEqual([where, []]);
      expect([where, JSON.stringify(example).includes("…")]).toEqual([where, false]);
      seen += 1;
    }
  }
  expect(seen).toBeGreaterThan(700);
});

test("every non-JSON response has an example", () => {
  for (const { where, status, response } of responses)
    for (const [type, content] of Object.entries<Json>(response.content ?? {})) {
      const [example] = examplesOf(content);
      expect([where, type, status >= 300 || JSON.stringify(example ?? "").length > 10]).toEqual([
        where,
        type,
        true,
      ]);
      expect([where, type, JSON.stringify(example).includes("…")]).toEqual([where, type, false]);
      if (type === "application/x-ndjson")
        expect(complaints(content["x-itemSchema"], JSON.parse(example as string))).toEqual([]);
    }
});

test("the example of the notification stream contains every event type, each valid by its schema", () => {
  const { schema, example, ...content } =
    document.paths["/api/notifications/stream"].get.responses[200].content["text/event-stream"];
  const frames = (example as string).split("\n\n").filter((frame) => frame.startsWith("event:"));
  const sent = frames.map((frame) =>
    Object.fromEntries(frame.split("\n").map((line) => line.split(": ", 2))),
  );
  for (const { event, data } of sent) {
    expect([event, complaints(content["x-itemSchema"], { event, data })]).toEqual([event, []]);
    const item = content["x-itemSchema"].oneOf.find(
      ({ properties }: Json) => properties.event.const === event,
    );
    expect([event, complaints(item.properties.data.contentSchema, JSON.parse(data))]).toEqual([event, []]);
    expect([event, complaints(schema.contentSchema.items, { event, data: JSON.parse(data) })]).toEqual([
      event,
      [],
    ]);
  }
  const kinds = document.components.schemas.NotificationStreamEvent.discriminator.mapping;
  expect(new Set(sent.map(({ event }) => event))).toEqual(new Set(Object.keys(kinds)));
});

test("the example of every schema is valid by that schema", () => {
  let seen = 0;
  for (const [name, schema] of Object.entries<Json>(document.components.schemas)) {
    if (schema.example === undefined) continue;
    expect([name, complaints(schema, schema.example)]).toEqual([name, []]);
    seen += 1;
  }
  expect(seen).toBeGreaterThan(2);
});

test("the example of every response has exactly the fields of its schema", () => {
  for (const definition of definitions) {
    for (const [status, response] of Object.entries(definition.responses)) {
      const schema = schemaOf(response);
      if (schema === undefined) continue;
      const { content } = document.paths[definition.path][definition.method].responses[status];
      const where = `${definition.operationId} ${status}`;
      for (const example of examplesOf(content["application/json"])) {
        const wrong = strict(schema).safeParse(example).error?.issues ?? [];
        expect([where, wrong]).toEqual([where, []]);
      }
    }
  }
});

test("every response declares X-Request-Id, and Retry-After if it can have one", () => {
  const without = responses.filter(({ response }) => !("X-Request-Id" in (response.headers ?? {})));
  expect(without.map(({ where }) => where)).toEqual([]);
  for (const { response } of responses)
    for (const header of Object.values<Json>(response.headers)) {
      expect(resolve(header).schema.type).toMatch(/^(string|integer)$/);
      expect(resolve(header).description.length).toBeGreaterThan(10);
    }
  const busy = responses
    .filter(({ status }) => status === 503 || status === 429)
    .map(({ response }) => "Retry-After" in response.headers);
  expect(new Set(busy)).toEqual(new Set([true]));
});

/** The additional fields in the bodies of some error codes. */
const added = {
  errors: [],
  details: {
    ...{ limit: "members", max: 5, used: 5, methods: ["password"], maxAgeSeconds: 600 },
    ...{ connectionId: null, url: null },
    ...{ reason: "absent", found: [] },
    ...{ kind: "turnstile", siteKey: "key" },
    ...{ error: "invalid_request", parameter: "state", redirectTo: null },
  },
};

test("an error response lists exactly the codes that its operation can return with that status", () => {
  for (const definition of definitions) {
    const byStatus = Map.groupBy(errorsOf(definition), ({ status }) => status);
    for (const [status, refusals] of byStatus) {
      const codes = [...new Set(refusals.map(({ code }) => code))].sort();
      const where = `${definition.operationId} ${status}`;
      const response = resolve(document.paths[definition.path][definition.method].responses[status]);
      const { schema, example } = response.content["application/json"];
      expect(codes).toContain(example.code);
      expect(example.errors !== undefined).toBe(example.code === "VALIDATION_FAILED");
      for (const code of codes) {
        expect(response.description).toContain(`\`${code}\``);
        expect([where, complaints(schema, { ...example, ...added, code })]).toEqual([where, []]);
      }
      expect(complaints(schema, { ...example, code: "ANOTHER" })).not.toEqual([]);
      expect(complaints(schema, { ...example, statusCode: 418 })).toHaveLength(1);
    }
  }
});

test("shared responses are defined once in the OpenAPI document, and the document stays small", () => {
  const inline = operations.flatMap(({ operation }) =>
    Object.values<Json>(operation.responses).filter((response) => response.$ref === undefined),
  );
  const refusals = inline
    .map((response) => JSON.stringify(response))
    .filter((one) => one.includes("/schemas/Error"));
  expect(refusals.length - new Set(refusals).size).toBe(0);
  const used = new Set([...text.matchAll(/"#\/components\/(\w+\/[^"]+)"/g)].map(([, name]) => name));
  for (const kind of ["responses", "schemas", "headers"])
    for (const name of Object.keys(document.components[kind]))
      expect([`${kind}/${name}`, used.has(`${kind}/${name}`)]).toEqual([`${kind}/${name}`, true]);
  // The limit in characters per operation. About a seventh describes properties; if errors were not shared, they
  // would be larger than all else.
  expect(text.length / operations.length).toBeLessThan(4_000);
});

test("the names of shared responses have at most 40 letters", () => {
  const names = Object.keys(document.components.responses);
  expect(names.filter((name) => name.length > 40 || !/^[A-Z][A-Za-z]+\d*$/.test(name))).toEqual([]);
});

/** Calls the visitor with every object of the document except examples, and its path. */
function visit(visitor: (node: Json, where: string) => void) {
  const walk = (node: Json, where: string) => {
    if (typeof node !== "object" || node === null) return;
    if (!Array.isArray(node) && !where.endsWith("/properties")) visitor(node, where);
    for (const [key, value] of Object.entries<Json>(node))
      if (key !== "example" && key !== "examples") walk(value, `${where}/${key}`);
  };
  walk({ components: document.components, paths: document.paths }, "");
}

test("every property of the OpenAPI document has a description", () => {
  const isDescribed = (property: Json): boolean =>
    property?.description?.length > 8 || (property?.$ref !== undefined && isDescribed(resolve(property)));
  const without: string[] = [];
  let seen = 0;
  const check = (schema: Json, where: string, parts: Json[]) => {
    for (const [name, property] of Object.entries<Json>(schema.properties)) {
      seen += 1;
      // A part of `allOf` may repeat a property that another part describes.
      const elsewhere = parts.some((part) => isDescribed(resolve(part).properties?.[name]));
      if (!isDescribed(property) && !elsewhere) without.push(`${where} ${name}`);
    }
  };
  visit((node, where) => {
    for (const part of node.allOf ?? []) if (part.properties) check(part, where, node.allOf);
    if (node.properties && !/\/allOf\/\d+$/.test(where)) check(node, where, []);
  });
  expect(seen).toBeGreaterThan(700);
  expect(without).toEqual([]);
});

test("no schema is `true` or `false`, because older generators cannot read these", () => {
  const found: string[] = [];
  visit(({ properties = {}, items }, where) => {
    for (const [name, property] of Object.entries<Json>({ ...properties, items }))
      if (typeof property === "boolean") found.push(`${where} ${name}`);
  });
  expect(found).toEqual([]);
});

test("the OpenAPI document has a contact", () => {
  expect(document.info.contact.name).toBeString();
});

test("the example of a 400 names a field of its own operation", async () => {
  const { admin } = await createOrganization(t);
  const root = await t.platformAdmin();
  let seen = 0;
  for (const { operationId, method, path, request, access } of definitions) {
    const declared = resolve(document.paths[path][method].responses[400]);
    const { example } = declared.content["application/json"];
    if (example.errors === undefined) continue;
    const body = request?.body;
    const fields = [
      ...Object.keys(request?.params?.shape ?? {}),
      ...Object.keys(request?.query?.shape ?? {}),
      ...(body && body.kind !== "raw" ? Object.keys(body.schema.shape) : []),
      // On an operation without parameters, an unknown parameter is the only possible violation.
      "color",
    ];
    for (const error of example.errors)
      expect([operationId, fields.includes(error.path)]).toEqual([operationId, true]);
    seen += 1;
    if (body?.kind !== "json" || !body.required) continue;
    // If the service reports violations for an empty body, they must be those of the example.
    const caller = access === "public" ? t.anonymous() : access === "platform-admin" ? root : admin;
    const target = path.replaceAll(/\{\w+\}/g, "0190c7a0-5b1f-7d3e-9c52-1f6a2b7c8d9e");
    const response = await caller.send(method.toUpperCase(), target, {});
    if (response.body.code !== "VALIDATION_FAILED") continue;
    expect([operationId, response.body.errors.slice(0, 2)]).toEqual([operationId, example.errors]);
  }
  expect(seen).toBeGreaterThan(90);
  const codeOf = (path: string, method: string, status: number) =>
    resolve(document.paths[path][method].responses[status]).content["application/json"].example.code;
  expect([codeOf("/api/todos", "post", 403), codeOf("/api/users", "get", 403)]).toEqual([
    "FORBIDDEN",
    "PLATFORM_ADMIN_REQUIRED",
  ]);
});

test("the description of X-Filter-Unit states its effect on the operation", () => {
  const said = (method: string, path: string, name = "X-Filter-Unit") =>
    (document.paths[path][method].parameters ?? []).map(resolve).find((one: Json) => one.name === name)
      ?.description;
  expect(said("get", "/api/units")).toContain("these units and their sub-units");
  expect(said("get", "/api/units")).not.toContain("todos");
  for (const [method, path] of [
    ["get", "/api/todos"],
    ["get", "/api/todos/all"],
    ["get", "/api/todos/{id}"],
    ["patch", "/api/todos/{id}"],
    ["delete", "/api/todos/{id}"],
  ] as const) {
    expect(said(method, path)).toContain("todos of members of these units");
    expect(said(method, path, "X-Filter-Member")).toContain("todos of these members");
  }
});
