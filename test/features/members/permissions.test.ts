import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import {
  assignments,
  createOrganization,
  type Organization,
  type RoleAssignment,
  roleId,
} from "../../support/organizations.ts";
import { actingIn, eventsIn, idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";
import { sameBrowser } from "../../support/sessions.ts";

const t = await sharedService();

const give = async (caller: Caller, person: Caller, ...roles: RoleAssignment[]) =>
  outcome(await caller.patch(`/api/members/${idOf(person)}/roles`, assignments(...roles)));
const names = (items: { name: string }[]) => items.map(({ name }) => name);
const roleOptions = async (caller: Caller, options = {}) =>
  expectStatus(await caller.get("/api/members/role-options", options), 200).body;

test("a unit administrator cannot assign or remove ORG_ADMIN or any role with permissions that they lack", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Sales");
  const billing = await org.role("Billing", "Units.Read", "Billing.Read");
  const unitAdmin = await org.member({ role: "UNIT_ADMIN", unit });
  const person = await org.member({ role: "MEMBER", unit });
  for (const role of ["ORG_ADMIN", billing])
    expect(await give(unitAdmin, person, { role: "MEMBER", unit }, { role, unit })).toBe(
      "403 PERMISSION_NOT_HELD",
    );
  expect(await give(unitAdmin, person, { role: "UNIT_ADMIN", unit })).toBe("200");

  const admin = await org.member({ role: "ORG_ADMIN", unit });
  expect(await give(unitAdmin, admin, { role: "MEMBER", unit })).toBe("403 PERMISSION_NOT_HELD");
  // An unchanged assignment is neither added nor removed.
  expect(await give(unitAdmin, admin, { role: "ORG_ADMIN", unit }, { role: "MEMBER", unit })).toBe("200");
  expect(await eventsIn(t, org, "MEMBER_ROLES_CHANGED")).toHaveLength(2);
});

test("changing a member's roles needs every permission of the added and removed roles", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Top");
  const below = await org.unit("Below", unit);
  const giver = await org.role("Giver", "Members.UpdateRoles");
  const reader = await org.role("Reader", "Members.Read");
  const both = await org.role("Both", "Members.UpdateRoles", "Members.Read");
  const person = await org.member({ role: giver });
  await org.link(person, unit);
  const caller = await org.member({ role: giver }, { role: reader, unit });

  expect(await give(caller, person, { role: giver }, { role: reader })).toBe("403 PERMISSION_NOT_HELD");
  // The caller holds both permissions in the unit, by two roles together, and so also in its sub-unit.
  expect(await give(caller, person, { role: giver }, { role: both, unit: below })).toBe("200");
  expect(await give(caller, person, { role: giver }, { role: both })).toBe("403 PERMISSION_NOT_HELD");
  expect(await give(caller, org.admin, { role: giver })).toBe("403 PERMISSION_NOT_HELD");
  expect(await give(caller, caller, { role: giver }, { role: "ORG_ADMIN" })).toBe("403 PERMISSION_NOT_HELD");
  expect(await give(caller, person, { role: giver })).toBe("200");
});

test("a unit administrator cannot change roles outside the unit, whatever other permissions they have there", async () => {
  const org = await createOrganization(t);
  const [one, two] = [await org.unit("One"), await org.unit("Two")];
  const reader = await org.role("Reader", "Members.Read");
  const caller = await org.member({ role: reader }, { role: "UNIT_ADMIN", unit: one });
  const person = await org.member({ role: reader, unit: one }, { role: reader, unit: two });
  // The caller sees both roles, but can change only the one in the unit.
  expect((await caller.get(`/api/members/${idOf(person)}`)).body.assignments).toHaveLength(2);
  expect(await give(caller, person, { role: reader, unit: two })).toBe("403 UNIT_FORBIDDEN");
  expect(await give(caller, person, { role: reader })).toBe("403 UNIT_FORBIDDEN");
  expect(await give(caller, person)).toBe("200");
  const { body } = await org.admin.get(`/api/members/${idOf(person)}`);
  expect(body.assignments).toEqual([
    { role: { id: reader, name: "Reader" }, unit: { id: two, name: "Two" }, source: "manual" },
  ]);
});

/** All writes of an organization that grant or revoke permissions; an administrator may make each of them. */
async function writesIn(org: Organization): Promise<((caller: Caller) => Promise<string>)[]> {
  const [unit, role, person] = [await org.unit("Unit"), await org.role("Role"), await org.member()];
  const member = `/api/members/${idOf(person)}`;
  const calls: [string, string, object?][] = [
    ["PATCH", "/api/organization", { name: "New" }],
    ["POST", "/api/units", { name: "New", parentId: null }],
    ["PATCH", `/api/units/${unit}`, { name: "New" }],
    ["DELETE", `/api/units/${unit}`],
    ["POST", "/api/roles", { name: "New", permissions: [] }],
    ["PATCH", `/api/roles/${role}`, { name: "New" }],
    ["DELETE", `/api/roles/${role}`],
    ["PATCH", `${member}/roles`, assignments({ role: "UNIT_ADMIN" })],
    ["PATCH", `${member}/units`, { unitIds: [] }],
    ["DELETE", member],
  ];
  return calls.map(
    ([method, path, sent]) =>
      async (caller) =>
        outcome(await caller.send(method, path, sent)),
  );
}

test("after the loss of a role, an access token still allows reads, but no writes", async () => {
  const org = await createOrganization(t);
  const demoted = await org.member({ role: "ORG_ADMIN" });
  const removed = await org.member({ role: "ORG_ADMIN" });
  const left = await org.member({ role: "ORG_ADMIN" });
  expectStatus(await sameBrowser(left).post("/api/organization/leave"), 204);
  expect(await give(org.admin, demoted, { role: "MEMBER" })).toBe("200");
  expectStatus(await org.admin.delete(`/api/members/${idOf(removed)}`), 204);
  const writes = await writesIn(org);
  const before = await eventsIn(t, org, "");
  for (const caller of [demoted, removed, left]) {
    for (const path of ["/api/organization", "/api/units", "/api/roles", "/api/members"])
      expectStatus(await caller.get(path), 200);
    for (const write of writes) expect(await write(caller)).toBe("403 FORBIDDEN");
  }
  expect(outcome(await removed.post("/api/organization/leave"))).toBe("403 FORBIDDEN");
  expect(await eventsIn(t, org, "")).toEqual(before);
  await demoted.refresh();
  expect(outcome(await demoted.get("/api/members"))).toBe("403 FORBIDDEN");
});

test("after a role was restricted to a unit, an access token allows writes only in that unit", async () => {
  const org = await createOrganization(t);
  const [unit, other] = [await org.unit("Unit"), await org.unit("Other")];
  const person = await org.member({ role: "ORG_ADMIN" });
  expect(await give(org.admin, person, { role: "UNIT_ADMIN", unit })).toBe("200");
  const create = async (parentId: string | null) =>
    outcome(await person.post("/api/units", { name: "New", parentId }));
  expect(await create(null)).toBe("403 UNIT_FORBIDDEN");
  expect(await create(other)).toBe("403 UNIT_FORBIDDEN");
  expect(await create(unit)).toBe("201");
  expect(outcome(await person.post("/api/roles", { name: "New", permissions: [] }))).toBe("403 FORBIDDEN");
  expect(await give(person, org.admin, { role: "MEMBER" })).toBe("404 NOT_FOUND");
});

test("a role that is assigned after the sign-in is effective from the next refresh", async () => {
  const org = await createOrganization(t);
  const [unit, other] = [await org.unit("Unit"), await org.unit("Other")];
  const person = await org.member({ role: "UNIT_ADMIN", unit });
  expect(await give(org.admin, person, { role: "ORG_ADMIN" })).toBe("200");
  const create = async () => outcome(await person.post("/api/units", { name: "New", parentId: other }));
  expect(await create()).toBe("403 UNIT_FORBIDDEN");
  await person.refresh();
  expect(await create()).toBe("201");
});

test("permissions removed from a role prevent writes at once; added ones are effective from the next refresh", async () => {
  const org = await createOrganization(t);
  const role = await org.role("Keeper", "Units.Create", "Units.Read");
  const person = await org.member({ role });
  const create = async () => outcome(await person.post("/api/units", { name: "New", parentId: null }));
  const change = (...permissions: string[]) => org.admin.patch(`/api/roles/${role}`, { permissions });
  expect(await create()).toBe("201");
  expectStatus(await change("Units.Read"), 200);
  expect(await create()).toBe("403 FORBIDDEN");
  await person.refresh();
  expectStatus(await change("Units.Read", "Units.Create"), 200);
  expect(await create()).toBe("403 FORBIDDEN");
  await person.refresh();
  expect(await create()).toBe("201");
});

test("`role-options` returns the roles that the caller may assign organization-wide or in some unit", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Unit");
  await org.role("Billing", "Billing.Read");
  await org.role("Clerk", "Members.Read");
  const reader = await org.role("Reader", "Members.Read");
  const inviter = await org.role("Inviter", "Members.Read", "Invitations.Create");
  const everything = ["Billing", "Clerk", "Inviter", "MEMBER", "ORG_ADMIN", "Reader", "UNIT_ADMIN"];
  const options = await roleOptions(org.admin);
  expect(names(options).toSorted()).toEqual(everything.toSorted());
  const unitAdminRole = { id: roleId("UNIT_ADMIN"), name: "UNIT_ADMIN", builtIn: true };
  expect(options).toContainEqual({ ...unitAdminRole, description: expect.any(String) });
  expect(options).toContainEqual({ id: reader, name: "Reader", description: "", builtIn: false });

  const inUnit = ["Clerk", "Inviter", "MEMBER", "Reader", "UNIT_ADMIN"];
  const unitAdmin = await org.member({ role: "UNIT_ADMIN", unit });
  expect(names(await roleOptions(unitAdmin)).toSorted()).toEqual(inUnit);
  const inviting = await org.member({ role: inviter, unit });
  expect(names(await roleOptions(inviting)).toSorted()).toEqual(["Clerk", "Inviter", "Reader"]);
  expect(await roleOptions(await org.member({ role: reader }))).toEqual([]);
  expect(outcome(await (await org.member()).get("/api/members/role-options"))).toBe("403 FORBIDDEN");
  const admin = await t.platformAdmin();
  expect(names(await roleOptions(admin, actingIn(org))).toSorted()).toEqual(everything.toSorted());
});

test("`unit-options` returns the units in which the caller may assign some role, depth-first", async () => {
  const org = await createOrganization(t);
  const top = await org.unit("Top");
  const below = await org.unit("Below", top);
  await org.unit("Archive");
  const leaf = await org.unit("Leaf", below);
  const options = async (caller: Caller, acting = {}) =>
    expectStatus(await caller.get("/api/members/unit-options", acting), 200).body;
  expect(names(await options(org.admin))).toEqual(["Archive", "Top", "Below", "Leaf"]);
  const unitAdmin = await org.member({ role: "UNIT_ADMIN", unit: below });
  expect(await options(unitAdmin)).toEqual([
    { id: below, name: "Below", parentId: top, depth: 1 },
    { id: leaf, name: "Leaf", parentId: below, depth: 2 },
  ]);

  // Reading permissions without the permission to assign roles give no options.
  const reader = await org.role("Reader", "Members.Read");
  const inviter = await org.role("Inviter", "Invitations.Create");
  expect(await options(await org.member({ role: reader }))).toEqual([]);
  const inviting = await org.member({ role: reader }, { role: inviter, unit: below });
  expect(names(await options(inviting))).toEqual(["Below", "Leaf"]);
  expect(names(await options(await org.member({ role: reader, unit: leaf }, { role: inviter })))).toEqual([
    "Archive",
    "Top",
    "Below",
    "Leaf",
  ]);
  const admin = await t.platformAdmin();
  expect(names(await options(admin, actingIn(org)))).toEqual(["Archive", "Top", "Below", "Leaf"]);
  expect(outcome(await (await org.member()).get("/api/members/unit-options"))).toBe("403 FORBIDDEN");
});

test("`unit-options` omits a unit if the caller lacks a permission of every role that could be assigned in it", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Unit");
  // Organization-wide permissions such as Billing.Read cannot be held in a unit, so the caller cannot assign this role.
  const giver = await org.role("Giver", "Members.Read", "Members.UpdateRoles", "Billing.Read");
  const caller = await org.member({ role: giver, unit });
  const options = async () => [
    names(await roleOptions(caller)),
    names(expectStatus(await caller.get("/api/members/unit-options"), 200).body),
  ];
  expect(await options()).toEqual([[], []]);
  await org.role("Reader", "Members.Read");
  expect(await options()).toEqual([["Reader"], ["Unit"]]);
});
