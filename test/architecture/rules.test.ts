import { expect, test } from "bun:test";
import { join } from "node:path";
import { z } from "zod";
import { developmentApi } from "../../src/app/api.ts";
import { isSingleOrganization } from "../../src/core/access/access.ts";
import { permissions } from "../../src/core/access/catalog.ts";
import { openApiDocument } from "../../src/core/api/openapi.ts";
import { errorsOf } from "../../src/core/api/shared-errors.ts";
import { featureNames, limitNames } from "../../src/core/definitions/plan-names.ts";
import { auditActions, targetTypes } from "../../src/core/effects/audit-entry.ts";
import { TICKET_CATEGORIES, TICKET_STATUSES } from "../../src/core/effects/entries.ts";
import { type NotificationType, notificationTypes } from "../../src/core/effects/notification-types.ts";
import { exportContents } from "../../src/features/audit/export.ts";
import { crossOrigin } from "../../src/platform/http/cors.ts";
import { isOfService, namesOfProduct } from "../support/product-names.ts";
import { definitions } from "../support/routes.ts";

/*
 * Compares the lists in docs/rules with those of the code. Resources of a product, whose tables are created in
 * migrations/product, need no entry.
 */

const ROOT = join(import.meta.dir, "../..");
const read = (path: string) => Bun.file(join(ROOT, path)).text();
const document = (await Promise.all([...new Bun.Glob("docs/rules/*.md").scanSync(ROOT)].map(read))).join(
  "\n",
);
const schema = await read("sql/schema.sql");
const product = await Promise.all([...new Bun.Glob("migrations/product/*.sql").scanSync(ROOT)].map(read));
const resources = [...product.join("").matchAll(/CREATE TABLE (\w+)/g)].map(([, name]) => name);
/** Whether a table is the service's own. */
const isOwn = (name: string): boolean => !resources.includes(name);

/** Returns the text of a rule, with the table that follows it. */
const rule = (number: string): string =>
  document.split(`- **${number}** `)[1]?.split(/\n(?=- \*\*|## |_)/)[0] ?? "";
/** Returns the rows of a rule's table, without its head. */
const rows = (number: string): string[][] =>
  [...rule(number).matchAll(/^\| (.*) \|$/gm)]
    .slice(2)
    .map(([, row = ""]) => row.split(/(?<!\\)\|/).map((cell) => cell.trim()));
const quoted = (text = "", form = "\\w+"): string[] =>
  [...text.matchAll(new RegExp(`\`(${form})\``, "g"))].map(([, name = ""]) => name);
const words = (text: string | null | undefined): string[] => text?.match(/[\w-]+/g) ?? [];
const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort();
const own = (kind: Parameters<typeof namesOfProduct>[0], names: string[]) =>
  names.filter((name) => !namesOfProduct(kind).has(name));

test("rules 1.10 list the request headers that CORS allows and the response headers that it exposes", () => {
  const [, allowed, exposed] = rule("1.10").match(/the headers `(.*?)`\. Exposed: `(.*?)`/) ?? [];
  const origin = "https://web.test";
  const headers = { origin, "access-control-request-method": "PATCH" };
  const request = new Request(origin, { method: "OPTIONS", headers });
  const cors = crossOrigin([origin]);
  const response = cors?.preflight(request) ?? new Response();
  cors?.allow(request, response);
  expect(words(response.headers.get("access-control-allow-headers"))).toEqual(words(allowed));
  expect(words(response.headers.get("access-control-expose-headers"))).toEqual(words(exposed));
});

test("rules 2.8 list every error code by status", () => {
  const errors = definitions.filter(isOfService).flatMap(errorsOf);
  const byStatus = Map.groupBy(errors, ({ status }) => status);
  const declared = [...byStatus].map(([status, errors]) => [status, sorted(errors.map(({ code }) => code))]);
  const listed = rows("2.8").map(([status, codes]) => [Number(status), sorted(quoted(codes))]);
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(declared));
});

test("rules 3.8 list the paths of all routes that act in one organization", () => {
  const prefixOf = ({ path }: { path: string }) => path.split("/").slice(0, 3).join("/");
  const listed = quoted(rule("3.8"), "/api/[\\w-]+\\*?").map((path) => path.replace("*", ""));
  const single = definitions.filter(({ access }) => isSingleOrganization(access));
  expect(sorted(listed)).toEqual(sorted(single.filter(isOfService).map(prefixOf)));
  // A route that only API keys may call does not read the header.
  const callable = definitions.filter(({ access }) => access !== "api-key");
  const others = callable.filter((one) => listed.includes(prefixOf(one)) && !single.includes(one));
  expect(sorted(others.map(({ method }) => method))).toEqual(["delete", "get", "patch"]);
  expect(sorted(others.map(prefixOf))).toEqual(["/api/todos"]);
  expect(rule("3.8")).toContain("POST `/api/todos`");
});

type Documented = { $ref?: string; properties?: object; allOf?: Documented[]; oneOf?: Documented[] };
const { schemas } = openApiDocument(developmentApi).components as { schemas: Record<string, Documented> };

/** Returns the names of a schema's properties; of a union, those of all variants. */
const propertiesOf = ({ $ref, properties = {}, allOf = [], oneOf = [] }: Documented): string[] => [
  ...($ref === undefined ? [] : propertiesOf(schemas[$ref.split("/").at(-1) ?? ""] ?? {})),
  ...Object.keys(properties),
  ...[...allOf, ...oneOf].flatMap(propertiesOf),
];

test("each record that the rules define has the properties that its responses have", () => {
  const records = [...document.matchAll(/`(\w+)` = `\{ (.*?) \}`/g)];
  expect(records.length).toBeGreaterThanOrEqual(14);
  for (const [, name = "", properties = ""] of records) {
    const listed = words(properties.replace(/: (\{.*?\}|\d+)/g, ""));
    expect([name, ...sorted(listed)]).toEqual([name, ...sorted(propertiesOf(schemas[name] ?? {}))]);
  }
});

test("rules 12.2 list every permission with its scope", () => {
  const listed = rows("12.2").flatMap(([entity, unit, organization]) => [
    ...words(unit).map((action) => `${entity}.${action} unit`),
    ...words(organization).map((action) => `${entity}.${action} organization`),
  ]);
  const ofProduct = namesOfProduct("permissions");
  const names = permissions().filter(({ name }) => !ofProduct.has(name));
  expect(sorted(listed)).toEqual(sorted(names.map(({ name, scope }) => `${name} ${scope}`)));
});

test("rules 16.1 list every type of target, and rules 16.4 and 16.5 every audited action", () => {
  const [, targets] = rule("16.1").match(/`targetType`: (.*?) or null/) ?? [];
  expect(sorted(quoted(targets))).toEqual(sorted(own("targets", targetTypes())));
  const actions = quoted(rule("16.4") + rule("16.5"), "[A-Z_]+");
  expect(sorted(actions)).toEqual(sorted(own("audit", Object.keys(auditActions()))));
});

test("rules 16.10 list the columns of an export of audit events", () => {
  const [, columns] = rule("16.10").match(/CSV columns: (.*)\./) ?? [];
  expect(words(columns)).toEqual(words(exportContents["text/csv"].example.split("\r\n")[0]));
});

test("rules 17.4 list every type of notification with its data", () => {
  const types = notificationTypes();
  const listed = rows("17.4").flatMap(([types, , data = ""]) =>
    quoted(types).map((type) => [type, sorted(words(data.replace(/: .* /, "")))]),
  );
  // The id of a ticket's organization is optional: rules 17.5.
  const required = ({ shape }: z.ZodObject) =>
    Object.keys(shape).filter((name) => !(shape[name] instanceof z.ZodOptional));
  expect(Object.fromEntries(listed)).toEqual(
    Object.fromEntries(
      own("notifications", Object.keys(types)).map((type) => [
        type,
        sorted(required(types[type as NotificationType])),
      ]),
    ),
  );
});

test("rules 19.3 list the limits and features of plans, and rules 20.1 categories and statuses of tickets", () => {
  const [, limits, features] = rule("19.3").match(/Limits: (.*?)\. Feature: (.*?)\./) ?? [];
  expect([sorted(quoted(limits)), sorted(quoted(features))]).toEqual([
    sorted(own("limits", limitNames())),
    sorted(own("planFeatures", featureNames())),
  ]);
  expect(quoted(rule("20.1"))).toEqual([...TICKET_CATEGORIES, ...TICKET_STATUSES]);
});

test("rules 26.1 and 26.2 list every table, and 26.1 only columns that exist", () => {
  const tables = new Map(
    [...schema.matchAll(/^CREATE TABLE (\w+) \((.*?)^\)/gms)].map(([, name = "", body = ""]) => [name, body]),
  );
  const listed = quoted(rule("26.1").replace(/ \(.*?\)|;.*/g, "") + rule("26.2"));
  expect(listed.toSorted()).toEqual([...tables.keys()].filter(isOwn).sort());
  for (const [, table = "", columns] of rule("26.1").matchAll(/`(\w+)` \((.*?)\)/g))
    for (const column of quoted(columns))
      expect(tables.get(table)).toMatch(new RegExp(`^\\s+${column} `, "m"));
});
