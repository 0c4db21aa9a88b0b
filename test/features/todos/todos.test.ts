import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { createOrganization } from "../../support/organizations.ts";
import { actingIn, idOf, messages, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();

const make = async (caller: Caller, title = "Water the plants") =>
  expectStatus(await caller.post("/api/todos", { title }), 201).body;
const list = async (caller: Caller, query = "", path = "/api/todos") =>
  expectStatus(await caller.get(`${path}?${query}`), 200).body;
const titles = async (caller: Caller, query = ""): Promise<string[]> =>
  (await list(caller, query)).data.map(({ title }: { title: string }) => title);
const rowOf = async (id: string) => (await t.sql("SELECT * FROM todos WHERE id = $1", [id]))[0];

test("a new todo belongs to the caller and the active organization, is open, and has a trimmed title", async () => {
  const org = await createOrganization(t, "Acme of todos");
  const member = await org.member();
  const todo = await make(member, "  Water the plants ");
  expect(todo).toEqual({
    id: expect.any(String),
    title: "Water the plants",
    completed: false,
    organizationId: org.id,
    organizationName: "Acme of todos",
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updatedAt: todo.createdAt,
  });
  expect(expectStatus(await member.get(`/api/todos/${todo.id}`), 200).body).toEqual(todo);
  expect(await list(member)).toEqual({ data: [todo], total: 1, page: 1, pageSize: 20 });
  const all = await list(org.admin, "", "/api/todos/all");
  expect(all.data).toEqual([{ ...todo, userId: idOf(member), ownerEmail: member.email }]);
});

test("the list of own todos has only the caller's, whatever permissions the caller has", async () => {
  const org = await createOrganization(t);
  const member = await org.member();
  await make(org.admin, "Mine");
  await make(member, "Theirs");
  expect(await titles(org.admin)).toEqual(["Mine"]);
  expect(await titles(member)).toEqual(["Theirs"]);
  expect((await list(org.admin, "", "/api/todos/all")).total).toBe(2);
});

test("the list of own todos has only those of the active organization", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const member = await org.member();
  await other.add(member, { role: "MEMBER" });
  const here = await make(member, "Here");
  expectStatus(await member.post("/api/auth/organization", { organizationId: other.id }), 200);
  const there = await make(member, "There");
  expect([await titles(member), there.organizationId]).toEqual([["There"], other.id]);
  for (const response of [
    await member.get(`/api/todos/${here.id}`),
    await member.patch(`/api/todos/${here.id}`, { completed: true }),
    await member.delete(`/api/todos/${here.id}`),
  ])
    expect(outcome(response)).toBe("404 NOT_FOUND");
  expectStatus(await member.post("/api/auth/organization", { organizationId: org.id }), 200);
  expect((await member.get(`/api/todos/${here.id}`)).body).toEqual(here);
});

test("a todo's title must have 1 to 500 characters on one line", async () => {
  const org = await createOrganization(t);
  const { id } = await make(org.admin);
  const refused = async (title: unknown) => {
    const created = messages(await org.admin.post("/api/todos", { title }));
    expect(messages(await org.admin.patch(`/api/todos/${id}`, { title }))).toEqual(created);
    return created;
  };
  for (const title of ["", "   ", "\u200b"])
    expect(await refused(title)).toEqual(["title should not be empty"]);
  expect(await refused("x".repeat(501))).toEqual(["title must be shorter than or equal to 500 characters"]);
  expect(await refused("a\nb")).toEqual(["title must not contain control characters"]);
  for (const title of [5, null, ["x"]]) expect(await refused(title)).toEqual(["title must be a string"]);
  expect(await refused("a\u0000b")).not.toEqual([]);
  expect(messages(await org.admin.post("/api/todos", {}))).toEqual(["title is required"]);
  expect(messages(await org.admin.post("/api/todos"))).toEqual(["title is required"]);
  for (const title of ["x", "x".repeat(500), "🌳".repeat(500)])
    expect((await make(org.admin, title)).title).toBe(title);
});

test("`owner`, `unit` and other unknown properties of a todo are refused", async () => {
  const org = await createOrganization(t);
  const { id } = await make(org.admin);
  const extra = { userId: idOf(org.admin), unitId: null, organizationId: org.id, colour: "red" };
  const named = Object.keys(extra).map((name) => `property ${name} should not exist`);
  expect(messages(await org.admin.post("/api/todos", { title: "x", ...extra }))).toEqual(named);
  expect(messages(await org.admin.patch(`/api/todos/${id}`, { completed: true, ...extra }))).toEqual(named);
  expect(messages(await org.admin.post("/api/todos", { title: "x", completed: true }))).toEqual([
    "property completed should not exist",
  ]);
  expect(messages(await org.admin.delete(`/api/todos/${id}?force=true`))).toEqual([
    "property force should not exist",
  ]);
  expect((await list(org.admin)).data).toMatchObject([{ id, completed: false }]);
});

test("`completed` of a todo must be a boolean, and all errors are returned at once", async () => {
  const org = await createOrganization(t);
  const { id } = await make(org.admin);
  for (const completed of ["true", 1, 0, null, [], {}])
    expect(messages(await org.admin.patch(`/api/todos/${id}`, { completed }))).toEqual([
      "completed must be a boolean value",
    ]);
  const response = await org.admin.patch("/api/todos/none", { title: "", completed: "no", userId: 1 });
  expect(response.body.errors).toEqual([
    { path: "id", message: "id must be a UUID" },
    { path: "title", message: "title should not be empty" },
    { path: "completed", message: "completed must be a boolean value" },
    { path: "userId", message: "property userId should not exist" },
  ]);
});

test("a change of a todo sets only the sent fields and `updatedAt`", async () => {
  const org = await createOrganization(t);
  const { id } = await make(org.admin, "Before");
  await t.age("todos", { id }, { minutes: 1 });
  const before = (await org.admin.get(`/api/todos/${id}`)).body;
  const change = async (body: unknown) =>
    expectStatus(await org.admin.patch(`/api/todos/${id}`, body), 200).body;

  const done = await change({ completed: true });
  expect(done).toEqual({ ...before, completed: true, updatedAt: done.updatedAt });
  expect(Date.parse(done.updatedAt)).toBeGreaterThan(Date.parse(before.updatedAt));
  expect(await change({ title: " After " })).toMatchObject({ title: "After", completed: true });
  const both = await change({ title: "Again", completed: false });
  expect(both).toEqual({ ...before, title: "Again", completed: false, updatedAt: both.updatedAt });
  expect((await org.admin.get(`/api/todos/${id}`)).body).toEqual(both);
});

test("an empty change of a todo writes nothing and returns the todo", async () => {
  const org = await createOrganization(t);
  const todo = await make(org.admin);
  const before = await rowOf(todo.id);
  for (const body of [{}, undefined])
    expect(expectStatus(await org.admin.patch(`/api/todos/${todo.id}`, body), 200).body).toEqual(todo);
  expect(await rowOf(todo.id)).toEqual(before);
  expect(outcome(await org.admin.patch(`/api/todos/${crypto.randomUUID()}`, {}))).toBe("404 NOT_FOUND");
});

test("a deleted todo is 404 for all users, and its row is kept", async () => {
  const org = await createOrganization(t);
  const member = await org.member();
  const [{ id }, kept] = [await make(member), await make(member, "Kept")];
  expect(expectStatus(await member.delete(`/api/todos/${id}`), 204).body).toBe("");
  for (const caller of [member, org.admin, await t.platformAdmin()]) {
    for (const response of [
      await caller.get(`/api/todos/${id}`),
      await caller.patch(`/api/todos/${id}`, { title: "Again" }),
      await caller.patch(`/api/todos/${id}`, {}),
      await caller.delete(`/api/todos/${id}`),
    ])
      expect(outcome(response)).toBe("404 NOT_FOUND");
  }
  expect((await list(member)).data.map((todo: { id: string }) => todo.id)).toEqual([kept.id]);
  expect((await list(org.admin, "", "/api/todos/all")).total).toBe(1);
  expect(await rowOf(id)).toMatchObject({ is_deleted: true, deleted_at: expect.any(Date) });
});

test("todos write no audit events", async () => {
  const org = await createOrganization(t);
  const events = () => t.sql("SELECT action FROM audit_events WHERE actor_id = $1", [idOf(org.admin)]);
  const before = await events();
  const { id } = await make(org.admin);
  expectStatus(await org.admin.patch(`/api/todos/${id}`, { completed: true }), 200);
  expectStatus(await org.admin.delete(`/api/todos/${id}`), 204);
  expect(await events()).toEqual(before);
});

test("an invalid todo id is 400, an unknown one 404", async () => {
  const org = await createOrganization(t);
  const calls = (id: string) => [
    org.admin.get(`/api/todos/${id}`),
    org.admin.patch(`/api/todos/${id}`, { completed: true }),
    org.admin.delete(`/api/todos/${id}`),
  ];
  for (const call of calls("none")) expect(messages(await call)).toEqual(["id must be a UUID"]);
  for (const call of calls(crypto.randomUUID())) expect(outcome(await call)).toBe("404 NOT_FOUND");
});

test("every route of todos needs its own permission and an active organization", async () => {
  const org = await createOrganization(t);
  const { id } = await make(org.admin);
  const calls: Record<string, (caller: Caller, options?: object) => ReturnType<Caller["get"]>> = {
    "Todos.Read": (caller, options) => caller.get("/api/todos", options),
    "Todos.ReadAny": (caller, options) => caller.get("/api/todos/all", options),
    "Todos.ReadOne": (caller, options) => caller.get(`/api/todos/${id}`, options),
    "Todos.Create": (caller, options) => caller.post("/api/todos", { title: "x" }, options),
    "Todos.Update": (caller, options) => caller.patch(`/api/todos/${id}`, {}, options),
    "Todos.Delete": (caller, options) => caller.delete(`/api/todos/${id}`, options),
  };
  const [nobody, stranger] = [await t.person(), t.anonymous()];
  for (const [permission, call] of Object.entries(calls)) {
    const role = await org.role(`All but ${permission}`, ...others(permission));
    const without = await org.member({ role });
    expect([permission, outcome(await call(without))]).toEqual([permission, "403 FORBIDDEN"]);
    expect(outcome(await call(nobody))).toBe("403 ORGANIZATION_REQUIRED");
    expect(outcome(await call(stranger))).toBe("401 UNAUTHENTICATED");
    expect(outcome(await call(org.admin, actingIn(org)))).toBe("403 ORGANIZATION_OVERRIDE_FORBIDDEN");
  }
});

/** Returns all permissions of todos except one, including those for others' todos. */
const others = (permission: string) =>
  ["Read", "ReadAny", "ReadOne", "Create", "Update", "UpdateAny", "Delete", "DeleteAny"]
    .map((action) => `Todos.${action}`)
    .filter((name) => name !== permission);
