import { expect } from "bun:test";
import { permissions } from "../../src/core/access/catalog.ts";
import { type Caller, claimsOf } from "./caller.ts";
import type { Organization, RoleAssignment } from "./organizations.ts";
import { expectStatus, type Service } from "./service.ts";
import { sameBrowser } from "./sessions.ts";

export type UnitGrant = { permissions: string[]; roots: string; units: string | null };

export const claims = (person: Caller) => claimsOf(person.accessToken ?? "");
export const unitGrants = (person: Caller): UnitGrant[] | null => claims(person).unitGrants;

/** Returns the ids in a claim, where they are concatenated as 16 bytes each in base64url. */
export function unpacked(ids: string): string[] {
  const bytes = Buffer.from(ids, "base64url");
  return Array.from({ length: bytes.length / 16 }, (_, index) =>
    bytes.toString("hex", index * 16, index * 16 + 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"),
  );
}

export const MAX_HEADER_BYTES = 8 * 1024;
/** The length of a client's `Authorization` header, in bytes. */
export const headerBytes = (person: Caller) =>
  Buffer.byteLength(`Authorization: Bearer ${person.accessToken}\r\n`);

/** Creates a tree of this many units: one root and units directly below it; returns the id of the root. */
export async function createTree(t: Service, organization: Organization, size: number): Promise<string> {
  const root = await organization.unit("Root");
  await addUnitsBelow(t, root, size - 1);
  return root;
}

/** Creates this many units directly below a unit. */
export async function addUnitsBelow(t: Service, parentId: string, count: number): Promise<void> {
  await t.sql(
    `INSERT INTO units (organization_id, parent_id, name)
     SELECT u.organization_id, u.id, 'Unit ' || n FROM units u, generate_series(1, $2::int) n WHERE u.id = $1`,
    [parentId, count],
  );
}

export const unitPermissions: string[] = permissions()
  .filter(({ scope }) => scope === "unit")
  .map(({ name }) => name);

/** Returns distinct sets of unit-scope permissions that all contain these. */
export const distinctSets = (count: number, ...always: string[]) => {
  const others = unitPermissions.filter((name) => !always.includes(name));
  return Array.from({ length: count }, (_, index) => {
    const bits = index + 1;
    return [...always, ...others.filter((_, place) => place > 5 || (bits >> place) % 2 === 1)];
  });
};

/** Expects that a user can sign in, refresh, switch and read, and that lists contain all units in reach. */
export async function expectUsable(organization: Organization, person: Caller, units: number) {
  expectStatus(await person.login(), 200);
  expectStatus(await person.refresh(), 200);
  expectStatus(await person.post("/api/auth/organization", { organizationId: organization.id }), 200);
  const stale = sameBrowser(person);
  expectStatus(await person.refresh(), 200);
  expectStatus(await stale.refresh(), 200);
  for (const browser of [person, stale]) {
    expect(claims(browser).organization.id).toBe(organization.id);
    const { body } = expectStatus(await browser.get("/api/units"), 200);
    expect([body.total, body.data.length]).toEqual([units, units]);
    expect((await browser.get("/api/members?pageSize=1")).body.total).toBeGreaterThan(0);
    expectStatus(await browser.get("/api/organization"), 200);
    expectStatus(await browser.get("/api/roles"), 200);
    expectStatus(await browser.get("/api/profile"), 200);
    expectStatus(await browser.get("/api/auth/organizations"), 200);
    expectStatus(await browser.get("/api/notifications"), 200);
  }
}

/** Creates an account and makes it a member; it has not signed in since. */
export async function newMember(t: Service, organization: Organization, ...roles: RoleAssignment[]) {
  const person = await t.person();
  await organization.add(person, ...roles);
  return person;
}
