import { expect, test } from "bun:test";
import type { RouteDefinition } from "../../../src/core/api/route.ts";
import { insertGrant, useApp } from "../../support/apps.ts";
import type { ApiResponse, Caller } from "../../support/caller.ts";
import { createMachine } from "../../support/machines.ts";
import { createOrganization } from "../../support/organizations.ts";
import { actingIn, idOf, messages, outcome } from "../../support/outcomes.ts";
import { isOfService } from "../../support/product-names.ts";
import { definitions } from "../../support/routes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService({ OAUTH_APPS: "any" });

const FILTERS = ["X-Filter-Unit", "X-Filter-Member"];
const ids = (count: number) => Array.from({ length: count }, () => crypto.randomUUID());
const ID = crypto.randomUUID();

/** Invalid values of a header of ids, each with its error message. */
const refusedValues = (header: string) =>
  [
    ["none", `${header} must be a UUID`],
    [`${ID},none`, `${header} must be a UUID`],
    [`${ID};${ID}`, `${header} must be a UUID`],
    [`{${ID}}`, `${header} must be a UUID`],
    [ids(51).join(","), `${header} must contain no more than 50 elements`],
    [Array(51).fill(ID).join(","), `${header} must contain no more than 50 elements`],
  ] as const;

const guarded = definitions.filter(({ access }) => access !== "public" && access !== "setup-link");
const isCreate = ({ responses }: RouteDefinition) => 201 in responses;

/** An export by a platform administrator writes an audit event, so two exports differ. */
const isExport = (path: string) => path.endsWith("/export");

/** Calls a route without a body, with the id of a record that does not exist. */
const call = (caller: Caller, { method, path }: RouteDefinition, options = {}): Promise<ApiResponse> =>
  caller.send(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, ID), undefined, options);
const pathsOf = ({ body }: ApiResponse): string[] =>
  (body.errors ?? []).map(({ path }: { path: string }) => path);

/** Creates callers that pass all checks before validation, and picks the right one for a route. */
async function callers() {
  const [org, admin] = [await createOrganization(t), await t.platformAdmin()];
  const machine = (await createMachine(org, { role: "MEMBER" })).caller;
  const { accessToken } = await insertGrant(t, { userId: idOf(org.admin), organizationId: org.id });
  const others: Record<string, Caller> = {
    "platform-admin": admin,
    "api-key": machine,
    app: useApp(t, accessToken),
  };
  const callerOf = ({ access }: RouteDefinition) => others[String(access)] ?? org.admin;
  return { org, admin, callerOf };
}

test("a malformed filter header, or one with more than 50 ids, is 400 on every route except those that create records", async () => {
  const { callerOf } = await callers();
  const readers = guarded.filter((definition) => !isCreate(definition));
  expect(readers.length).toBeGreaterThan(20);
  for (const definition of readers) {
    for (const header of FILTERS) {
      for (const [value, message] of refusedValues(header)) {
        const response = await call(callerOf(definition), definition, { headers: { [header]: value } });
        expect([definition.operationId, outcome(response)]).toEqual([
          definition.operationId,
          "400 VALIDATION_FAILED",
        ]);
        expect(response.body.errors).toContainEqual({ path: header, message });
      }
    }
  }
});

test("violations of both filter headers are reported together with those of path, query and body", async () => {
  const { org } = await callers();
  const headers = { "X-Filter-Unit": "none", "X-Filter-Member": ids(51).join(",") };
  const response = await org.admin.patch("/api/todos/none?x=1", { title: "" }, { headers });
  expect(pathsOf(response).toSorted()).toEqual(["X-Filter-Member", "X-Filter-Unit", "id", "title", "x"]);
});

test("filter headers accept up to 50 ids, known or not, and only todos, the list of units and overviews use them", async () => {
  const { org, callerOf } = await callers();
  const needsNoQuery = ({ request }: RouteDefinition) => request?.query?.safeParse({}).success ?? true;
  const listed = guarded
    .filter(needsNoQuery)
    .filter(
      ({ method, path, responses }) =>
        method === "get" && !path.includes("{") && 200 in responses && !isExport(path),
    );
  const overviews = ["/api/organization/overview", "/api/organization/helpdesk/overview"];
  const filtering = ["/api/todos", "/api/todos/all", "/api/units"];
  await org.unit("One");
  expectStatus(await org.admin.post("/api/todos", { title: "Todo" }), 201);
  const headers = Object.fromEntries(FILTERS.map((header) => [header, ids(50).join(",")]));
  expect(listed.length).toBeGreaterThan(8);
  for (const definition of listed) {
    const caller = callerOf(definition);
    const filtered = expectStatus(await call(caller, definition, { headers }), 200).body;
    if (filtering.includes(definition.path)) expect(filtered).toMatchObject({ data: [], total: 0 });
    // test/features/overview compares their figures with the filtered lists.
    else if (!overviews.includes(definition.path))
      expect(filtered).toEqual((await call(caller, definition)).body);
  }
});

test("routes that create records ignore filter headers, even malformed ones", async () => {
  const { org, admin, callerOf } = await callers();
  const creates = guarded.filter(isCreate);
  expect(creates.map(({ operationId }) => operationId)).toEqual(
    expect.arrayContaining(["createTodo", "createUnit", "createRole", "foundOrganization"]),
  );
  for (const header of FILTERS) {
    for (const [value] of refusedValues(header)) {
      for (const definition of creates) {
        const response = await call(callerOf(definition), definition, { headers: { [header]: value } });
        expect(pathsOf(response)).not.toContain(header);
      }
    }
  }
  const headers = { "X-Filter-Unit": "none", "X-Filter-Member": ID };
  const made = [
    await org.admin.post("/api/todos", { title: "x" }, { headers }),
    await org.admin.post("/api/units", { name: "x", parentId: null }, { headers }),
    await org.admin.post("/api/roles", { name: "x", permissions: [] }, { headers }),
    await org.admin.post("/api/auth/organizations", { name: "x" }, { headers }),
    await admin.post("/api/todos", { title: "x" }, { headers: { ...headers, ...actingIn(org).headers } }),
  ];
  expect(made.map(outcome)).toEqual(Array(5).fill("201"));
});

test("the OpenAPI document lists each filter header only on routes where it has an effect", async () => {
  const { paths } = (await t.anonymous().get("/api/docs-json")).body;
  const shown = (header: string) =>
    guarded
      .filter(isOfService)
      .filter(({ path, method }) =>
        paths[path][method].parameters.some((one: { in: string; name: string }) => one.name === header),
      )
      .map(({ operationId }) => operationId)
      .toSorted();
  const oneTodo = ["deleteTodo", "getTodo", "updateTodo"];
  const todos = [...oneTodo, "listAllTodos", "listTodos"];
  expect(shown("X-Filter-Member")).toEqual(todos.toSorted());
  const overviews = ["getOrganizationOverview", "getHelpdeskOverview"];
  expect(shown("X-Filter-Unit")).toEqual([...todos, ...overviews, "listUnits"].toSorted());
  expect(shown("X-Organization-Id")).toEqual(expect.arrayContaining([...todos, "createTodo", "listMembers"]));
  expect(shown("X-Organization-Id")).not.toContain("getProfile");
});

test("a malformed X-Organization-Id from a platform administrator is 400 on every route that needs a token", async () => {
  const { admin } = await callers();
  for (const definition of guarded) {
    for (const [value, message] of refusedValues("X-Organization-Id")) {
      const response = await call(admin, definition, { headers: { "X-Organization-Id": value } });
      expect([
        definition.operationId,
        outcome(response),
        response.body.message,
        response.body.errors,
      ]).toEqual([
        ...[definition.operationId, "400 VALIDATION_FAILED", message],
        [{ path: "X-Organization-Id", message }],
      ]);
    }
  }
});

test("an empty X-Organization-Id counts as absent, for every caller", async () => {
  const { org, admin } = await callers();
  const reads = guarded.filter(({ method, path }) => method === "get" && !path.includes("{"));
  for (const definition of reads) {
    for (const caller of [org.admin, admin]) {
      const { status, body } = await call(caller, definition);
      for (const value of ["", " "]) {
        const response = await call(caller, definition, { headers: { "X-Organization-Id": value } });
        expect([definition.operationId, response.status]).toEqual([definition.operationId, status]);
        if (status === 200 && !isExport(definition.path)) expect(response.body).toEqual(body);
      }
    }
  }
});

test("public routes ignore any X-Organization-Id, from every caller", async () => {
  const { org, admin } = await callers();
  const open = definitions.filter(({ access }) => access === "public");
  expect(open.length).toBeGreaterThan(0);
  for (const definition of open) {
    for (const caller of [t.anonymous(), admin.at(t.url)]) {
      caller.cookie = null;
      const plain = await call(caller, definition);
      for (const value of ["none", org.id, ids(51).join(",")]) {
        const response = await call(caller, definition, { headers: { "X-Organization-Id": value } });
        expect([response.status, messages(response)]).toEqual([plain.status, messages(plain)]);
      }
    }
  }
});

test("query filters by id accept up to 50 UUIDs, on every list that has them", async () => {
  const { org, admin } = await callers();
  const lists: [Caller, string, string[]][] = [
    [org.admin, "/api/members", ["unit", "member"]],
    [admin, "/api/users", ["organization", "unit", "member"]],
    [admin, "/api/organizations", ["organization"]],
  ];
  for (const [caller, path, names] of lists) {
    for (const name of names) {
      for (const key of [name, `${name}[]`, `${name}%5B%5D`]) {
        const query = (values: string[]) => values.map((value) => `${key}=${value}`).join("&");
        expect((await caller.get(`${path}?${query(ids(50))}`)).body).toMatchObject({ data: [], total: 0 });
        for (const values of [ids(51), Array(51).fill(ID), ["none"], [ID, ""], [`${ID},${ID}`]]) {
          const response = await caller.get(`${path}?${query(values)}`);
          expect(outcome(response)).toBe("400 VALIDATION_FAILED");
          expect(pathsOf(response).every((at) => at === name || at.startsWith(`${name}.`))).toBe(true);
        }
      }
    }
    for (const name of ["organization", "unit", "member"].filter((one) => !names.includes(one)))
      expect(messages(await caller.get(`${path}?${name}=${ID}`))).toEqual([
        `property ${name} should not exist`,
      ]);
  }
});

test("the filters of the list of accounts are combined with AND; a deleted or unknown unit matches no account", async () => {
  const { admin } = await callers();
  const [here, there] = [await createOrganization(t), await createOrganization(t)];
  const top = await here.unit("Top");
  const below = await here.unit("Below", top);
  const deleted = await here.unit("Deleted");
  expectStatus(await here.admin.delete(`/api/units/${deleted}`), 204);
  const [ofTop, ofBelow] = [
    await here.member({ role: "MEMBER", unit: top }),
    await here.member({ role: "MEMBER", unit: below }),
  ];
  const found = async (query: string, options = {}) =>
    expectStatus(await admin.get(`/api/users?${query}`, options), 200)
      .body.data.map(({ id }: { id: string }) => id)
      .toSorted();
  const people = (...all: Caller[]) => all.map(idOf).toSorted();
  expect(await found(`unit=${top}`)).toEqual(people(ofTop, ofBelow));
  expect(await found(`unit=${top}&member=${idOf(ofBelow)}`)).toEqual(people(ofBelow));
  expect(await found(`unit=${top}&organization=${here.id}`)).toEqual(people(ofTop, ofBelow));
  expect(await found(`unit=${top}&organization=${there.id}`)).toEqual([]);
  expect(await found(`unit=${top}`, actingIn(there))).toEqual([]);
  expect(await found(`organization=${here.id}&organization=${there.id}`, actingIn(there))).toEqual(
    people(there.admin),
  );
  for (const unit of [deleted, ID]) expect(await found(`unit=${unit}`)).toEqual([]);
});
