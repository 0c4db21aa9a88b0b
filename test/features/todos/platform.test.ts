import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { createOrganization } from "../../support/organizations.ts";
import { actingIn, idOf, messages, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();

const named = (...ids: string[]) => ({ headers: { "x-organization-id": ids.join(",") } });
const make = async (caller: Caller, title: string, options = {}): Promise<string> =>
  expectStatus(await caller.post("/api/todos", { title }, options), 201).body.id;
/** Returns the total of a list and its titles, sorted. */
async function titles(caller: Caller, path: string, options = {}): Promise<(string | number)[]> {
  const { data, total } = expectStatus(await caller.get(path, options), 200).body;
  return [total, ...data.map(({ title }: { title: string }) => title).toSorted()];
}
/** Returns a unique word, so that a search finds only the todos of one test. */
const tagged = () => `tag${crypto.randomUUID().slice(0, 8)}`;

test("a platform administrator's own todos are listed from all organizations, each with its organization's name", async () => {
  const admin = await t.platformAdmin();
  const [one, two] = [await createOrganization(t, "Spanned one"), await createOrganization(t, "Spanned two")];
  await make(admin, "one", actingIn(one));
  await make(admin, "two", actingIn(two));
  await make(one.admin, "theirs");
  expect(await titles(admin, "/api/todos")).toEqual([2, "one", "two"]);
  const { data } = (await admin.get("/api/todos?sort=title&order=asc")).body;
  expect(data).toMatchObject([
    { title: "one", organizationId: one.id, organizationName: "Spanned one" },
    { title: "two", organizationId: two.id, organizationName: "Spanned two" },
  ]);
});

test("for a platform administrator, the list of all todos includes all organizations, with owners", async () => {
  const admin = await t.platformAdmin();
  const tag = tagged();
  const [one, two] = [await createOrganization(t), await createOrganization(t)];
  const member = await two.member();
  await make(one.admin, `${tag} one`);
  await make(member, `${tag} two`);
  await make(admin, `${tag} three`, actingIn(two));
  const { data } = (await admin.get(`/api/todos/all?search=${tag}&sort=title&order=asc`)).body;
  expect(data).toMatchObject([
    { title: `${tag} one`, organizationId: one.id, userId: idOf(one.admin), ownerEmail: one.admin.email },
    { title: `${tag} three`, organizationId: two.id, userId: idOf(admin), ownerEmail: admin.email },
    { title: `${tag} two`, organizationId: two.id, userId: idOf(member), ownerEmail: member.email },
  ]);
});

test("the todos of a deleted account still name their owner", async () => {
  const org = await createOrganization(t);
  const gone = await org.member();
  await make(gone, "Left behind");
  expectStatus(await gone.post("/api/profile/delete", { password: "wide blue yonder" }), 204);
  const owner = { title: "Left behind", userId: idOf(gone), ownerEmail: gone.email };
  expect((await org.admin.get("/api/todos/all")).body).toMatchObject({ total: 1, data: [owner] });
  const admin = await t.platformAdmin();
  expect((await admin.get("/api/todos/all", actingIn(org))).body).toMatchObject({ total: 1, data: [owner] });
});

test("X-Organization-Id restricts both lists of todos to these organizations; unknown and deleted ones match nothing", async () => {
  const admin = await t.platformAdmin();
  const tag = tagged();
  const [one, two, three] = [
    await createOrganization(t),
    await createOrganization(t),
    await createOrganization(t),
  ];
  const deleted = await createOrganization(t);
  for (const [title, org] of Object.entries({ one, two, three, deleted }))
    await make(admin, `${tag} ${title}`, actingIn(org));
  expectStatus(await admin.delete(`/api/organizations/${deleted.id}`), 204);
  const unknown = crypto.randomUUID();
  for (const path of [`/api/todos?search=${tag}`, `/api/todos/all?search=${tag}`]) {
    const narrowed = (...ids: string[]) => titles(admin, path, named(...ids));
    expect(await narrowed(one.id)).toEqual([1, `${tag} one`]);
    expect(await narrowed(one.id, three.id)).toEqual([2, `${tag} one`, `${tag} three`]);
    expect(await narrowed(one.id.toUpperCase(), ` ${two.id}`)).toEqual([2, `${tag} one`, `${tag} two`]);
    expect(await narrowed(two.id, unknown, deleted.id)).toEqual([1, `${tag} two`]);
    for (const id of [unknown, deleted.id]) expect(await narrowed(id)).toEqual([0]);
    expect(await narrowed("")).toEqual([3, `${tag} one`, `${tag} three`, `${tag} two`]);
  }
});

test("a platform administrator can read, change and delete any todo, unless X-Organization-Id is another organization", async () => {
  const admin = await t.platformAdmin();
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const id = await make(org.admin, "todo");
  const calls = async (options = {}) => [
    outcome(await admin.get(`/api/todos/${id}`, options)),
    outcome(await admin.patch(`/api/todos/${id}`, { completed: true }, options)),
    outcome(await admin.delete(`/api/todos/${id}`, options)),
  ];
  for (const options of [named(other.id), named(crypto.randomUUID())])
    expect(await calls(options)).toEqual(Array(3).fill("404 NOT_FOUND"));
  expect((await org.admin.get(`/api/todos/${id}`)).body.completed).toBe(false);
  expect(await calls(named(other.id, org.id))).toEqual(["200", "200", "204"]);

  const second = await make(org.admin, "second");
  expect(outcome(await admin.patch(`/api/todos/${second}`, { title: "changed" }))).toBe("200");
  expect(outcome(await admin.delete(`/api/todos/${second}`, named(org.id)))).toBe("204");
});

test("a platform administrator who creates a todo must send exactly one existing organization in X-Organization-Id", async () => {
  const admin = await t.platformAdmin();
  const [org, other, deleted] = [
    await createOrganization(t),
    await createOrganization(t),
    await createOrganization(t),
  ];
  expectStatus(await admin.delete(`/api/organizations/${deleted.id}`), 204);
  const post = (options = {}, body: unknown = { title: "x" }) => admin.post("/api/todos", body, options);
  for (const options of [{}, named(""), named(" "), named(org.id, other.id)]) {
    expect(outcome(await post(options))).toBe("400 ORGANIZATION_REQUIRED");
    expect(outcome(await post(options, { title: "" }))).toBe("400 ORGANIZATION_REQUIRED");
  }
  for (const id of [deleted.id, crypto.randomUUID()])
    expect(outcome(await post(named(id), { title: "" }))).toBe("404 NOT_FOUND");
  expect(messages(await post(named("none")))).toEqual(["X-Organization-Id must be a UUID"]);
  expect(outcome(await post(named(org.id)))).toBe("201");
  // The same id twice counts as one organization.
  expect(outcome(await post(named(org.id, org.id.toUpperCase())))).toBe("201");
  expectStatus(await admin.patch(`/api/organizations/${org.id}/status`, { status: "SUSPENDED" }), 200);
  expect(outcome(await post(named(org.id)))).toBe("201");
  expect(await titles(admin, "/api/todos", named(org.id))).toEqual([3, "x", "x", "x"]);
});

test("a platform administrator's todo is visible with an organization-wide permission, but not with one in a unit", async () => {
  const [org, admin] = [await createOrganization(t), await t.platformAdmin()];
  const unit = await org.unit("One");
  const ofUnit = await org.member({ role: "UNIT_ADMIN", unit });
  const id = await make(admin, "todo", actingIn(org));
  expect(await titles(org.admin, "/api/todos/all")).toEqual([1, "todo"]);
  expect(await titles(ofUnit, "/api/todos/all")).toEqual([0]);
  expect(outcome(await ofUnit.get(`/api/todos/${id}`))).toBe("404 NOT_FOUND");
});

test("a platform administrator's memberships do not restrict which todos they can access", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const member = await org.member();
  await make(member, "own");
  const id = await make(other.admin, "theirs");
  await t.sql("UPDATE users SET is_platform_admin = true WHERE id = $1", [idOf(member)]);
  await member.login();
  expect(await titles(member, "/api/todos")).toEqual([1, "own"]);
  expect(outcome(await member.get(`/api/todos/${id}`))).toBe("200");
});

test("a deleted organization's todos are hidden from its members and from platform administrators", async () => {
  const [org, admin] = [await createOrganization(t), await t.platformAdmin()];
  const tag = tagged();
  const member = await org.member();
  const id = await make(member, `${tag} theirs`);
  await make(admin, `${tag} own`, actingIn(org));
  expectStatus(await admin.delete(`/api/organizations/${org.id}`), 204);

  expect(await titles(admin, `/api/todos?search=${tag}`)).toEqual([0]);
  expect(await titles(admin, `/api/todos/all?search=${tag}`)).toEqual([0]);
  // The member's access token is valid until it expires.
  expect(await titles(member, "/api/todos")).toEqual([0]);
  expect(await titles(org.admin, "/api/todos/all")).toEqual([0]);
  for (const caller of [member, org.admin, admin]) {
    expect(outcome(await caller.get(`/api/todos/${id}`))).toBe("404 NOT_FOUND");
    expect(outcome(await caller.patch(`/api/todos/${id}`, { completed: true }))).toBe("404 NOT_FOUND");
    expect(outcome(await caller.delete(`/api/todos/${id}`))).toBe("404 NOT_FOUND");
  }
  expect(outcome(await member.post("/api/todos", { title: "late" }))).toBe("404 NOT_FOUND");
});

test("a todo created while its organization is deleted is hidden, and none can be created afterwards", async () => {
  const [org, admin] = [await createOrganization(t), await t.platformAdmin()];
  const tag = tagged();
  await make(org.admin, `${tag} before`);
  const [deletion, late] = await Promise.all([
    admin.delete(`/api/organizations/${org.id}`),
    org.admin.post("/api/todos", { title: `${tag} late` }),
  ]);
  expectStatus(deletion, 204);
  expect(["201", "404 NOT_FOUND"]).toContain(outcome(late));
  expect(await titles(admin, `/api/todos/all?search=${tag}`)).toEqual([0]);
  expect(outcome(await org.admin.post("/api/todos", { title: `${tag} too late` }))).toBe("404 NOT_FOUND");
});
