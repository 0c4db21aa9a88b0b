import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import {
  addUnitsBelow,
  claims,
  createTree,
  distinctSets,
  expectUsable,
  headerBytes,
  MAX_HEADER_BYTES,
  newMember,
  unitGrants,
  unpacked,
} from "../../support/claims.ts";
import { createOrganization, type RoleAssignment } from "../../support/organizations.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();

const MAX_GRANTS_BYTES = 5 * 1024;
const grantsBytes = (person: Caller) => Buffer.byteLength(JSON.stringify(unitGrants(person)));
test("an access token lists up to 150 covered units, roots included, in a header under 8 KB", async () => {
  const organization = await createOrganization(t);
  const root = await createTree(t, organization, 150);
  const person = await newMember(t, organization, { role: "UNIT_ADMIN", unit: root });
  await expectUsable(organization, person, 150);
  const [grant, ...rest] = unitGrants(person) ?? [];
  expect(rest).toEqual([]);
  const units = unpacked(grant?.units ?? "");
  expect([units.length, new Set(units).size, units.includes(root)]).toEqual([150, 150, true]);
  expect(headerBytes(person)).toBeLessThan(MAX_HEADER_BYTES);
});

test("150 covered units fit into the header with the longest organization name, ORG_ADMIN and several grants", async () => {
  const organization = await createOrganization(t);
  expectStatus(await organization.admin.patch("/api/organization", { name: "🦆".repeat(100) }), 200);
  expectStatus(await organization.admin.patch("/api/organization", { slug: "s".repeat(63) }), 200);
  const [first, second] = [await createTree(t, organization, 100), await createTree(t, organization, 50)];
  const seller = await organization.role("Seller", "Units.Read", "Members.Read");
  const person = await newMember(
    t,
    organization,
    { role: "ORG_ADMIN" },
    { role: "UNIT_ADMIN", unit: first },
    { role: seller, unit: second },
  );
  await expectUsable(organization, person, 150);
  expect(
    unitGrants(person)
      ?.map(({ units }) => unpacked(units ?? "").length)
      .sort(),
  ).toEqual([100, 50]);
  expect(headerBytes(person)).toBeLessThan(MAX_HEADER_BYTES);
});

test("with 151 covered units the token has only the root units of each grant; the covered units are read from the database", async () => {
  const organization = await createOrganization(t);
  const [first, second] = [await createTree(t, organization, 100), await createTree(t, organization, 51)];
  await createTree(t, organization, 10);
  const reader = await organization.role(
    "Reader",
    "Members.Read",
    "Units.Read",
    "Organization.Read",
    "Roles.Read",
  );
  const person = await newMember(
    t,
    organization,
    { role: "UNIT_ADMIN", unit: first },
    { role: reader, unit: second },
  );
  await expectUsable(organization, person, 151);
  expect(unitGrants(person)?.map(({ units }) => units)).toEqual([null, null]);
  expect(
    unitGrants(person)
      ?.flatMap(({ roots }) => unpacked(roots))
      .sort(),
  ).toEqual([first, second].sort());
});

test("a unit covered by several grants counts once towards the 150 units", async () => {
  const organization = await createOrganization(t);
  const root = await createTree(t, organization, 2);
  const inner = await organization.unit("Inner", root);
  await addUnitsBelow(t, inner, 2);
  const [one, two] = [
    await organization.role("One", "Units.Read", "Members.Read", "Organization.Read", "Roles.Read"),
    await organization.role("Two", "Units.Create"),
  ];
  await addUnitsBelow(t, root, 145);
  const person = await newMember(t, organization, { role: one, unit: root }, { role: two, unit: inner });
  await expectUsable(organization, person, 150);
  expect(
    unitGrants(person)
      ?.map(({ units }) => unpacked(units ?? "").length)
      .sort(),
  ).toEqual([150, 3]);
  await addUnitsBelow(t, root, 1);
  await expectUsable(organization, person, 151);
  expect(unitGrants(person)?.map(({ units }) => units)).toEqual([null, null]);
});

test("unit grants over 5 KB first omit their unit ids, even if they cover few units", async () => {
  const organization = await createOrganization(t);
  const given: RoleAssignment[] = [];
  let parent: string | null = null;
  for (const [index, permissions] of distinctSets(4, "Units.Read", "Members.Read").entries()) {
    const unit = await organization.unit(`Level ${index}`, parent);
    given.push({ role: await organization.role(`Role ${index}`, ...permissions.slice(0, 8)), unit });
    parent = unit;
  }
  given.push({ role: await organization.role("Readers", "Organization.Read", "Roles.Read") });
  await addUnitsBelow(t, parent ?? "", 120);
  const person = await newMember(t, organization, ...given);
  await expectUsable(organization, person, 124);
  const grants = unitGrants(person) ?? [];
  expect(grants.map(({ units }) => units)).toEqual([null, null, null, null]);
  expect(grants.flatMap(({ roots }) => unpacked(roots)).sort()).toEqual(
    given.flatMap(({ unit }) => unit ?? []).sort(),
  );
});

for (const size of [40, 80, 110, 140]) {
  test(`unit grants are at most 5 KB encoded and the header under 8 KB, with ${size} units and many permission sets`, async () => {
    const organization = await createOrganization(t);
    const root = await createTree(t, organization, size);
    const sets = distinctSets(size / 10, "Units.Read");
    const given = await Promise.all(
      sets.map(async (set, index) => ({
        role: await organization.role(`Role ${index}`, ...set.slice(0, 5)),
        unit: index === 0 ? root : await organization.unit(`Extra ${index}`, root),
      })),
    );
    const person = await newMember(t, organization, ...given, { role: "UNIT_ADMIN" });
    await expectUsable(organization, person, size + sets.length - 1);
    expect(grantsBytes(person)).toBeLessThanOrEqual(MAX_GRANTS_BYTES);
    expect(headerBytes(person)).toBeLessThan(MAX_HEADER_BYTES);
  });
}

test("role names that do not fit into the token are omitted and flagged by `rolesTruncated`; permissions are always complete", async () => {
  const organization = await createOrganization(t);
  const roles = [];
  for (let index = 10; index < 30; index += 1)
    roles.push({ role: await organization.role(`${"🦆".repeat(98)}${index}`, "Units.Read") });
  const last = await organization.role("Last", "Members.Read", "Organization.Read", "Roles.Read");
  const person = await newMember(t, organization, ...roles, { role: last });
  await expectUsable(organization, person, 0);
  const { roles: named, rolesTruncated, permissions } = claims(person);
  expect(named.length).toBeWithin(5, 20);
  expect(rolesTruncated).toBe(true);
  expect(permissions.toSorted()).toEqual(["Members.Read", "Organization.Read", "Roles.Read", "Units.Read"]);
  expect(headerBytes(person)).toBeLessThan(MAX_HEADER_BYTES);

  const other = await newMember(t, organization, ...roles.slice(0, 5));
  expectStatus(await other.login(), 200);
  expect(claims(other).roles).toHaveLength(5);
  expect("rolesTruncated" in claims(other)).toBe(false);
});
