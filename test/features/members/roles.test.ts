import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import {
  assignments,
  createOrganization,
  type Organization,
  type RoleAssignment,
  roleId,
} from "../../support/organizations.ts";
import { eventsIn, idOf, messages, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();

const give = (caller: Caller, person: Caller, ...roles: RoleAssignment[]) =>
  caller.patch(`/api/members/${idOf(person)}/roles`, assignments(...roles));
const given = async (caller: Caller, person: Caller, ...roles: RoleAssignment[]) =>
  outcome(await give(caller, person, ...roles));

type Shown = { role: { name: string }; unit: { name: string } | null };
/** Returns the role assignments of the member in a response, each as a text. */
const rolesIn = ({ body }: { body: { assignments: Shown[] } }) =>
  body.assignments.map(
    ({ role, unit }) => `${role.name} ${unit === null ? "everywhere" : `in ${unit.name}`}`,
  );
const rolesOf = async (org: Organization, person: Caller) =>
  rolesIn(expectStatus(await org.admin.get(`/api/members/${idOf(person)}`), 200));
const unitsOf = async (org: Organization, person: Caller): Promise<string[]> =>
  (await org.admin.get(`/api/members/${idOf(person)}`)).body.units.map(({ name }: { name: string }) => name);

/** Returns a user's ROLES_CHANGED notifications, oldest first. */
const toldTo = async (person: Caller) =>
  (await person.get("/api/notifications?order=asc")).body.data
    .filter(({ type }: { type: string }) => type === "ROLES_CHANGED")
    .map(({ data }: { data: unknown }) => data);

const entry = (name: string, unit: { id: string; name: string } | null = null, id = roleId(name)) => ({
  roleId: id,
  roleName: name,
  unitId: unit?.id ?? null,
  unitName: unit?.name ?? null,
});

test("a change replaces all roles of a member, with a notification and an audit event of added and removed roles", async () => {
  const org = await createOrganization(t);
  const sales = { id: await org.unit("Sales"), name: "Sales" };
  const clerk = await org.role("Clerk", "Units.Read");
  const person = await org.member({ role: "MEMBER" }, { role: clerk, unit: sales.id });
  const wanted = [{ role: "MEMBER" }, { role: "UNIT_ADMIN", unit: sales.id }, { role: clerk }];
  const response = expectStatus(await give(org.admin, person, ...wanted), 200);
  expect(rolesIn(response).toSorted()).toEqual([
    "Clerk everywhere",
    "MEMBER everywhere",
    "UNIT_ADMIN in Sales",
  ]);
  expect(response.body).toEqual((await org.admin.get(`/api/members/${idOf(person)}`)).body);

  const changes = {
    added: expect.arrayContaining([entry("UNIT_ADMIN", sales), entry("Clerk", null, clerk)]),
    removed: [entry("Clerk", sales, clerk)],
  };
  const [told, ...more] = await toldTo(person);
  expect(told).toEqual({ ...changes, organizationId: org.id });
  expect([told.added.length, more]).toEqual([2, []]);
  expect(await eventsIn(t, org, "MEMBER_")).toEqual([
    {
      action: "MEMBER_ROLES_CHANGED",
      actor_id: idOf(org.admin),
      target_type: "user",
      target_id: idOf(person),
      metadata: changes,
    },
  ]);
  expect(await toldTo(org.admin)).toEqual([]);
});

test("setting a member's current roles again writes nothing and sends no notification", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Sales");
  const roles = [{ role: "MEMBER" }, { role: "UNIT_ADMIN", unit }];
  const person = await org.member(...roles);
  const rows = () =>
    t.sql(
      `SELECT a.* FROM membership_assignments a JOIN memberships m ON m.id = a.membership_id
       WHERE m.user_id = $1 ORDER BY a.id`,
      [idOf(person)],
    );
  const before = await rows();
  expect(await given(org.admin, person, ...roles.toReversed())).toBe("200");
  expect(await given(org.admin, person, ...roles, ...roles)).toBe("200");
  expect(await rows()).toEqual(before);
  expect(await eventsIn(t, org, "MEMBER_")).toEqual([]);
  expect(await toldTo(person)).toEqual([]);
});

test("a member can have at most 50 roles; duplicates count once, and `unitId` null equals an omitted one", async () => {
  const org = await createOrganization(t);
  const person = await org.member();
  const path = `/api/members/${idOf(person)}/roles`;
  const id = roleId("MEMBER");
  const fifty = Array.from({ length: 25 }, () => [
    { roleId: id },
    { roleId: id.toUpperCase(), unitId: null },
  ]);
  const response = expectStatus(await org.admin.patch(path, { assignments: fifty.flat() }), 200);
  expect(rolesIn(response)).toEqual(["MEMBER everywhere"]);
  const many = Array.from({ length: 51 }, () => ({ roleId: crypto.randomUUID() }));
  expect(messages(await org.admin.patch(path, { assignments: many }))).toEqual([
    "assignments must contain no more than 50 elements",
  ]);
});

test("the error of a role change names every unknown role and unit", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const person = await org.member();
  const [role, unit] = [await org.role("Deleted"), await org.unit("Deleted")];
  expectStatus(await org.admin.delete(`/api/roles/${role}`), 204);
  expectStatus(await org.admin.delete(`/api/units/${unit}`), 204);
  const [foreignRole, foreignUnit] = [await other.role("Foreign"), await other.unit("Foreign")];
  const response = await give(
    org.admin,
    person,
    { role: foreignRole },
    { role: "MEMBER", unit: foreignUnit },
    { role: "MEMBER" },
    { role, unit },
    { role: crypto.randomUUID(), unit: crypto.randomUUID() },
  );
  expect(response.body.errors).toEqual([
    { path: "assignments.0.roleId", message: "assignments.0.roleId must be an existing role" },
    { path: "assignments.1.unitId", message: "assignments.1.unitId must be an existing unit" },
    { path: "assignments.3.roleId", message: "assignments.3.roleId must be an existing role" },
    { path: "assignments.3.unitId", message: "assignments.3.unitId must be an existing unit" },
    { path: "assignments.4.roleId", message: "assignments.4.roleId must be an existing role" },
    { path: "assignments.4.unitId", message: "assignments.4.unitId must be an existing unit" },
  ]);
  const path = `/api/members/${idOf(person)}/roles`;
  const malformed = { assignments: [{ roleId: "x", unitId: "", extra: 1 }, {}], more: true };
  expect(messages(await org.admin.patch(path, malformed))).toEqual([
    "assignments.0.roleId must be a UUID",
    "assignments.0.unitId must be a UUID",
    "property extra should not exist",
    "assignments.1.roleId is required",
    "property more should not exist",
  ]);
  expect(await rolesOf(org, person)).toEqual(["MEMBER everywhere"]);
});

test("removing a member's last role is 400 for an organization-wide caller and 409 for a unit administrator", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Sales");
  const unitAdmin = await org.member({ role: "UNIT_ADMIN", unit });
  const [inside, both] = [
    await org.member({ role: "MEMBER", unit }),
    await org.member({ role: "MEMBER", unit }, { role: "MEMBER" }),
  ];
  expect((await give(org.admin, inside)).body.errors).toEqual([
    { path: "assignments", message: "assignments should not be empty" },
  ]);
  expect(await given(unitAdmin, inside)).toBe("409 CONFLICT");
  expect(await given(unitAdmin, both)).toBe("200");
  expect(await rolesOf(org, both)).toEqual(["MEMBER everywhere"]);
});

test("a role in a unit adds the member to the unit, and removing the role keeps the unit membership", async () => {
  const org = await createOrganization(t);
  const [one, two] = [await org.unit("One"), await org.unit("Two")];
  const person = await org.member();
  const response = expectStatus(await give(org.admin, person, { role: "MEMBER", unit: one }), 200);
  expect(response.body.units).toEqual([{ id: one, name: "One" }]);
  expect(await given(org.admin, person, { role: "MEMBER", unit: two })).toBe("200");
  expect(await unitsOf(org, person)).toEqual(["One", "Two"]);
  // A new role in the unit restores an ended unit membership.
  const path = `/api/members/${idOf(person)}/units`;
  expectStatus(await org.admin.patch(path, { unitIds: [two] }), 200);
  expect(await given(org.admin, person, { role: "MEMBER", unit: one })).toBe("200");
  expect(await unitsOf(org, person)).toEqual(["One", "Two"]);
  expect(await eventsIn(t, org, "MEMBER_UNITS_CHANGED")).toHaveLength(1);
});

test("a unit administrator replaces only the roles inside the unit's subtree", async () => {
  const org = await createOrganization(t);
  const [top, beside] = [await org.unit("Top"), await org.unit("Beside")];
  const below = await org.unit("Below", top);
  const unitAdmin = await org.member({ role: "UNIT_ADMIN", unit: top });
  const inside = { role: "MEMBER", unit: below };
  const outside = [{ role: "MEMBER" }, { role: "MEMBER", unit: beside }];
  const person = await org.member(...outside, inside);

  const response = expectStatus(await give(unitAdmin, person, { role: "UNIT_ADMIN", unit: below }), 200);
  expect(rolesIn(response)).toEqual(["UNIT_ADMIN in Below"]);
  expect(response.body.units).toEqual([{ id: below, name: "Below" }]);
  expect(await rolesOf(org, person)).toEqual([
    "MEMBER everywhere",
    "MEMBER in Beside",
    "UNIT_ADMIN in Below",
  ]);
  for (const refused of outside) expect(await given(unitAdmin, person, refused)).toBe("403 UNIT_FORBIDDEN");
  expect(await given(unitAdmin, person)).toBe("200");
  expect(await rolesOf(org, person)).toEqual(["MEMBER everywhere", "MEMBER in Beside"]);
  const told = await toldTo(person);
  expect(
    told.map(({ removed }: { removed: { unitName: string }[] }) => removed.map((one) => one.unitName)),
  ).toEqual([["Below"], ["Below"]]);
});

test("changing the roles of a member out of reach or of a user who is no member is 404", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const unit = await org.unit("Sales");
  const unitAdmin = await org.member({ role: "UNIT_ADMIN", unit });
  const member = { role: "MEMBER", unit };
  for (const person of [org.admin, await org.member(), other.admin, await t.person()])
    expect(await given(unitAdmin, person, member)).toBe("404 NOT_FOUND");
  expect(await given(org.admin, other.admin, { role: "MEMBER" })).toBe("404 NOT_FOUND");
  // The 404 comes before a 403 for a unit out of reach.
  expect(await given(unitAdmin, org.admin, { role: "MEMBER" })).toBe("404 NOT_FOUND");
  expect(await given(await org.member(), org.admin)).toBe("403 FORBIDDEN");
});
