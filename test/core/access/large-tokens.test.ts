import { expect, test } from "bun:test";
import {
  claims,
  createTree,
  distinctSets,
  expectUsable,
  headerBytes,
  MAX_HEADER_BYTES,
  newMember,
  unitGrants,
  unitPermissions,
} from "../../support/claims.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();

/** Creates one role per permission set, each with a distinct name of the maximum length. */
function fiftyRoles(organization: Organization, letter: string, sets: string[][]) {
  return Promise.all(
    sets.map((permissions, index) => organization.role(`${letter.repeat(98)}${10 + index}`, ...permissions)),
  );
}

test("a user whose grants cover 2,000 units can sign in, refresh and read lists", async () => {
  const organization = await createOrganization(t);
  const root = await createTree(t, organization, 2000);
  const person = await newMember(t, organization, { role: "UNIT_ADMIN", unit: root });
  await expectUsable(organization, person, 2000);
  expect(unitGrants(person)).toMatchObject([{ units: null }]);
  expect(headerBytes(person)).toBeLessThan(2048);
  const last = (await person.get("/api/units")).body.data.at(-1);
  expectStatus(await person.patch(`/api/units/${last.id}`, { name: "Renamed" }), 200);
});

test("unit grants that exceed 5 KB even without their unit ids are omitted from the token and loaded from the database", async () => {
  const organization = await createOrganization(t);
  const sets = distinctSets(50, "Units.Read", "Units.Update", "Members.Read");
  const roles = await fiftyRoles(organization, "r", sets);
  const units: string[] = [];
  for (const index of roles.keys()) units.push(await organization.unit(`Unit ${index}`));
  const outside = await organization.unit("Outside");
  const person = await newMember(
    t,
    organization,
    ...roles.map((role, index) => ({ role, unit: units[index] ?? null })),
  );
  await expectUsable(organization, person, 50);
  expect(unitGrants(person)).toBeNull();
  expect(headerBytes(person)).toBeLessThan(MAX_HEADER_BYTES);

  expectStatus(await person.patch(`/api/units/${units[49]}`, { name: "Renamed" }), 200);
  expectStatus(await person.patch(`/api/units/${outside}`, { name: "Renamed" }), 404);
  expectStatus(await person.post("/api/roles", { name: "New", permissions: [] }), 403);
  expectStatus(await person.patch("/api/organization", { name: "Changed" }), 403);
  const narrower = await organization.member({ role: "MEMBER" });
  expectStatus(await narrower.patch(`/api/units/${units[49]}`, { name: "Renamed" }), 403);
});

test("permissions loaded from the database are current: a removed member has none", async () => {
  const organization = await createOrganization(t);
  const roles = await fiftyRoles(organization, "r", distinctSets(50, "Units.Read", "Members.Read"));
  const units: string[] = [];
  for (const index of roles.keys()) units.push(await organization.unit(`Unit ${index}`));
  const person = await newMember(
    t,
    organization,
    ...roles.map((role, index) => ({ role, unit: units[index] ?? null })),
  );
  await expectUsable(organization, person, 50);
  const sub = claims(person).sub;
  expectStatus(await organization.admin.delete(`/api/members/${sub}`), 204);
  expect((await person.get("/api/units")).body).toMatchObject({ statusCode: 403, code: "FORBIDDEN" });
});

for (const [letter, kind] of [
  ["r", "100 characters"],
  ["🦆", "100 characters of four bytes"],
] as const) {
  test(`a user with fifty organization-wide roles, named with ${kind}, can sign in, refresh and read lists`, async () => {
    const organization = await createOrganization(t);
    await createTree(t, organization, 3);
    const roles = await fiftyRoles(organization, letter, distinctSets(50, "Units.Read"));
    const person = await newMember(t, organization, ...roles.map((role) => ({ role })));
    await expectUsable(organization, person, 3);
    const own = (await person.get("/api/auth/organizations")).body;
    expect(own[0].roles).toHaveLength(50);
    expect(claims(person).permissions.toSorted()).toEqual(unitPermissions.toSorted());
    const { roles: named, rolesTruncated } = claims(person);
    expect(own[0].roles).toEqual(expect.arrayContaining(named));
    expect(rolesTruncated === true).toBe(named.length < 50);
    // With many permissions in the catalog, not all 50 names fit into the token.
    if (letter === "r") expect(named.length).toBeGreaterThan(40);
  });

  test(`a user with fifty roles, half of them in units, named with ${kind}, can sign in, refresh and read lists`, async () => {
    const organization = await createOrganization(t);
    const root = await createTree(t, organization, 150);
    const inUnits = (await organization.admin.get("/api/units")).body.data;
    const roles = await fiftyRoles(organization, letter, distinctSets(50, "Units.Read"));
    const person = await newMember(
      t,
      organization,
      ...roles.map((role, index) => ({ role, unit: index % 2 ? inUnits[index].id : null })),
      { role: "UNIT_ADMIN", unit: root },
    );
    await expectUsable(organization, person, 150);
    expectStatus(await person.patch(`/api/units/${inUnits[149].id}`, { name: "Renamed" }), 200);
  });
}
