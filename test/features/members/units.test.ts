import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { actingIn, eventsIn, idOf, messages, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();

const link = (caller: Caller, person: Caller, unitIds: string[], options = {}) =>
  caller.patch(`/api/members/${idOf(person)}/units`, { unitIds }, options);
const linked = async (caller: Caller, person: Caller, ...unitIds: string[]) =>
  outcome(await link(caller, person, unitIds));
const unitsOf = async (org: Organization, person: Caller): Promise<string[]> =>
  expectStatus(await org.admin.get(`/api/members/${idOf(person)}`), 200).body.units.map(
    ({ name }: { name: string }) => name,
  );
const entry = (unitId: string, unitName: string) => ({ unitId, unitName });

test("a change replaces all units of a member, with an audit event of added and removed units, and without a notification", async () => {
  const org = await createOrganization(t);
  const [one, two] = [await org.unit("One"), await org.unit("Two")];
  const person = await org.member();
  const first = expectStatus(await link(org.admin, person, [one, one]), 200);
  expect(first.body).toMatchObject({ userId: idOf(person), units: [{ id: one, name: "One" }] });
  const second = expectStatus(await link(org.admin, person, [two]), 200);
  expect(second.body.units).toEqual([{ id: two, name: "Two" }]);
  expect(second.body).toEqual((await org.admin.get(`/api/members/${idOf(person)}`)).body);
  expect(await linked(org.admin, person)).toBe("200");

  const told = {
    action: "MEMBER_UNITS_CHANGED",
    actor_id: idOf(org.admin),
    target_type: "user",
    target_id: idOf(person),
  };
  expect(await eventsIn(t, org, "MEMBER_")).toEqual([
    { ...told, metadata: { added: [entry(one, "One")], removed: [] } },
    { ...told, metadata: { added: [entry(two, "Two")], removed: [entry(one, "One")] } },
    { ...told, metadata: { added: [], removed: [entry(two, "Two")] } },
  ]);
  expect((await person.get("/api/notifications")).body.total).toBe(1);
});

test("setting a member's current units again writes nothing", async () => {
  const org = await createOrganization(t);
  const [one, two] = [await org.unit("One"), await org.unit("Two")];
  const person = await org.member();
  expect(await linked(org.admin, person, one, two)).toBe("200");
  const rows = () => t.sql("SELECT * FROM membership_units WHERE user_id = $1 ORDER BY id", [idOf(person)]);
  const before = await rows();
  expect(await linked(org.admin, person, two, one)).toBe("200");
  expect(await rows()).toEqual(before);
  expect(await eventsIn(t, org, "MEMBER_")).toHaveLength(1);
});

test("a member cannot be removed from a unit in which they have a role, neither organization-wide nor by a unit administrator", async () => {
  const org = await createOrganization(t);
  const [top, beside] = [await org.unit("Top"), await org.unit("Beside")];
  const unitAdmin = await org.member({ role: "UNIT_ADMIN", unit: top });
  const person = await org.member({ role: "MEMBER", unit: top });
  await org.link(person, beside);
  for (const caller of [org.admin, unitAdmin]) expect(await linked(caller, person)).toBe("409 CONFLICT");
  expect(await linked(org.admin, person, beside)).toBe("409 CONFLICT");
  expect(await unitsOf(org, person)).toEqual(["Beside", "Top"]);
  expect(await linked(org.admin, person, top)).toBe("200");
  expect(await unitsOf(org, person)).toEqual(["Top"]);
});

test("a unit administrator replaces only a member's units inside the own subtree", async () => {
  const org = await createOrganization(t);
  const [top, beside] = [await org.unit("Top"), await org.unit("Beside")];
  const [below, other] = [await org.unit("Below", top), await org.unit("Other", top)];
  const unitAdmin = await org.member({ role: "UNIT_ADMIN", unit: top });
  const person = await org.member();
  await org.link(person, below, beside);
  const response = expectStatus(await link(unitAdmin, person, [other]), 200);
  expect(response.body.units).toEqual([{ id: other, name: "Other" }]);
  expect(response.body.assignments).toEqual([]);
  expect(await unitsOf(org, person)).toEqual(["Beside", "Other"]);
  for (const unit of [beside, await org.unit("New")])
    expect(await linked(unitAdmin, person, other, unit)).toBe("403 UNIT_FORBIDDEN");
  // For a member out of reach, 404 comes before 403 for a unit out of reach.
  for (const outsider of [org.admin, await org.member()])
    expect(await linked(unitAdmin, outsider, beside)).toBe("404 NOT_FOUND");

  // Without a unit in the subtree, the member is no longer visible to the unit administrator.
  expectStatus(await link(unitAdmin, person, []), 200);
  expect(await linked(unitAdmin, person, below)).toBe("404 NOT_FOUND");
  expect(await unitsOf(org, person)).toEqual(["Beside"]);
});

test("the error of a unit change names every unknown unit, and all errors are returned at once", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const deleted = await org.unit("Deleted");
  expectStatus(await org.admin.delete(`/api/units/${deleted}`), 204);
  const person = await org.member();
  const [own, foreign] = [await org.unit("Own"), await other.unit("Foreign")];
  const refused = await link(org.admin, person, [deleted, own, foreign, crypto.randomUUID()]);
  expect(refused.body.errors).toEqual(
    [0, 2, 3].map((index) => ({
      path: `unitIds.${index}`,
      message: `unitIds.${index} must be an existing unit`,
    })),
  );
  expect(await unitsOf(org, person)).toEqual([]);
  const malformed = { unitIds: ["x", own, null], units: [] };
  expect(messages(await org.admin.patch("/api/members/none/units", malformed))).toEqual([
    "userId must be a UUID",
    "unitIds.0 must be a UUID",
    "unitIds.2 must be a string",
    "property units should not exist",
  ]);
  // Validation comes before the lookup of the member.
  expect(await linked(org.admin, other.admin, foreign)).toBe("400 VALIDATION_FAILED");
  expect(await linked(org.admin, other.admin, own)).toBe("404 NOT_FOUND");
});

test("changing a member's units needs its own permission; a platform administrator must send X-Organization-Id", async () => {
  const [org, admin] = [await createOrganization(t), await t.platformAdmin()];
  const [unit, person] = [await org.unit("Unit"), await org.member()];
  const giver = await org.role("Giver", "Members.Read", "Members.UpdateRoles", "Members.Delete");
  expect(await linked(await org.member({ role: giver }), person, unit)).toBe("403 FORBIDDEN");
  expect(await linked(admin, person, unit)).toBe("400 ORGANIZATION_REQUIRED");
  expectStatus(await link(admin, person, [unit], actingIn(org)), 200);
  // A unit membership grants no permissions.
  await person.refresh();
  expect(outcome(await person.get("/api/members"))).toBe("403 FORBIDDEN");
});

test("a returning member has only the new roles and units, and a new joining date", async () => {
  const org = await createOrganization(t);
  const [one, two] = [await org.unit("One"), await org.unit("Two")];
  const person = await org.member({ role: "ORG_ADMIN" }, { role: "MEMBER", unit: one });
  const path = `/api/members/${idOf(person)}`;
  await t.age("memberships", { user_id: idOf(person) }, { days: 3 });
  const before = (await org.admin.get(path)).body;
  expectStatus(await org.admin.delete(path), 204);
  await org.add(person, { role: "MEMBER", unit: two });
  const after = (await org.admin.get(path)).body;
  expect(after.assignments).toEqual([
    { role: { id: expect.any(String), name: "MEMBER" }, unit: { id: two, name: "Two" }, source: "manual" },
  ]);
  expect(after.units).toEqual([{ id: two, name: "Two" }]);
  expect(Date.parse(after.joinedAt)).toBeGreaterThan(Date.parse(before.joinedAt));
});

test("an organization or unit administrator can set up to 2,000 units of a member at once, and more are 400", async () => {
  const org = await createOrganization(t);
  const root = await org.unit("Root");
  const units = await t.sql<{ id: string }>(
    "INSERT INTO units (organization_id, parent_id, name) SELECT $1, $2, 'Unit ' || n FROM generate_series(1, 2000) n RETURNING id",
    [org.id, root],
  );
  const ids = units.map(({ id }) => id);
  const unitAdmin = await org.member({ role: "UNIT_ADMIN", unit: root });
  const person = await org.member({ role: "MEMBER", unit: ids[0] ?? null });
  const path = `/api/members/${idOf(person)}/units`;
  expect(expectStatus(await org.admin.patch(path, { unitIds: ids }), 200).body.units).toHaveLength(2_000);
  expectStatus(await unitAdmin.patch(path, { unitIds: ids.slice(0, 1) }), 200);
  expect(expectStatus(await unitAdmin.patch(path, { unitIds: ids }), 200).body.units).toHaveLength(2_000);
  const refused = expectStatus(await org.admin.patch(path, { unitIds: [...ids, root] }), 400).body;
  expect([refused.code, refused.errors.length]).toEqual(["VALIDATION_FAILED", 1]);
});
