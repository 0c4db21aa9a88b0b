import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { createOrganization } from "../../support/organizations.ts";
import { actingIn, messages } from "../../support/outcomes.ts";
import { definitions } from "../../support/routes.ts";
import { startService } from "../../support/service.ts";

const t = await startService({ THROTTLE_LIMIT: "100000" });
const anonymous = t.anonymous();
const organization = await createOrganization(t);
const platformAdmin = await t.platformAdmin();

const ID = "0f9c1d5e-1111-4222-8333-444455556666";
const JSON_TYPE = { "content-type": "application/json" };
/** Callers of whom at least one may use each route. */
const callers: [Caller, Record<string, string>][] = [
  [organization.admin, {}],
  [platformAdmin, {}],
  [platformAdmin, actingIn(organization).headers],
];

test("a JSON body that is not an object is rejected with that violation only, on every route", async () => {
  const routes = definitions.filter(
    ({ method, access, request }) =>
      method !== "get" && access !== "setup-link" && request?.body?.kind !== "raw",
  );
  expect(routes.length).toBeGreaterThan(50);
  for (const { method, path, operationId } of routes) {
    for (const raw of ["[]", "null", '"\\u0000"', '["\\u0000"]', "1"]) {
      const responses = [];
      for (const [caller, headers] of callers) {
        const place = path.replaceAll(/\{\w+\}/g, ID);
        const given = { raw, headers: { ...JSON_TYPE, ...headers } };
        responses.push(await caller.send(method.toUpperCase(), place, undefined, given));
      }
      const refused = responses.filter(({ body }) => body.code === "VALIDATION_FAILED");
      expect([operationId, refused.length > 0]).toEqual([operationId, true]);
      for (const response of refused)
        expect([operationId, raw, messages(response)]).toEqual([
          operationId,
          raw,
          ["body must be an object"],
        ]);
    }
  }
});

test("accepting an invitation reports missing and invalid fields together", async () => {
  const accept = async (body: object) =>
    messages(await anonymous.post("/api/auth/accept-invitation", body)).toSorted();
  expect(await accept({ token: 1, password: "short", role: "x" })).toEqual([
    "firstName is required",
    "lastName is required",
    "password must be longer than or equal to 10 characters",
    "property role should not exist",
    "token must be a string",
  ]);
  expect(await accept({ firstName: "", lastName: null })).toEqual([
    "firstName should not be empty",
    "lastName must be a string",
    "password is required",
    "token is required",
  ]);
  expect(await accept({ token: 1 })).toEqual(["token must be a string"]);
});

test("registration and second-factor routes report violations across several fields together with all others", async () => {
  const register = await anonymous.post("/api/auth/register", {
    email: "someone.long@example.com",
    password: "someone.long@example.com",
    firstName: "",
    lastName: 1,
  });
  expect(messages(register).toSorted()).toEqual([
    "firstName should not be empty",
    "lastName must be a string",
    "password must not be the email address",
  ]);
  const verify = async (body: object) =>
    messages(await anonymous.post("/api/auth/2fa/verify", body)).toSorted();
  expect(await verify({ role: 1 })).toEqual([
    "challengeToken is required",
    "code is required",
    "property role should not exist",
  ]);
});

test("every array in a request has a maximum length", async () => {
  const { components, paths } = (await anonymous.get("/api/docs-json")).body;
  const unbounded: string[] = [];
  const look = (schema: Record<string, unknown> | undefined, where: string): void => {
    if (typeof schema !== "object" || schema === null) return;
    if (typeof schema.$ref === "string") look(components.schemas[schema.$ref.split("/").at(-1) ?? ""], where);
    if (schema.type === "array" && typeof schema.maxItems !== "number") unbounded.push(where);
    for (const [key, value] of Object.entries(schema)) look(value as never, `${where}.${key}`);
  };
  for (const operations of Object.values(paths) as Record<string, Record<string, unknown>>[]) {
    for (const { operationId, parameters, requestBody } of Object.values(operations)) {
      look(parameters as never, `${operationId}`);
      look(requestBody as never, `${operationId}`);
    }
  }
  expect(unbounded).toEqual([]);
});
