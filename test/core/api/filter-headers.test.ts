import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { createOrganization } from "../../support/organizations.ts";
import { actingIn, idOf, outcome } from "../../support/outcomes.ts";
import { request, sendRaw } from "../../support/raw.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();

const unitFilter = (...ids: string[]) => ({ headers: { "x-filter-unit": ids.join(",") } });
const memberFilter = (...people: Caller[]) => ({
  headers: { "x-filter-member": people.map(idOf).join(",") },
});
const filters = (...all: { headers: Record<string, string> }[]) => ({
  headers: Object.assign({}, ...all.map(({ headers }) => headers)) as Record<string, string>,
});

const make = async (caller: Caller, title: string): Promise<string> =>
  expectStatus(await caller.post("/api/todos", { title }), 201).body.id;
/** Returns the sorted titles of a todo list as one line; checks that the total matches. */
async function titles(caller: Caller, options = {}, path = "/api/todos/all"): Promise<string> {
  const { data, total } = expectStatus(await caller.get(path, options), 200).body;
  expect(total).toBe(data.length);
  return data
    .map(({ title }: { title: string }) => title)
    .toSorted()
    .join(" ");
}
const own = (caller: Caller, options = {}) => titles(caller, options, "/api/todos");
const touch = async (caller: Caller, id: string, options = {}) => [
  outcome(await caller.get(`/api/todos/${id}`, options)),
  outcome(await caller.patch(`/api/todos/${id}`, {}, options)),
  outcome(await caller.patch(`/api/todos/${id}`, { completed: true }, options)),
  outcome(await caller.delete(`/api/todos/${id}`, options)),
];
const OUTSIDE = Array(4).fill("404 NOT_FOUND");
const INSIDE = ["200", "200", "200", "204"];

/**
 * Creates a unit, a sub-unit, a sibling unit and a deleted unit; members in each, in two of them and in none; one
 * todo each.
 */
async function tree() {
  const org = await createOrganization(t);
  const one = await org.unit("One");
  const [below, beside] = [await org.unit("Below", one), await org.unit("Beside")];
  const deleted = await org.unit("Deleted");
  expectStatus(await org.admin.delete(`/api/units/${deleted}`), 204);
  const people = {
    one: await org.member({ role: "MEMBER", unit: one }),
    below: await org.member({ role: "MEMBER", unit: below }),
    beside: await org.member({ role: "MEMBER", unit: beside }),
    both: await org.member({ role: "MEMBER", unit: below }, { role: "MEMBER", unit: beside }),
    nowhere: await org.member(),
  };
  const todos: Record<string, string> = {};
  for (const [place, person] of Object.entries(people)) todos[place] = await make(person, place);
  return { org, one, below, beside, deleted, people, todos: todos as Record<keyof typeof people, string> };
}

test("X-Filter-Unit returns the todos of members linked to any of the units or their sub-units", async () => {
  const { org, one, below, beside } = await tree();
  expect(await titles(org.admin)).toBe("below beside both nowhere one");
  expect(await titles(org.admin, unitFilter(one))).toBe("below both one");
  expect(await titles(org.admin, unitFilter(below))).toBe("below both");
  expect(await titles(org.admin, unitFilter(below, beside))).toBe("below beside both");
  expect(await titles(org.admin, unitFilter(one, below))).toBe("below both one");
});

test("X-Filter-Member returns the todos of these members, and both filter headers are combined with AND", async () => {
  const { org, one, beside, people } = await tree();
  expect(await titles(org.admin, memberFilter(people.one, people.nowhere))).toBe("nowhere one");
  const two = memberFilter(people.one, people.both);
  expect(await titles(org.admin, filters(two, unitFilter(one)))).toBe("both one");
  expect(await titles(org.admin, filters(two, unitFilter(beside)))).toBe("both");
  expect(await titles(org.admin, filters(memberFilter(people.nowhere), unitFilter(one)))).toBe("");
});

test("in filter headers, deleted, unknown and foreign units and non-members match nothing", async () => {
  const { org, beside, deleted, people } = await tree();
  const other = await createOrganization(t);
  const foreign = await other.unit("Foreign");
  await other.add(people.one, { role: "MEMBER", unit: foreign });
  await make(other.admin, "foreign");
  for (const unit of [deleted, foreign, crypto.randomUUID()]) {
    expect(await titles(org.admin, unitFilter(unit))).toBe("");
    expect(await titles(org.admin, unitFilter(unit, beside))).toBe("beside both");
    expect(await own(people.one, unitFilter(unit))).toBe("");
  }
  expect(await titles(org.admin, memberFilter(other.admin))).toBe("");
  expect(await titles(org.admin, { headers: { "x-filter-member": crypto.randomUUID() } })).toBe("");
});

test("filter headers are intersected with the caller's reach: they never widen it and never cause an error", async () => {
  const { org, one, below, beside, people } = await tree();
  const admin = await org.member({ role: "UNIT_ADMIN", unit: one });
  expect(await titles(admin)).toBe("below both one");
  expect(await titles(admin, unitFilter(below))).toBe("below both");
  expect(await titles(admin, unitFilter(below, beside))).toBe("below both");
  expect(await titles(admin, memberFilter(people.beside, people.one))).toBe("one");
  for (const outside of [memberFilter(people.beside), unitFilter(crypto.randomUUID())])
    expect(await titles(admin, outside)).toBe("");
  // The owner is linked to one unit in reach and to another one in the filter, but no unit is in both.
  expect(await titles(admin, unitFilter(beside))).toBe("");
});

test("a caller without the permission gets 403, with or without a filter header", async () => {
  const { one, people } = await tree();
  for (const options of [{}, unitFilter(one), memberFilter(people.one)])
    expect(outcome(await people.one.get("/api/todos/all", options))).toBe("403 FORBIDDEN");
});

test("both filter headers apply to the caller's own list of todos", async () => {
  const { one, below, beside, people } = await tree();
  expect(await own(people.both, unitFilter(one))).toBe("both");
  expect(await own(people.both, unitFilter(beside))).toBe("both");
  expect(await own(people.one, unitFilter(below))).toBe("");
  expect(await own(people.nowhere, unitFilter(one, beside))).toBe("");
  expect(await own(people.one, memberFilter(people.one, people.both))).toBe("one");
  expect(await own(people.one, memberFilter(people.both))).toBe("");
  expect(await own(people.one, filters(memberFilter(people.one), unitFilter(one)))).toBe("one");
});

test("a todo that does not match a filter header is 404 on read, update and delete", async () => {
  const { org, one, beside, deleted, people, todos } = await tree();
  const before = await t.sql("SELECT * FROM todos WHERE organization_id = $1 ORDER BY id", [org.id]);
  const outside = [unitFilter(beside), unitFilter(deleted), memberFilter(people.below)];
  for (const options of [...outside, filters(unitFilter(one), memberFilter(people.below))])
    expect(await touch(org.admin, todos.one, options)).toEqual(OUTSIDE);
  expect(await touch(people.one, todos.one, unitFilter(beside))).toEqual(OUTSIDE);
  expect(await touch(people.one, todos.one, memberFilter(people.below))).toEqual(OUTSIDE);
  expect(await touch(people.nowhere, todos.nowhere, unitFilter(one))).toEqual(OUTSIDE);
  expect(await t.sql("SELECT * FROM todos WHERE organization_id = $1 ORDER BY id", [org.id])).toEqual(before);

  expect(await touch(org.admin, todos.one, unitFilter(one, beside))).toEqual(INSIDE);
  expect(await touch(org.admin, todos.below, filters(unitFilter(one), memberFilter(people.below)))).toEqual(
    INSIDE,
  );
  expect(await touch(people.beside, todos.beside, unitFilter(beside))).toEqual(INSIDE);
});

test("a filter header gives no access to a todo outside the caller's reach", async () => {
  const { org, one, beside, people, todos } = await tree();
  const admin = await org.member({ role: "UNIT_ADMIN", unit: one });
  for (const options of [unitFilter(beside), memberFilter(people.beside)])
    expect(await touch(admin, todos.beside, options)).toEqual(OUTSIDE);
  expect(await touch(admin, todos.both, unitFilter(beside))).toEqual(OUTSIDE);
  expect(await touch(people.one, todos.both, memberFilter(people.both))).toEqual(OUTSIDE);
});

test("a platform administrator's filter headers match across organizations, and combine with X-Organization-Id", async () => {
  const [here, there] = [await tree(), await tree()];
  const admin = await t.platformAdmin();
  const units = unitFilter(here.one, there.beside);
  expect(await titles(admin, units)).toBe("below beside both both one");
  expect(await titles(admin, filters(units, actingIn(there.org)))).toBe("beside both");
  expect(await titles(admin, filters(unitFilter(here.one), actingIn(there.org)))).toBe("");
  expect(await titles(admin, memberFilter(here.people.one, there.people.below))).toBe("below one");
  const people = memberFilter(here.people.one, there.people.below);
  expect(await titles(admin, filters(people, actingIn(here.org)))).toBe("one");
  expect(await touch(admin, here.todos.one, unitFilter(there.one))).toEqual(OUTSIDE);
  expect(await touch(admin, here.todos.one, filters(unitFilter(here.one), actingIn(there.org)))).toEqual(
    OUTSIDE,
  );
  expect(await touch(admin, here.todos.one, filters(unitFilter(here.one), actingIn(here.org)))).toEqual(
    INSIDE,
  );
});

test("X-Filter-Unit filters the list of units, X-Filter-Member does not, and writes of units ignore both", async () => {
  const { org, one, below, beside, people } = await tree();
  const names = async (options: object) =>
    (await org.admin.get("/api/units", options)).body.data.map(({ name }: { name: string }) => name);
  expect(await names(unitFilter(one))).toEqual(["One", "Below"]);
  expect(await names(filters(unitFilter(beside), memberFilter(people.one)))).toEqual(["Beside"]);
  expect(await names(memberFilter(people.one))).toEqual(["Beside", "One", "Below"]);
  const elsewhere = filters(unitFilter(beside), memberFilter(people.nowhere));
  expect(outcome(await org.admin.patch(`/api/units/${below}`, { name: "Under" }, elsewhere))).toBe("200");
  const empty = await org.unit("Empty");
  expect(outcome(await org.admin.delete(`/api/units/${empty}`, elsewhere))).toBe("204");
});

test("an empty filter header counts as absent; spaces, upper case and duplicates are ignored", async () => {
  const { org, one, below, people } = await tree();
  for (const value of ["", " ", "\t"]) {
    for (const name of ["x-filter-unit", "x-filter-member"])
      expect(await titles(org.admin, { headers: { [name]: value } })).toBe("below beside both nowhere one");
    expect((await org.admin.get("/api/units", { headers: { "x-filter-unit": value } })).body.total).toBe(3);
  }
  expect(await titles(org.admin, unitFilter(` ${below.toUpperCase()} `, ` ${below}`))).toBe("below both");
  expect(await titles(org.admin, { headers: { "x-filter-member": idOf(people.one).toUpperCase() } })).toBe(
    "one",
  );
  expect(await own(people.one, { headers: { "x-filter-member": idOf(people.one).toUpperCase() } })).toBe(
    "one",
  );
  expect((await org.admin.get("/api/units", unitFilter(one.toUpperCase()))).body.total).toBe(2);
});

test("a repeated header is read as one list, also for its limit of 50 ids", async () => {
  const { org, below, beside, people } = await tree();
  const raw = async (caller: Caller, name: string, values: string[]) => {
    const repeated = values.join(`\r\n${name}: `);
    const headers = { Authorization: `Bearer ${caller.accessToken}`, [name]: repeated };
    const [response] = await sendRaw(t.url, request("GET /api/todos/all", headers));
    return { status: response?.status ?? 0, body: JSON.parse(response?.body || "null") };
  };
  const kept = async (name: string, ...values: string[]) =>
    (await raw(org.admin, name, values)).body.data.map(({ title }: { title: string }) => title).toSorted();
  expect(await kept("X-Filter-Unit", below, beside)).toEqual(["below", "beside", "both"]);
  expect(await kept("X-Filter-Unit", "", beside)).toEqual(["beside", "both"]);
  expect(await kept("X-Filter-Member", idOf(people.one), idOf(people.both))).toEqual(["both", "one"]);

  const ids = (count: number) => Array.from({ length: count }, () => crypto.randomUUID()).join(",");
  expect((await raw(org.admin, "X-Filter-Unit", [ids(25), ids(25)])).status).toBe(200);
  expect((await raw(org.admin, "X-Filter-Unit", [ids(25), ids(26)])).body.code).toBe("VALIDATION_FAILED");
  expect((await raw(org.admin, "X-Filter-Unit", [below, "none"])).body.code).toBe("VALIDATION_FAILED");

  const admin = await t.platformAdmin();
  const other = await createOrganization(t);
  await make(other.admin, "other");
  const spanning = await raw(admin, "X-Organization-Id", [other.id, org.id]);
  expect(spanning.body.total).toBe(6);
});
