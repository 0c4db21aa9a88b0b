import { expect, test } from "bun:test";
import { MEMBER as builtIn } from "../../../src/core/access/catalog.ts";
import type { Caller } from "../../support/caller.ts";
import { claims, unitGrants, unpacked } from "../../support/claims.ts";
import { createOrganization, type RoleAssignment } from "../../support/organizations.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();

const UNIT_PERMISSIONS: string[] = [];
const ALL_PERMISSIONS: string[] = [];
for (const { name, scope } of (await (await t.person()).get("/api/permissions")).body) {
  ALL_PERMISSIONS.push(name);
  if (scope === "unit") UNIT_PERMISSIONS.push(name);
}
const MEMBER = builtIn.permissions.toSorted();

/** Returns the permissions that the unit grants of an access token give in each listed unit, merged over all grants. */
function grantedOver(person: Caller): Record<string, string[]> {
  const over = new Map<string, Set<string>>();
  for (const { permissions, units } of unitGrants(person) ?? [])
    for (const unit of unpacked(units ?? ""))
      over.set(unit, new Set([...(over.get(unit) ?? []), ...permissions]));
  return Object.fromEntries([...over].map(([unit, permissions]) => [unit, [...permissions].sort()]));
}

/**
 * Creates an organization with the units `east`, `shop` (below `east`) and `west`, and a signed-in member with the
 * roles that `make` returns.
 */
async function signedIn(
  make: (
    units: { east: string; shop: string; west: string },
    role: (...permissions: string[]) => Promise<string>,
  ) => Promise<RoleAssignment[]>,
) {
  const organization = await createOrganization(t, "Acme");
  const east = await organization.unit("East");
  const units = { east, shop: await organization.unit("Shop", east), west: await organization.unit("West") };
  let count = 0;
  const given = await make(units, (...permissions) => organization.role(`Role ${++count}`, ...permissions));
  const person = await t.person();
  await organization.add(person, ...given);
  expectStatus(await person.login(), 200);
  return { person, organization, ...units };
}

test("the access token of an organization's founder has the organization, ORG_ADMIN and all permissions, and no unit grants", async () => {
  const { admin, id } = await createOrganization(t, "Acme");
  const { slug } = (await admin.get("/api/organization")).body;
  const { organization, roles, permissions, isPlatformAdmin } = claims(admin);
  expect(organization).toEqual({ id, name: "Acme", slug });
  expect([isPlatformAdmin, roles]).toEqual([false, ["ORG_ADMIN"]]);
  expect(permissions.toSorted()).toEqual(ALL_PERMISSIONS.toSorted());
  expect(unitGrants(admin)).toEqual([]);
});

test("the `roles` and `permissions` of an access token are the organization-wide ones, without duplicates", async () => {
  const { person } = await signedIn(async ({ east }, role) => [
    { role: "MEMBER" },
    { role: await role("Units.Read", "Roles.Create") },
    { role: await role("Audit.Read"), unit: east },
    { role: "MEMBER", unit: east },
  ]);
  const { roles, permissions } = claims(person);
  expect(roles.toSorted()).toEqual(["MEMBER", "Role 1"]);
  expect(permissions.toSorted()).toEqual([...MEMBER, "Roles.Create"].sort());
});

test("a role without permissions is listed in the access token and grants nothing", async () => {
  const { person } = await signedIn(async ({ east }, role) => {
    const empty = await role();
    return [{ role: empty }, { role: empty, unit: east }];
  });
  expect([claims(person).roles, claims(person).permissions]).toEqual([["Role 1"], []]);
  expect(grantedOver(person)).toEqual({});
  expectStatus(await person.get("/api/organization"), 403);
});

test("a role held in a unit covers that unit and all its sub-units", async () => {
  const { person, east, shop } = await signedIn(async ({ east }) => [{ role: "MEMBER", unit: east }]);
  const [grant, ...rest] = unitGrants(person) ?? [];
  expect(rest).toEqual([]);
  expect(grant?.permissions.toSorted()).toEqual(MEMBER);
  expect(unpacked(grant?.roots ?? "")).toEqual([east]);
  expect(unpacked(grant?.units ?? "").sort()).toEqual([east, shop].sort());
  expect(claims(person)).toMatchObject({ roles: [], permissions: [] });
});

test("unit ids in an access token are packed as 16 bytes each, without padding or separators", async () => {
  const { person, east, west } = await signedIn(async ({ east, west }) => [
    { role: "MEMBER", unit: east },
    { role: "MEMBER", unit: west },
  ]);
  const roots = unitGrants(person)?.[0]?.roots ?? "";
  expect(roots).toMatch(/^[\w-]{43}$/);
  expect(unpacked(roots).sort()).toEqual([east, west].sort());
});

test("an access token has one unit grant per distinct set of permissions, however many roles and units produce it", async () => {
  const { person, east, shop, west } = await signedIn(async ({ east, west }, role) => [
    { role: await role("Units.Read", "Members.Read"), unit: east },
    { role: await role("Members.Read", "Units.Read"), unit: west },
  ]);
  const [grant, ...rest] = unitGrants(person) ?? [];
  expect(rest).toEqual([]);
  expect(unpacked(grant?.roots ?? "").sort()).toEqual([east, west].sort());
  expect(unpacked(grant?.units ?? "").sort()).toEqual([east, shop, west].sort());
});

test("different permission sets are separate unit grants; a unit in several grants has their union", async () => {
  const { person, east, shop, west } = await signedIn(async ({ east, shop, west }, role) => {
    const [reader, creator] = [await role("Units.Read"), await role("Units.Create")];
    return [
      { role: reader, unit: east },
      { role: creator, unit: shop },
      { role: reader, unit: west },
      { role: creator, unit: west },
    ];
  });
  expect(grantedOver(person)).toEqual({
    [east]: ["Units.Read"],
    [shop]: ["Units.Create", "Units.Read"],
    [west]: ["Units.Create", "Units.Read"],
  });
  const sets = (unitGrants(person) ?? []).map(({ permissions }) => permissions.toSorted().join());
  expect(new Set(sets).size).toBe(sets.length);
});

test("a role held in a unit does not grant its organization-only permissions, neither in the token nor in the database", async () => {
  const { person, east, shop, west } = await signedIn(async ({ east, west }, role) => [
    { role: "ORG_ADMIN", unit: east },
    { role: await role("Organization.Update", "Billing.Read"), unit: west },
  ]);
  expect(grantedOver(person)).toEqual({
    [east]: UNIT_PERMISSIONS.toSorted(),
    [shop]: UNIT_PERMISSIONS.toSorted(),
  });
  expect(grantedOver(person)[west]).toBeUndefined();
  expectStatus(await person.patch("/api/organization", { name: "Changed" }), 403);
  expectStatus(await person.post("/api/roles", { name: "New", permissions: [] }), 403);
  expectStatus(await person.get("/api/organization"), 200);
});

test("UNIT_ADMIN grants every unit-scope permission, in a unit and organization-wide", async () => {
  const { person, east } = await signedIn(async ({ east }) => [{ role: "UNIT_ADMIN", unit: east }]);
  expect(grantedOver(person)[east]).toEqual(UNIT_PERMISSIONS.toSorted());
  const wide = await signedIn(async () => [{ role: "UNIT_ADMIN" }]);
  expect(claims(wide.person).permissions.toSorted()).toEqual(UNIT_PERMISSIONS.toSorted());
});

test("created, moved and deleted units appear in an access token after its next refresh", async () => {
  const { person, organization, east, shop, west } = await signedIn(async ({ east }) => [
    { role: "MEMBER", unit: east },
  ]);
  const covered = async () => {
    await person.refresh();
    return unpacked(unitGrants(person)?.[0]?.units ?? "").sort();
  };
  const kiosk = await organization.unit("Kiosk", shop);
  expect(await covered()).toEqual([east, shop, kiosk].sort());
  expectStatus(await organization.admin.patch(`/api/units/${west}`, { parentId: shop }), 200);
  expect(await covered()).toEqual([east, shop, kiosk, west].sort());
  expectStatus(await organization.admin.delete(`/api/units/${kiosk}`), 204);
  expect(await covered()).toEqual([east, shop, west].sort());
  expectStatus(await organization.admin.patch(`/api/units/${shop}`, { parentId: null }), 200);
  expect(await covered()).toEqual([east]);
});

test("a role in a deleted unit grants nothing; the member's other grants remain", async () => {
  const { person, east, shop, west } = await signedIn(async ({ east, west }) => [
    { role: "MEMBER", unit: east },
    { role: "MEMBER", unit: west },
  ]);
  await t.sql("UPDATE units SET is_deleted = true, deleted_at = now() WHERE id = $1", [west]);
  await person.refresh();
  expect(grantedOver(person)).toEqual({ [east]: MEMBER, [shop]: MEMBER });
  await t.sql("UPDATE units SET is_deleted = true, deleted_at = now() WHERE id = $1", [east]);
  await person.refresh();
  expect(grantedOver(person)).toEqual({});
  expectStatus(await person.get("/api/units"), 403);
});

test("a changed role appears in an access token after its next refresh", async () => {
  const { person, organization, east } = await signedIn(async ({ east }, role) => [
    { role: await role("Units.Read"), unit: east },
    { role: "MEMBER" },
  ]);
  const [role] = (await organization.admin.get("/api/roles?search=Role 1")).body.data;
  const change = { name: "Renamed", permissions: ["Audit.Read"] };
  expectStatus(await organization.admin.patch(`/api/roles/${role.id}`, change), 200);
  expect(grantedOver(person)[east]).toEqual(["Units.Read"]);
  await person.refresh();
  expect(grantedOver(person)[east]).toEqual(["Audit.Read"]);
});

test("an access token contains nothing about the user's other organizations", async () => {
  const { person } = await signedIn(async () => [{ role: "MEMBER" }]);
  const other = await createOrganization(t, "Other");
  const unit = await other.unit("Theirs");
  await other.add(person, { role: "ORG_ADMIN" }, { role: "UNIT_ADMIN", unit });
  await person.refresh();
  expect(claims(person)).toMatchObject({ organization: { name: "Acme" }, roles: ["MEMBER"], unitGrants: [] });
  expectStatus(await person.post("/api/auth/organization", { organizationId: other.id }), 200);
  expect(claims(person)).toMatchObject({ organization: { name: "Other" }, roles: ["ORG_ADMIN"] });
  expect(grantedOver(person)).toEqual({ [unit]: UNIT_PERMISSIONS.toSorted() });
});
