import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();

const make = async (caller: Caller, title = "Todo"): Promise<string> =>
  expectStatus(await caller.post("/api/todos", { title }), 201).body.id;
/** Returns the titles of the list of all todos, sorted. */
const all = async (caller: Caller): Promise<string[]> =>
  expectStatus(await caller.get("/api/todos/all?sort=title&order=asc"), 200).body.data.map(
    ({ title }: { title: string }) => title,
  );
/** Reads, changes and deletes a todo; returns the three outcomes. */
const touch = async (caller: Caller, id: string) => [
  outcome(await caller.get(`/api/todos/${id}`)),
  outcome(await caller.patch(`/api/todos/${id}`, { completed: true })),
  outcome(await caller.delete(`/api/todos/${id}`)),
];
const NOT_FOUND = "404 NOT_FOUND";
const OUT_OF_REACH = [NOT_FOUND, NOT_FOUND, NOT_FOUND];
const IN_REACH = ["200", "200", "204"];

/** Creates a unit, a sub-unit and a sibling unit, with one member and todo in each, and one in no unit. */
async function tree() {
  const org = await createOrganization(t);
  const one = await org.unit("One");
  const [below, beside] = [await org.unit("Below", one), await org.unit("Beside")];
  const people = {
    one: await org.member({ role: "MEMBER", unit: one }),
    below: await org.member({ role: "MEMBER", unit: below }),
    beside: await org.member({ role: "MEMBER", unit: beside }),
    nowhere: await org.member(),
  };
  const todos: Record<string, string> = {};
  for (const [place, person] of Object.entries(people)) todos[place] = await make(person, place);
  return { org, one, below, beside, people, todos: todos as Record<keyof typeof people, string> };
}

test("todos of other users are 404 without a permission for others' todos", async () => {
  const org = await createOrganization(t);
  const [owner, other] = [await org.member(), await org.member()];
  const id = await make(owner);
  expect(await touch(other, id)).toEqual(OUT_OF_REACH);
  expect(outcome(await other.get("/api/todos/all"))).toBe("403 FORBIDDEN");
  expect(await touch(owner, id)).toEqual(IN_REACH);
});

test("an organization-wide permission for others' todos covers all members of the organization", async () => {
  const { org, todos } = await tree();
  expect(await all(org.admin)).toEqual(["below", "beside", "nowhere", "one"]);
  for (const id of Object.values(todos)) expect(await touch(org.admin, id)).toEqual(IN_REACH);
});

test("a permission for others' todos in a unit covers only members of that unit and its sub-units", async () => {
  const { org, one, todos } = await tree();
  const admin = await org.member({ role: "UNIT_ADMIN", unit: one });
  await make(admin, "own");
  expect(await all(admin)).toEqual(["below", "one", "own"]);
  for (const place of ["beside", "nowhere"] as const)
    expect(await touch(admin, todos[place])).toEqual(OUT_OF_REACH);
  for (const place of ["one", "below"] as const) expect(await touch(admin, todos[place])).toEqual(IN_REACH);
});

test("a permission for others' todos in a sub-unit does not cover its parent unit", async () => {
  const { org, below, todos } = await tree();
  const admin = await org.member({ role: "UNIT_ADMIN", unit: below });
  expect(await all(admin)).toEqual(["below"]);
  expect(await touch(admin, todos.one)).toEqual(OUT_OF_REACH);
});

test("a permission for others' todos in a unit covers its members without a role there, until their unit membership ends", async () => {
  const { org, one, people, todos } = await tree();
  const admin = await org.member({ role: "UNIT_ADMIN", unit: one });
  await org.link(people.nowhere, one);
  expect(await all(admin)).toEqual(["below", "nowhere", "one"]);
  const path = `/api/members/${idOf(people.nowhere)}/units`;
  expectStatus(await org.admin.patch(path, { unitIds: [] }), 200);
  expect(await all(admin)).toEqual(["below", "one"]);
  expect(await touch(admin, todos.nowhere)).toEqual(OUT_OF_REACH);
});

test("each permission for others' todos has its own reach, and none implies another", async () => {
  const { org, one, todos } = await tree();
  const own = ["Todos.ReadOne", "Todos.Update", "Todos.Delete"];
  const reader = await org.role("Reader", ...own, "Todos.ReadAny");
  const writer = await org.role("Writer", ...own, "Todos.UpdateAny");
  const remover = await org.role("Remover", ...own, "Todos.DeleteAny");
  expect(await touch(await org.member({ role: reader }), todos.one)).toEqual(["200", NOT_FOUND, NOT_FOUND]);
  const both = await org.member({ role: reader }, { role: writer, unit: one });
  expect(await touch(both, todos.one)).toEqual(["200", "200", NOT_FOUND]);
  expect(await touch(both, todos.beside)).toEqual(["200", NOT_FOUND, NOT_FOUND]);
  const removing = await org.member({ role: remover, unit: one });
  expect(await touch(removing, todos.beside)).toEqual(OUT_OF_REACH);
  expect(await touch(removing, todos.below)).toEqual([NOT_FOUND, NOT_FOUND, "204"]);
});

test("a permission for others' todos has no effect without the route's own permission", async () => {
  const { org, todos } = await tree();
  const role = await org.role("Any", "Todos.ReadAny", "Todos.UpdateAny", "Todos.DeleteAny");
  expect(await touch(await org.member({ role }), todos.one)).toEqual(Array(3).fill("403 FORBIDDEN"));
});

test("a user can always access their own todos, also with permissions only in a unit", async () => {
  const { people, todos } = await tree();
  for (const place of ["one", "nowhere"] as const) {
    expect((await people[place].get("/api/todos")).body.data).toMatchObject([{ title: place }]);
    expect(await touch(people[place], todos[place])).toEqual(IN_REACH);
  }
});

test("a todo of another organization is 404 and in no list", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const id = await make(other.admin, "theirs");
  // The owner is also a member of the caller's organization.
  await org.add(other.admin, { role: "MEMBER" });
  expect(await touch(org.admin, id)).toEqual(OUT_OF_REACH);
  expect(await all(org.admin)).toEqual([]);
});

test("a permission in a unit does not cover the members' todos in other organizations", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const unit = await org.unit("One");
  const admin = await org.member({ role: "UNIT_ADMIN", unit });
  const guest = await org.member({ role: "MEMBER", unit });
  await make(guest, "here");
  await other.add(guest, { role: "MEMBER" });
  expectStatus(await guest.post("/api/auth/organization", { organizationId: other.id }), 200);
  const there = await make(guest, "there");
  expect(await all(admin)).toEqual(["here"]);
  expect(await touch(admin, there)).toEqual(OUT_OF_REACH);
});

async function removed(org: Organization, person: Caller) {
  expectStatus(await org.admin.delete(`/api/members/${idOf(person)}`), 204);
}

test("a removed member's todos are visible with an organization-wide permission, but not with one in a unit", async () => {
  const { org, one, people, todos } = await tree();
  const admin = await org.member({ role: "UNIT_ADMIN", unit: one });
  await removed(org, people.below);
  expect(await all(admin)).toEqual(["one"]);
  expect(await touch(admin, todos.below)).toEqual(OUT_OF_REACH);
  const owned = (await org.admin.get("/api/todos/all?search=below")).body.data;
  expect(owned).toMatchObject([{ userId: idOf(people.below), ownerEmail: people.below.email }]);
  expect(await touch(org.admin, todos.below)).toEqual(IN_REACH);
});

test("a returning member's todos are visible again, with a permission in a unit once the member is added to it", async () => {
  const { org, one, below, people } = await tree();
  const admin = await org.member({ role: "UNIT_ADMIN", unit: one });
  expectStatus(await people.below.post("/api/organization/leave"), 204);
  expect(await all(admin)).toEqual(["one"]);
  await org.add(people.below, { role: "MEMBER" });
  await people.below.refresh();
  expect((await people.below.get("/api/todos")).body.total).toBe(1);
  expect(await all(admin)).toEqual(["one"]);
  await org.link(people.below, below);
  expect(await all(admin)).toEqual(["below", "one"]);
});
