import { expect, test } from "bun:test";
import type { Feature } from "../../../src/core/api/feature.ts";
import { product } from "../../../src/product/index.ts";
import type { Caller } from "../../support/caller.ts";
import { createOrganization, roleId } from "../../support/organizations.ts";
import { actingIn, eventsIn, idOf, messages, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();

const BUILT_IN = ["MEMBER", "ORG_ADMIN", "UNIT_ADMIN"];
const ORGANIZATION_ONLY = [
  "Billing.Create",
  "Billing.Read",
  "Billing.Update",
  "Organization.Update",
  "Roles.Create",
  "Roles.Delete",
  "Roles.Update",
  "SingleSignOn.Bypass",
  "SingleSignOn.Read",
  "SingleSignOn.Update",
  "Webhooks.Create",
  "Webhooks.Delete",
  "Webhooks.Read",
  "Webhooks.Update",
];
const IN_UNITS = {
  Organization: ["Read"],
  Units: ["Read", "Create", "Update", "Delete"],
  Roles: ["Read"],
  ServiceAccounts: ["Read", "Create", "Update", "UpdateRoles", "Delete"],
  ApiKeys: ["Create", "Delete"],
  Members: ["Read", "UpdateRoles", "UpdateUnits", "Delete"],
  Invitations: ["Create", "Read", "Resend", "Delete"],
  Audit: ["Read"],
  ConnectedApps: ["Read", "Delete"],
  Events: ["Read"],
  Helpdesk: ["Read", "ReadOne", "Reply", "UpdateStatus"],
  Todos: ["Read", "ReadAny", "ReadOne", "Create", "Update", "UpdateAny", "Delete", "DeleteAny"],
};
const inUnits = Object.entries(IN_UNITS)
  .flatMap(([entity, actions]) => actions.map((action) => `${entity}.${action}`))
  .sort();

/** The permissions of the product, which are no part of these tests. */
const ofProduct = new Set(product.flatMap(({ permissions = {} }: Feature) => Object.keys(permissions)));
const own = (names: string[]) => names.filter((name) => !ofProduct.has(name)).sort();

type Role = { id: string; name: string; permissions: string[]; builtIn: boolean };
const rolesOf = async (caller: Caller): Promise<Role[]> =>
  expectStatus(await caller.get("/api/roles?sort=name&order=asc"), 200).body.data;

test("the catalog of permissions lists each with its scope, for every signed-in user", async () => {
  const person = await t.person();
  const { body } = expectStatus(await person.get("/api/permissions"), 200);
  const named = (scope: string) =>
    own(body.flatMap((one: { name: string; scope: string }) => (one.scope === scope ? [one.name] : [])));
  expect(named("unit")).toEqual(inUnits);
  expect(named("organization")).toEqual(ORGANIZATION_ONLY);
  for (const { description } of body) expect(description).not.toBe("");
  expect(outcome(await t.anonymous().get("/api/permissions"))).toBe("401 UNAUTHENTICATED");
});

test("the built-in roles are the same in every organization", async () => {
  const org = await createOrganization(t);
  const roles = await rolesOf(org.admin);
  expect(roles.map(({ name }) => name)).toEqual(BUILT_IN);
  for (const role of roles) expect(role).toMatchObject({ builtIn: true, organizationId: null });
  const granted = (name: string) => own(roles.find((role) => role.name === name)?.permissions ?? []);
  expect(granted("ORG_ADMIN")).toEqual([...inUnits, ...ORGANIZATION_ONLY].sort());
  expect(granted("UNIT_ADMIN")).toEqual(inUnits);
  expect(granted("MEMBER")).toEqual(
    [
      "Organization.Read",
      "Todos.Create",
      "Todos.Delete",
      "Todos.Read",
      "Todos.ReadOne",
      "Todos.Update",
      "Units.Read",
    ].sort(),
  );
  expect(await rolesOf((await createOrganization(t)).admin)).toEqual(roles);
});

test("built-in roles cannot be changed or deleted", async () => {
  const [org, admin] = [await createOrganization(t), await t.platformAdmin()];
  const before = await rolesOf(org.admin);
  for (const name of BUILT_IN) {
    const path = `/api/roles/${roleId(name)}`;
    for (const [caller, options] of [[org.admin], [admin, actingIn(org)]] as const) {
      for (const body of [{ name: "Mine" }, { permissions: [] }])
        expect(outcome(await caller.patch(path, body, options))).toBe("403 FORBIDDEN");
      expect(outcome(await caller.delete(path, options))).toBe("403 FORBIDDEN");
    }
  }
  expect(await rolesOf(org.admin)).toEqual(before);
});

test("creating, partly changing and deleting a role write one audit event each", async () => {
  const org = await createOrganization(t);
  const body = { name: " Clerk ", permissions: ["Units.Read", "Members.Read", "Units.Read"] };
  const made = expectStatus(await org.admin.post("/api/roles", body), 201).body;
  expect(made).toEqual({
    id: expect.any(String),
    name: "Clerk",
    description: "",
    permissions: expect.arrayContaining(["Units.Read", "Members.Read"]),
    builtIn: false,
    organizationId: org.id,
  });
  expect(made.permissions).toHaveLength(2);
  const path = `/api/roles/${made.id}`;
  const change = async (part: object) => expectStatus(await org.admin.patch(path, part), 200).body;

  expect(await change({ description: "Files\nthings" })).toEqual({ ...made, description: "Files\nthings" });
  expect(await change({ name: "Senior clerk" })).toMatchObject({ name: "Senior clerk" });
  const changed = await change({ permissions: ["Members.Read"] });
  expect(changed).toMatchObject({ name: "Senior clerk", permissions: ["Members.Read"] });
  expect((await rolesOf(org.admin)).find(({ id }) => id === made.id)).toEqual(changed);
  expectStatus(await org.admin.delete(path), 204);
  expectStatus(await org.admin.delete(path), 404);
  expectStatus(await org.admin.patch(path, { name: "Back" }), 404);
  expect((await rolesOf(org.admin)).map(({ name }) => name)).toEqual(BUILT_IN);

  const told = { actor_id: idOf(org.admin), target_type: "role", target_id: made.id };
  const updated = (from: object, to: object) => ({ ...told, action: "ROLE_UPDATED", metadata: { from, to } });
  const { permissions } = made;
  expect(await eventsIn(t, org, "ROLE_")).toEqual([
    { ...told, action: "ROLE_CREATED", metadata: { name: "Clerk", permissions } },
    updated({ description: "" }, { description: "Files\nthings" }),
    updated({ name: "Clerk" }, { name: "Senior clerk" }),
    updated({ permissions }, { permissions: ["Members.Read"] }),
    { ...told, action: "ROLE_DELETED", metadata: { name: "Senior clerk", permissions: ["Members.Read"] } },
  ]);
});

test("an empty or identical change of a role writes nothing", async () => {
  const org = await createOrganization(t);
  const id = await org.role("Clerk", "Units.Read", "Members.Read");
  const row = () => t.sql("SELECT * FROM roles WHERE id = $1", [id]);
  const before = await row();
  const same = { name: "Clerk", description: "", permissions: ["Members.Read", "Units.Read"] };
  for (const body of [{}, same]) expectStatus(await org.admin.patch(`/api/roles/${id}`, body), 200);
  expect(await row()).toEqual(before);
  expect(await eventsIn(t, org, "ROLE_UPDATED")).toEqual([]);
});

test("a role without permissions is allowed and grants nothing", async () => {
  const org = await createOrganization(t);
  const nothing = await org.role("Nothing");
  const member = await org.member({ role: nothing });
  expect(outcome(await member.get("/api/units"))).toBe("403 FORBIDDEN");
  expectStatus(await org.admin.patch(`/api/roles/${nothing}`, { permissions: ["Units.Read"] }), 200);
  await member.refresh();
  expectStatus(await member.get("/api/units"), 200);
});

test("role names are unique in an organization ignoring case, also against built-in names", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const clerk = await org.role("Clerk", "Units.Read");
  const second = await org.role("Second");
  for (const name of ["Clerk", "CLERK", " clerk ", "org_admin", "Unit_Admin", "MEMBER"]) {
    expect(outcome(await org.admin.post("/api/roles", { name, permissions: [] }))).toBe("409 CONFLICT");
    expect(outcome(await org.admin.patch(`/api/roles/${second}`, { name }))).toBe("409 CONFLICT");
  }
  expectStatus(await org.admin.patch(`/api/roles/${clerk}`, { name: "CLERK" }), 200);
  await other.role("Clerk");
  expectStatus(await org.admin.delete(`/api/roles/${clerk}`), 204);
  expectStatus(await org.admin.patch(`/api/roles/${second}`, { name: "clerk" }), 200);
});

test("Greek role names are compared ignoring case, including final sigma", async () => {
  const org = await createOrganization(t);
  for (const [name, again] of [
    ["Γραφείο", "ΓΡΑΦΕΊΟ"],
    ["Διαχειριστής", "ΔΙΑΧΕΙΡΙΣΤΉΣ"],
  ] as const) {
    await org.role(name);
    const response = await org.admin.post("/api/roles", { name: again, permissions: [] });
    expect([again, outcome(response)]).toEqual([again, "409 CONFLICT"]);
  }
});

test("all validation errors of a role are returned at once", async () => {
  const org = await createOrganization(t);
  const body = { name: "", description: "x".repeat(501), permissions: ["Units.Fly", 1], builtIn: true };
  const refused = await org.admin.post("/api/roles", body);
  expect(refused.body.errors.map(({ path }: { path: string }) => path)).toEqual([
    "name",
    "description",
    "permissions.0",
    "permissions.1",
    "builtIn",
  ]);
  const [name, , permission, , unknown] = messages(refused);
  expect(name).toBe("name should not be empty");
  expect(permission).toStartWith("permissions.0 must be one of the following values: Organization.Read, ");
  expect(unknown).toBe("property builtIn should not exist");
  expect(messages(await org.admin.post("/api/roles", {}))).toEqual([
    "name is required",
    "permissions is required",
  ]);
  expect(messages(await org.admin.post("/api/roles", { name: "x".repeat(101), permissions: "all" }))).toEqual(
    ["name must be shorter than or equal to 100 characters", "permissions must be an array"],
  );
  expect(messages(await org.admin.patch("/api/roles/none", { name: "a\nb" }))).toEqual([
    "id must be a UUID",
    "name must not contain control characters",
  ]);
});

test("roles of another organization are 404", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const foreign = await other.role("Foreign", "Units.Read");
  for (const id of [foreign, crypto.randomUUID()]) {
    expectStatus(await org.admin.patch(`/api/roles/${id}`, { name: "Mine" }), 404);
    expectStatus(await org.admin.delete(`/api/roles/${id}`), 404);
  }
  expect((await rolesOf(org.admin)).map(({ name }) => name)).toEqual(BUILT_IN);
});

test("the list of roles is a single page, with a literal search and the requested sort order", async () => {
  const org = await createOrganization(t);
  for (const name of ["ÉCLAIR", "50%", "Under_score"]) await org.role(name);
  const list = async (query: string) => expectStatus(await org.admin.get(`/api/roles?${query}`), 200).body;
  expect(await list("pageSize=2")).toMatchObject({ total: 6, page: 1, pageSize: 6 });
  expect((await list("page=2")).data).toEqual([]);
  const found = async (text: string) =>
    (await list(`search=${encodeURIComponent(text)}`)).data.map(({ name }: Role) => name);
  expect(await found("eclair")).toEqual(["ÉCLAIR"]);
  expect(await found("%")).toEqual(["50%"]);
  expect(await found("r_s")).toEqual(["Under_score"]);
  const names = (await list("sort=name&order=desc")).data.map(({ name }: Role) => name);
  expect(names).toEqual(["UNIT_ADMIN", "Under_score", "ORG_ADMIN", "MEMBER", "ÉCLAIR", "50%"]);
});
