import { expect, test } from "bun:test";
import { grants, readToken, type UnitGrant } from "../../src/client/claims.ts";
import { Jar } from "../support/browser.ts";
import { createOrganization } from "../support/organizations.ts";
import { expectStatus, startService } from "../support/service.ts";

const t = await startService();

/** Returns token claims with these unit grants (null: they did not fit into the token). */
function claimsWith(unitGrants: readonly UnitGrant[] | null, isPlatformAdmin = false) {
  const organization = { id: "x", name: "X", slug: "x" };
  const permissions = ["Units.Read" as const];
  const who = { userId: "u", sessionId: "s", isPlatformAdmin, mustEnableTwoFactor: false, confined: false };
  return { ...who, organization, roles: [], rolesTruncated: false, permissions, unitGrants };
}

test("a permission held in a unit counts only there and below", async () => {
  const organization = await createOrganization(t);
  const unit = async (name: string, parentId: string | null) =>
    (await organization.admin.post("/api/units", { name, parentId })).body.id as string;
  const europe = await unit("Europe", null);
  const athens = await unit("Athens", europe);
  const asia = await unit("Asia", null);
  const person = await t.person();
  await organization.add(person, { role: "UNIT_ADMIN", unit: europe });
  const tab = new Jar(t.url).tab();
  await tab.signIn(person.account);
  expect([tab.can("Members.Read", europe), tab.can("Members.Read", athens.toUpperCase())]).toEqual([
    true,
    true,
  ]);
  expect([tab.can("Members.Read", asia), tab.can("Members.Read", null)]).toEqual([false, false]);
  // Without a unit, `can` is true if the permission is held in any unit, as a menu needs it.
  expect([tab.can("Members.Read"), tab.can("Billing.Read")]).toEqual([true, false]);
  await tab.signOut();
  expect(tab.can("Members.Read")).toBe(false);
});

test("an organization administrator has every permission in every unit", async () => {
  const { admin } = await createOrganization(t);
  const tab = new Jar(t.url).tab();
  await tab.signIn(admin.account);
  expect([tab.can("Billing.Update"), tab.can("Members.Read", null)]).toEqual([true, true]);
  expect(tab.can("Members.Read", crypto.randomUUID())).toBe(true);
});

test("a platform administrator has every permission, also without an organization", () => {
  expect(grants({ ...claimsWith([], true), organization: null }, "Audit.Read", null)).toBe(true);
});

test("the claims grant no permission until a required second factor is set up", () => {
  expect(grants({ ...claimsWith([], true), mustEnableTwoFactor: true }, "Audit.Read")).toBe(false);
});

test('unit grants that did not fit into the token are reported as "perhaps"', () => {
  expect(grants(claimsWith(null), "Members.Read")).toBe("perhaps");
  expect(grants(claimsWith(null), "Members.Read", "y")).toBe("perhaps");
  // Organization-wide permissions are always in the token.
  expect(grants(claimsWith(null), "Members.Read", null)).toBe(false);
  expect(grants(claimsWith(null), "Units.Read", "y")).toBe(true);
  const root = [{ permissions: ["Members.Read" as const], roots: ["r"], units: null }];
  expect(grants(claimsWith(root), "Members.Read", "r")).toBe(true);
  expect(grants(claimsWith(root), "Members.Read", "below")).toBe("perhaps");
  expect(grants(claimsWith(root), "Todos.ReadAny", "below")).toBe(false);
});

test("the packed unit ids of the OpenAPI document's example decode as documented", () => {
  const one = "0190c7a0-5b1f-7d3e-9c52-1f6a2b7c8d9e";
  const two = "0190c7a0-5b20-7a11-8e4d-3c5f7a9b1d2e";
  const unitGrants = [
    {
      permissions: ["Todos.ReadAny"],
      roots: "AZDHoFsffT6cUh9qK3yNng",
      units: "AZDHoFsffT6cUh9qK3yNngGQx6BbIHoRjk08X3qbHS4",
    },
  ];
  const said = { sub: "u", sid: "s", iat: 100, exp: 1000, unitGrants, organization: { name: "Ελλάς" } };
  const token = `h.${Buffer.from(JSON.stringify(said)).toString("base64url")}.s`;
  const { claims, lifetimeMs } = readToken(token);
  expect(claims.unitGrants).toEqual([{ permissions: ["Todos.ReadAny"], roots: [one], units: [one, two] }]);
  expect([lifetimeMs, claims.organization?.name]).toEqual([900_000, "Ελλάς"]);
});

test("`rolesTruncated` says whether role names did not fit into the token", async () => {
  const organization = await createOrganization(t);
  const read = ({ accessToken }: { accessToken: string | null }) => readToken(accessToken ?? "").claims;
  expect(read(organization.admin)).toMatchObject({ roles: ["ORG_ADMIN"], rolesTruncated: false });
  const roles = [];
  for (let index = 10; index < 30; index += 1)
    roles.push({ role: await organization.role(`${"🦆".repeat(98)}${index}`, "Units.Read") });
  const person = await organization.member(...roles);
  expect(read(person)).toMatchObject({ rolesTruncated: true, permissions: ["Units.Read"] });
  expectStatus(await person.get("/api/units"), 200);
});
