import { expect, test } from "bun:test";
import { errorsOf } from "../../src/core/api/shared-errors.ts";
import { listing } from "../../src/dev/client/listing.ts";
import { LISTING } from "../../src/dev/client/types.ts";
import { createOrganization } from "../support/organizations.ts";
import { definitions } from "../support/routes.ts";
import { sharedService } from "../support/service.ts";

// biome-ignore lint/suspicious/noExplicitAny: the document is what is tested
type Json = any;

const t = await sharedService();
const document: Json = (await t.anonymous().get("/api/docs-json")).body;
const operations: { path: string; method: string; operation: Json }[] = Object.entries<Json>(
  document.paths,
).flatMap(([path, methods]) =>
  Object.entries<Json>(methods).map(([method, operation]) => ({ path, method, operation })),
);
const resolve = (value: Json): Json =>
  value?.$ref
    ? resolve(
        value.$ref
          .split("/")
          .slice(1)
          .reduce((at: Json, key: string) => at?.[key], document),
      )
    : value;
const bodyOf = (operation: Json) => operation.requestBody?.content["application/json"];

test("the OpenAPI document has version 3.1 and describes how to sign in", () => {
  expect(document.openapi).toMatch(/^3\.1\./);
  expect(document.components.securitySchemes).toMatchObject({
    bearer: { type: "http", scheme: "bearer" },
    refreshCookie: { type: "apiKey", in: "cookie", name: "refresh_token" },
  });
});

test("every operation has an id, a described tag, a summary and its access in words", () => {
  const tags = document.tags.map(({ name }: Json) => name);
  for (const { operation } of operations) {
    expect(operation.operationId).toMatch(/^[a-z][A-Za-z0-9]+$/);
    expect(operation.tags.every((tag: string) => tags.includes(tag))).toBe(true);
    expect(operation.summary.length).toBeGreaterThan(3);
    expect(operation.description).toMatch(/Anybody may call this|Needs /);
    const isPublic = operation["x-access"] === "public";
    const needsToken = (scheme: Json) => scheme.bearer !== undefined || scheme.oauth2 !== undefined;
    expect(operation.security.length > 0 && operation.security.every(needsToken)).toBe(!isPublic);
  }
  const names = operations.map(({ operation }) => operation.operationId);
  expect(new Set(names).size).toBe(names.length);
});

test("a public operation that works differently for a signed-in caller declares the access token as optional", () => {
  const optional = operations.filter(
    ({ operation }) =>
      operation["x-access"] === "public" && operation.security.some((scheme: Json) => scheme.bearer),
  );
  expect(optional.map(({ operation }) => [operation.operationId, operation.security])).toEqual([
    ["confirmEmailChange", [{}, { bearer: [] }]],
    ["acceptInvitation", [{}, { bearer: [] }]],
  ]);
  const reading = definitions.filter(
    ({ access, responses, errors }) =>
      access === "public" &&
      !(302 in responses) &&
      errors?.some(({ code }) => code === "TWO_FACTOR_REQUIRED"),
  );
  expect(reading.map(({ optionalBearer }) => optionalBearer)).toEqual([true, true]);
});

test("every error response of an operation lists its error codes", () => {
  for (const definition of definitions) {
    const { responses } = document.paths[definition.path][definition.method];
    for (const { status, code } of errorsOf(definition)) {
      const response = resolve(responses[status]);
      expect(response.description).toContain(`\`${code}\``);
      const { schema } = response.content["application/json"];
      for (const alternative of schema.oneOf ?? [schema])
        expect(resolve(alternative).allOf[0].$ref).toEndWith("/Error");
    }
    for (const status of Object.keys(definition.responses)) expect(responses[status]).toBeDefined();
  }
});

test("an operation declares a header parameter only if the header has an effect on it", () => {
  for (const definition of definitions) {
    const { parameters = [] } = document.paths[definition.path][definition.method];
    const headers = parameters.map(resolve).filter((one: Json) => one.in === "header");
    const { access, request, filterHeaders = {} } = definition;
    const isOfOrganizations =
      access === "member" ||
      typeof access === "object" ||
      (access === "platform-admin" && request?.query?.shape.organization !== undefined);
    expect([definition.operationId, headers.map(({ name }: Json) => name)]).toEqual([
      definition.operationId,
      [
        ...(isOfOrganizations ? ["X-Organization-Id"] : []),
        ...("unit" in filterHeaders ? ["X-Filter-Unit"] : []),
        ...("member" in filterHeaders ? ["X-Filter-Member"] : []),
        ...(definition.idempotent ? ["Idempotency-Key"] : []),
      ],
    ]);
  }
  for (const name of [
    "X-Request-Id",
    "X-Organization-Id",
    "X-Filter-Unit",
    "X-Filter-Member",
    "Idempotency-Key",
  ])
    expect(document.info.description).toContain(`\`${name}\``);
});

test("the schema of every body and query refuses unknown properties, at any depth", () => {
  const check = (where: string, schema: Json) => {
    const known = resolve(schema);
    if (known?.type === "object") {
      // WebAuthn lets extensions add results; the service ignores them.
      const isOpen = where.endsWith(".clientExtensionResults");
      expect([where, known.additionalProperties]).toEqual([where, isOpen ? {} : false]);
      for (const [name, field] of Object.entries(known.properties ?? {})) check(`${where}.${name}`, field);
    }
    if (known?.items) check(`${where}[]`, known.items);
    for (const part of [...(known?.anyOf ?? []), ...(known?.oneOf ?? [])]) check(where, part);
  };
  for (const { operation } of operations)
    if (bodyOf(operation)) check(operation.operationId, bodyOf(operation).schema);
  for (const definition of definitions) {
    for (const part of [definition.request?.query, definition.request?.params])
      if (part)
        expect([
          definition.operationId,
          part.safeParse({ unknownKey: "x" }).error?.issues.some(({ code }) => code === "unrecognized_keys"),
        ]).toEqual([definition.operationId, true]);
  }
});

test("the service accepts the example of every body, with a declared response", async () => {
  const { admin } = await createOrganization(t);
  const root = await t.platformAdmin();
  for (const { path, method, operation } of operations) {
    const body = bodyOf(operation);
    if (body === undefined) continue;
    expect([operation.operationId, body.example === undefined]).toEqual([operation.operationId, false]);
    const access = operation["x-access"];
    const caller = access === "public" ? t.anonymous() : access === "platform-admin" ? root : admin;
    // The test's caller throws for a response that the document does not declare.
    const response = await caller.send(
      method.toUpperCase(),
      path.replaceAll(/\{\w+\}/g, crypto.randomUUID()),
      body.example,
    );
    expect(Object.keys(operation.responses)).toContain(String(response.status));
    // Ids and providers in an example do not exist here, so 404 and errors about them are accepted.
    const complaints = (response.body.errors ?? []).filter(
      ({ message }: Json) => !/must be an? (existing|reachable)/.test(message),
    );
    expect([operation.operationId, complaints]).toEqual([operation.operationId, []]);
  }
});

test("an operation that accepts a form describes it next to its JSON body, with fields, images and an example", () => {
  const forms = operations.filter(({ operation }) => operation.requestBody?.content["multipart/form-data"]);
  expect(forms.length).toBeGreaterThanOrEqual(4);
  for (const { operation } of forms) {
    const { schema, example } = operation.requestBody.content["multipart/form-data"];
    const fields = Object.keys(resolve(bodyOf(operation).schema).properties);
    expect(Object.keys(resolve(schema).properties).sort()).toEqual([...fields, "images"].sort());
    expect(resolve(schema).properties.images).toMatchObject({ maxItems: 5, items: { format: "binary" } });
    expect(schema.additionalProperties).toBe(false);
    expect(example).toEqual(bodyOf(operation).example);
  }
});

test("the document matches its listing, so that changes of the API show in review", async () => {
  expect(listing(document).split("\n")).toEqual((await Bun.file(LISTING).text()).split("\n"));
});

test("the API explorer and its assets refer to no other host", async () => {
  const page = await (await fetch(`${t.url}/api/docs`)).text();
  expect(page).not.toMatch(/https?:|\/\//);
  const loaded = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, target]) => target ?? "");
  expect(loaded.length).toBeGreaterThan(2);
  for (const target of loaded) {
    expect(target).toStartWith("/api/docs/");
    expect((await fetch(t.url + target)).status).toBe(200);
  }
  const css = await (await fetch(`${t.url}/api/docs/swagger-ui.css`)).text();
  expect(
    [...css.matchAll(/(?:url\(|@import)\s*["']?([a-z]+:)?/g)].filter(([, scheme]) => scheme !== "data:"),
  ).toEqual([]);
  const start = await (await fetch(`${t.url}/api/docs/start.js`)).text();
  expect(start).not.toMatch(/https?:/);
  expect(start).toContain("validatorUrl: null");
});

test("the API explorer serves only its own files", async () => {
  for (const path of [
    "package.json",
    "index.html",
    "..%2fpackage.json",
    "swagger-ui.css%00",
    "swagger-ui-bundle.js.map",
    "toString",
  ])
    expect((await fetch(`${t.url}/api/docs/${path}`)).status).toBe(404);
});
