import { expect, test } from "bun:test";
import { z } from "@hono/zod-openapi";
import { route } from "../../../src/core/api/route.ts";
import { json, jsonBody } from "../../../src/core/api/route-parts.ts";
import { Router } from "../../../src/core/api/router.ts";
import { uuid } from "../../../src/core/definitions/fields.ts";
import { serveRoutes } from "../../support/routes.ts";
import { sharedService } from "../../support/service.ts";

const t = await sharedService();

/** A route with every kind of input: path, query, headers and body. */
const everything = route({
  operationId: "everything",
  method: "patch",
  path: "/api/everything/{id}",
  summary: "Takes everything",
  access: "signed-in",
  request: {
    params: z.strictObject({ id: uuid }),
    query: z.strictObject({
      sort: z.enum(["name", "email"]).optional(),
      unit: z.array(uuid).max(50).optional(),
    }),
    body: jsonBody(
      z.strictObject({
        title: z.string().min(1).optional(),
        done: z.boolean().optional(),
        assignments: z.array(z.strictObject({ roleId: uuid, unitId: uuid.nullish() })).optional(),
        anything: z.unknown().optional(),
      }),
    ),
  },
  responses: { 200: json(z.object({ seen: z.unknown() }), "What came in") },
});
const router = new Router().openapi(everything, async (c) =>
  c.json(
    { seen: { params: c.req.valid("param"), query: c.req.valid("query"), body: c.req.valid("json") } },
    200,
  ),
);
const url = serveRoutes(t.running, router);
const person = (await t.person()).at(url);
const ID = "0f9c1d5e-1111-4222-8333-444455556666";

const patch = (query: string, body: unknown = {}, headers: Record<string, string> = {}) =>
  person.patch(`/api/everything/${ID}${query}`, body, { headers });
const messages = async (query: string, body: unknown = {}, headers: Record<string, string> = {}) => {
  const response = await patch(query, body, headers);
  expect([response.status, response.body.code]).toEqual([400, "VALIDATION_FAILED"]);
  return response.body.errors.map(({ message }: { message: string }) => message);
};

test("one response lists all violations of path, query, headers and body", async () => {
  const response = await person.patch(
    "/api/everything/no-uuid?sort=age&foo=1&unit=x",
    { title: "", done: "yes", assignments: [{ roleId: "x" }, { unitId: null, extra: 1 }], bar: 1 },
    { headers: { "x-filter-unit": "x", "x-filter-member": "y" } },
  );
  expect(response.status).toBe(400);
  const errors = [
    { path: "id", message: "id must be a UUID" },
    { path: "sort", message: "sort must be one of the following values: name, email" },
    { path: "unit.0", message: "unit.0 must be a UUID" },
    { path: "foo", message: "property foo should not exist" },
    { path: "title", message: "title should not be empty" },
    { path: "done", message: "done must be a boolean value" },
    { path: "assignments.0.roleId", message: "assignments.0.roleId must be a UUID" },
    { path: "assignments.1.roleId", message: "assignments.1.roleId is required" },
    { path: "assignments.1.extra", message: "property extra should not exist" },
    { path: "bar", message: "property bar should not exist" },
    { path: "X-Filter-Unit", message: "X-Filter-Unit must be a UUID" },
    { path: "X-Filter-Member", message: "X-Filter-Member must be a UUID" },
  ];
  expect(response.body.errors).toEqual(errors);
  expect(response.body.message).toBe(errors.map(({ message }) => message).join("; "));
});

test("a path id that is not a UUID is a violation, invalid encoding included", async () => {
  for (const id of ["x", "%FF", "%zz", "%00", `${ID}0`, `%20${ID}`, "%F0%9F%98%80", "..%2f..%2fetc"]) {
    const response = await person.patch(`/api/everything/${id}`, {});
    expect([id, response.status, response.body.errors.at(-1)]).toEqual([
      id,
      400,
      { path: "id", message: "id must be a UUID" },
    ]);
  }
});

test("a UUID in upper case identifies the same record", async () => {
  expect((await person.patch(`/api/everything/${ID.toUpperCase()}`, {})).status).toBe(200);
});

test("an unknown query parameter is a violation, also on routes without a query", async () => {
  expect(await messages("?foo=1&__proto__=2&constructor")).toEqual([
    "property foo should not exist",
    "property __proto__ should not exist",
    "property constructor should not exist",
  ]);
  for (const path of ["/api/health/live", "/api/docs-json"]) {
    const response = await t.anonymous().get(`${path}?foo=1`);
    expect([response.status, response.body.code]).toEqual([400, "VALIDATION_FAILED"]);
    expect(response.body.errors).toEqual([{ path: "foo", message: "property foo should not exist" }]);
  }
});

test("a single-value parameter must not be repeated", async () => {
  expect(await messages("?sort=name&sort=name")).toEqual(["sort must not be repeated"]);
  expect(await messages("?sort=name&sort[]=name")).toEqual(["property sort[] should not exist"]);
});

test("a list parameter accepts one value or several, with or without brackets", async () => {
  const other = ID.replace("0f", "1f");
  for (const query of [
    `?unit=${ID}&unit=${other}`,
    `?unit[]=${ID}&unit=${other}`,
    `?unit%5B%5D=${ID}&unit[]=${other}`,
  ]) {
    expect((await patch(query)).body.seen.query).toEqual({ unit: [ID, other] });
  }
  expect((await patch(`?unit[]=${ID}`)).body.seen.query).toEqual({ unit: [ID] });
});

test("a list accepts at most 50 values", async () => {
  const units = (count: number) => `?${Array.from({ length: count }, () => `unit=${ID}`).join("&")}`;
  expect((await patch(units(50))).status).toBe(200);
  expect(await messages(units(51))).toEqual(["unit must contain no more than 50 elements"]);
});

test("a query with invalid UTF-8 is a violation", async () => {
  expect(await messages("?sort=%FF&%zz=1&unit=%")).toEqual([
    "sort must be valid UTF-8",
    "query must be valid UTF-8",
    "unit must be valid UTF-8",
  ]);
  expect(await messages("?sort=%ED%A0%80")).toEqual(["sort must be valid UTF-8"]);
});

test("NUL in a query or a path is a violation", async () => {
  expect(await messages("?sort=%00")).toContain(
    "sort must not contain NUL characters or unpaired surrogates",
  );
});

test("empty pairs in a query are ignored", async () => {
  expect((await patch("?&&sort=name&")).status).toBe(200);
  expect((await patch("?")).status).toBe(200);
});

test("NUL and unpaired surrogates are refused in every string, at any depth", async () => {
  for (const text of ["a\\u0000", "\\ud800", "\\udc00\\ud800"]) {
    const raw = `{"assignments":[{"roleId":"${text}"}],"title":"${text}"}`;
    const response = await person.patch(`/api/everything/${ID}`, undefined, {
      raw,
      headers: { "content-type": "application/json" },
    });
    expect(response.body.errors).toContainEqual({
      path: "title",
      message: "title must not contain NUL characters or unpaired surrogates",
    });
    expect(response.body.errors).toContainEqual({
      path: "assignments.0.roleId",
      message: "assignments.0.roleId must not contain NUL characters or unpaired surrogates",
    });
  }
});

test("strings are also checked inside values of any type, and very deep nesting is rejected", async () => {
  const deep = (levels: number) => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
  expect(await messages("", { anything: { a: [{ b: "\0" }] } })).toEqual([
    "anything must not contain NUL characters or unpaired surrogates",
  ]);
  expect(await messages("", { anything: { "\0": { "\ud800": 1 } } })).toEqual([
    "anything must not contain NUL characters or unpaired surrogates",
  ]);
  expect(await messages("", { anything: deep(1000) })).toEqual(["anything is nested too deeply"]);
  expect((await patch("", { anything: deep(20) })).status).toBe(200);
});

test("property names such as `__proto__` are unknown properties", async () => {
  const raw = '{"__proto__":{"title":"x"},"constructor":1,"\\ud800":1,"a\\u0000":1,"":1}';
  const response = await person.patch(`/api/everything/${ID}`, undefined, {
    raw,
    headers: { "content-type": "application/json" },
  });
  expect(response.body.errors.map(({ path }: { path: string }) => path)).toEqual([
    "__proto__",
    "constructor",
    "\ud800",
    "a\0",
    "",
  ]);
});

test("if a JSON property is repeated, the last value wins", async () => {
  const response = await person.patch(`/api/everything/${ID}`, undefined, {
    raw: '{"title":1,"title":"last"}',
    headers: { "content-type": "application/json" },
  });
  expect(response.body.seen.body).toEqual({ title: "last" });
});

test("a value of the wrong type is reported with the expected type", async () => {
  expect(await messages("", { title: 1, done: null, assignments: {} })).toEqual([
    "title must be a string",
    "done must be a boolean value",
    "assignments must be an array",
  ]);
  expect(await messages("", { assignments: [null, [], { roleId: 1 }] })).toEqual([
    "assignments.0 must be an object",
    "assignments.1 must be an object",
    "assignments.2.roleId must be a string",
  ]);
});

test("a filter header accepts at most 50 ids, and blanks and empty entries are ignored", async () => {
  const ids = (count: number) => new Array(count).fill(ID).join(" , ");
  for (const value of ["", " ", ",", ids(1), ids(50), ` ${ID} ,, `])
    expect((await patch("", {}, { "x-filter-unit": value })).status).toBe(200);
  expect(await messages("", {}, { "x-filter-unit": ids(51), "x-filter-member": `${ID} ${ID}` })).toEqual([
    "X-Filter-Unit must contain no more than 50 elements",
    "X-Filter-Member must be a UUID",
  ]);
});

test("public routes ignore the organization and filter headers", async () => {
  const headers = { "x-organization-id": "x", "x-filter-unit": "x", "x-filter-member": "x" };
  expect((await t.anonymous().get("/api/health/live", { headers })).status).toBe(200);
});
