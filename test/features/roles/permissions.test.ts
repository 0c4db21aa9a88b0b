import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { assignments, createOrganization, type Organization, roleId } from "../../support/organizations.ts";
import { actingIn, eventsIn, idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();

const ROLES = ["Roles.Read", "Roles.Create", "Roles.Update", "Roles.Delete"];

const create = async (caller: Caller, ...permissions: string[]) =>
  outcome(await caller.post("/api/roles", { name: `Role ${crypto.randomUUID()}`, permissions }));
const change = async (caller: Caller, id: string, body: object) =>
  outcome(await caller.patch(`/api/roles/${id}`, body));
const remove = async (caller: Caller, id: string, options = {}) =>
  outcome(await caller.delete(`/api/roles/${id}`, options));
const makeDefault = async (caller: Caller, id: string | null) =>
  outcome(await caller.patch("/api/organization", { defaultRoleId: id }));
const give = async (org: Organization, person: Caller, id: string, unit: string | null = null) =>
  outcome(
    await org.admin.patch(
      `/api/members/${idOf(person)}/roles`,
      assignments({ role: "MEMBER" }, { role: id, unit }),
    ),
  );

/** Creates a member with Roles permissions and Members.Read organization-wide, and Invitations.Create in a unit. */
async function roleMaker() {
  const org = await createOrganization(t);
  const maker = await org.role("Maker", ...ROLES, "Members.Read");
  const inviter = await org.role("Inviter", "Invitations.Create");
  const unit = await org.unit("Unit");
  return { org, person: await org.member({ role: maker }, { role: inviter, unit }) };
}

test("creating a role needs all of the role's permissions organization-wide", async () => {
  const { person } = await roleMaker();
  expect(await create(person, "Members.Read", "Roles.Delete")).toBe("201");
  expect(await create(person)).toBe("201");
  expect(await create(person, "Members.Read", "Units.Read")).toBe("403 PERMISSION_NOT_HELD");
  expect(await create(person, "Billing.Read")).toBe("403 PERMISSION_NOT_HELD");
  // The caller has this permission only in a unit.
  expect(await create(person, "Invitations.Create")).toBe("403 PERMISSION_NOT_HELD");
});

test("changing a role needs all of the role's permissions, both before and after the change", async () => {
  const { org, person } = await roleMaker();
  const held = await org.role("Held", "Members.Read");
  const beyond = await org.role("Beyond", "Members.Read", "Members.Delete");
  expect(await change(person, held, { permissions: ["Members.Delete"] })).toBe("403 PERMISSION_NOT_HELD");
  expect(await change(person, held, { permissions: ["Invitations.Create"] })).toBe("403 PERMISSION_NOT_HELD");
  for (const body of [{ permissions: [] }, { permissions: ["Members.Read"] }, { name: "Another" }])
    expect(await change(person, beyond, body)).toBe("403 PERMISSION_NOT_HELD");
  expect(await eventsIn(t, org, "ROLE_UPDATED")).toEqual([]);
  expect(await change(person, held, { permissions: ["Members.Read", "Roles.Read"], name: "New" })).toBe(
    "200",
  );
});

test("even an empty change of a role needs all of the role's permissions", async () => {
  const { org, person } = await roleMaker();
  expect(await change(person, await org.role("Beyond", "Members.Delete"), {})).toBe(
    "403 PERMISSION_NOT_HELD",
  );
  expect(await change(person, await org.role("Held", "Members.Read"), {})).toBe("200");
});

test("deleting a role needs all of the role's permissions", async () => {
  const { org, person } = await roleMaker();
  const beyond = await org.role("Beyond", "Members.Delete");
  expect(await remove(person, beyond)).toBe("403 PERMISSION_NOT_HELD");
  expect(await remove(person, await org.role("Held", "Members.Read"))).toBe("204");
  expect(await remove(org.admin, beyond)).toBe("204");
});

test("an organization-wide permission has no effect in a role assigned in a unit", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Unit");
  const role = await org.role("Both", ...ROLES, "Organization.Read", "Organization.Update", "Billing.Read");
  const person = await org.member({ role, unit });
  expectStatus(await person.get("/api/organization"), 200);
  expectStatus(await person.get("/api/roles"), 200);
  expect(outcome(await person.patch("/api/organization", { name: "Mine" }))).toBe("403 FORBIDDEN");
  expect(await create(person)).toBe("403 FORBIDDEN");
  expect(await change(person, role, { name: "Mine" })).toBe("403 FORBIDDEN");
  expect(await remove(person, role)).toBe("403 FORBIDDEN");

  // The same applies to ORG_ADMIN assigned in a unit.
  const unitOrgAdmin = await org.member({ role: "ORG_ADMIN", unit });
  expect(await makeDefault(unitOrgAdmin, null)).toBe("403 FORBIDDEN");
  expect(await create(unitOrgAdmin)).toBe("403 FORBIDDEN");
});

test("a role cannot be deleted while a member has it, organization-wide or in a unit", async () => {
  const org = await createOrganization(t);
  const [person, unit, role] = [await org.member(), await org.unit("Unit"), await org.role("Given")];
  for (const place of [null, unit]) {
    expect(await give(org, person, role, place)).toBe("200");
    expect(await remove(org.admin, role)).toBe("409 ROLE_IN_USE");
  }
  expectStatus(await org.admin.delete(`/api/members/${idOf(person)}`), 204);
  expect(await remove(org.admin, role)).toBe("204");
  expect(await eventsIn(t, org, "ROLE_DELETED")).toHaveLength(1);
});

test("the default role cannot be deleted until another role becomes the default", async () => {
  const [org, admin] = [await createOrganization(t), await t.platformAdmin()];
  const role = await org.role("Default");
  expect(await makeDefault(org.admin, role)).toBe("200");
  expect(await remove(org.admin, role)).toBe("409 ROLE_IN_USE");
  expect(await remove(admin, role, actingIn(org))).toBe("409 ROLE_IN_USE");
  expect(await makeDefault(org.admin, null)).toBe("200");
  expect(await remove(org.admin, role)).toBe("204");
});

test("deleting a role checks missing permissions before ROLE_IN_USE", async () => {
  const { org, person } = await roleMaker();
  const beyond = await org.role("Beyond", "Members.Delete");
  await org.member({ role: beyond });
  expect(await remove(person, beyond)).toBe("403 PERMISSION_NOT_HELD");
  const body = { name: "Beyond", permissions: ["Members.Delete"] };
  expect(outcome(await person.post("/api/roles", body))).toBe("403 PERMISSION_NOT_HELD");
});

test("any custom or built-in role can be the default role; it is returned, and a change writes an audit event", async () => {
  const org = await createOrganization(t);
  const role = await org.role("Default", "Units.Read");
  const shown = async () => (await org.admin.get("/api/organization")).body.defaultRoleId;
  expect(await shown()).toBeNull();
  for (const id of [role, roleId("MEMBER"), roleId("ORG_ADMIN"), null]) {
    const response = await org.admin.patch("/api/organization", { defaultRoleId: id });
    expect(expectStatus(response, 200).body.defaultRoleId).toBe(id);
    expect(await shown()).toBe(id);
  }
  expect(await makeDefault(org.admin, null)).toBe("200");
  const events = await eventsIn(t, org, "ORGANIZATION_UPDATED");
  expect(events.map(({ metadata }) => metadata)).toEqual([
    { from: { defaultRoleId: null }, to: { defaultRoleId: role } },
    { from: { defaultRoleId: role }, to: { defaultRoleId: roleId("MEMBER") } },
    { from: { defaultRoleId: roleId("MEMBER") }, to: { defaultRoleId: roleId("ORG_ADMIN") } },
    { from: { defaultRoleId: roleId("ORG_ADMIN") }, to: { defaultRoleId: null } },
  ]);
});

test("an unknown role or one of another organization as default role is a validation error", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const deleted = await org.role("Deleted");
  expect(await remove(org.admin, deleted)).toBe("204");
  for (const id of [await other.role("Foreign"), deleted, crypto.randomUUID()]) {
    const { body } = expectStatus(await org.admin.patch("/api/organization", { defaultRoleId: id }), 400);
    expect(body.errors).toEqual([
      { path: "defaultRoleId", message: "defaultRoleId must be an existing role" },
    ]);
  }
  const { body } = await org.admin.patch("/api/organization", { defaultRoleId: "none" });
  expect(body.errors).toEqual([{ path: "defaultRoleId", message: "defaultRoleId must be a UUID" }]);
});

test("setting the default role needs all of that role's permissions organization-wide", async () => {
  const org = await createOrganization(t);
  const keeper = await org.role("Keeper", "Organization.Read", "Organization.Update");
  const unit = await org.unit("Unit");
  const person = await org.member({ role: keeper }, { role: "UNIT_ADMIN", unit });
  const beyond = await org.role("Beyond", "Members.Delete");
  for (const id of [beyond, roleId("MEMBER"), roleId("ORG_ADMIN"), roleId("UNIT_ADMIN")])
    expect(await makeDefault(person, id)).toBe("403 PERMISSION_NOT_HELD");
  expect(await makeDefault(person, keeper)).toBe("200");
  expect(await makeDefault(person, await org.role("Within", "Organization.Read"))).toBe("200");
});
