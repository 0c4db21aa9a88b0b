import { beforeAll, expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { createAccount, createKey, createMachine, keyPath } from "../../support/machines.ts";
import { assignments, createOrganization, type Organization, userIdOf } from "../../support/organizations.ts";
import { PRODUCT_KEY, startProduct } from "../../support/product.ts";
import { expectStatus } from "../../support/service.ts";

const { t, product } = await startProduct();
let org: Organization;
beforeAll(async () => {
  org = await createOrganization(t);
});

const ask = async (body: object) => expectStatus(await product.post("/api/product/check", body), 200).body;
const askToken = (caller: Caller, more: object = {}) => ask({ token: caller.accessToken, ...more });
const reasonOf = async (body: object) => (await ask(body)).reason;

test("a token and a person in an organization have the same answer, with the names of the manifest alone", async () => {
  const [europe, asia] = [await org.unit("Europe"), await org.unit("Asia")];
  const athens = await org.unit("Athens", europe);
  const role = await org.role("Inspector", "Inspections.Create", "Todos.ReadAny");
  const person = await org.member({ role: "MEMBER" }, { role, unit: europe }, { role, unit: asia });
  const answer = await askToken(person);
  const userId = await userIdOf(t, person);
  expect(answer).toMatchObject({
    active: true,
    actor: { type: "user", id: userId, email: person.email, name: "Ada Lovelace", language: "en" },
    organization: { id: org.id, name: "Acme", plan: null, features: ["inspectionReports"] },
    permissions: ["Inspections.Read"],
    cacheSeconds: 30,
  });
  // Without plans a member reads all features of the product, too.
  const organizations = expectStatus(await person.get("/api/auth/organizations"), 200).body;
  expect(organizations[0].features).toEqual(["inspectionReports"]);
  expect(answer.unitGrants).toHaveLength(1);
  expect(answer.unitGrants[0].permissions).toEqual(["Inspections.Create"]);
  expect(answer.unitGrants[0].units.toSorted()).toEqual([europe, asia, athens].sort());
  expect(Date.now() - Date.parse(answer.authenticatedAt)).toBeLessThan(3_600_000);
  const { authenticatedAt: _, ...rest } = answer;
  expect(await ask({ organizationId: org.id, userId })).toEqual({ ...rest, authenticatedAt: null });
  // A unit that was deleted is in nobody's reach.
  expectStatus(await org.admin.delete(`/api/units/${athens}`), 204);
  expect((await askToken(person)).unitGrants[0].units.sort()).toEqual([europe, asia].sort());
});

test("a role that was taken away, a membership and a session that ended have effect from the next call on", async () => {
  const person = await org.member({ role: "ORG_ADMIN" });
  const userId = await userIdOf(t, person);
  expect((await askToken(person)).permissions).toHaveLength(4);
  const role = await org.role("Guest", "Organization.Read");
  expectStatus(await org.admin.patch(`/api/members/${userId}/roles`, assignments({ role })), 200);
  expect((await askToken(person)).permissions).toEqual([]);
  const other = await org.member();
  expectStatus(await other.post("/api/auth/logout"), 204);
  expect(await reasonOf({ token: other.accessToken })).toBe("ENDED");
  expectStatus(await org.admin.delete(`/api/members/${userId}`), 204);
  expect(await reasonOf({ token: person.accessToken })).toBe("NOT_A_MEMBER");
  expect(await reasonOf({ userId, organizationId: org.id })).toBe("NOT_A_MEMBER");
});

test("each reason: invalid, expired, without an organization, another or an unknown one, suspended", async () => {
  const person = await org.member();
  const nobody = await t.person();
  const foreign = await createOrganization(t);
  expect(await reasonOf({ token: "eyJhbGciOiJub25lIn0.e30." })).toBe("INVALID");
  expect(await reasonOf({ token: PRODUCT_KEY })).toBe("INVALID");
  expect(await reasonOf({ token: nobody.accessToken })).toBe("NO_ORGANIZATION");
  expect(await reasonOf({ token: person.accessToken, organizationId: foreign.id })).toBe("NOT_A_MEMBER");
  expect((await askToken(person, { organizationId: org.id })).active).toBe(true);
  const [unknown, userId] = [crypto.randomUUID(), await userIdOf(t, person)];
  expect(await reasonOf({ userId: unknown, organizationId: org.id })).toBe("NOT_A_MEMBER");
  expect(await reasonOf({ userId, organizationId: unknown })).toBe("NOT_A_MEMBER");
  expect(await reasonOf({ serviceAccountId: unknown, organizationId: org.id })).toBe("NOT_A_MEMBER");

  const admin = await t.platformAdmin();
  const suspended = await createOrganization(t);
  const machine = await createMachine(suspended, { role: "MEMBER" });
  expectStatus(await admin.patch(`/api/organizations/${suspended.id}/status`, { status: "SUSPENDED" }), 200);
  expect(await reasonOf({ token: suspended.admin.accessToken })).toBe("SUSPENDED");
  expect(await reasonOf({ token: machine.key })).toBe("SUSPENDED");
  expect(await reasonOf({ serviceAccountId: machine.id, organizationId: suspended.id })).toBe("SUSPENDED");
  // Beside a token of another organization, whose member the person is, too, nothing is said of this one.
  await suspended.add(person, { role: "MEMBER" });
  expect(await reasonOf({ token: person.accessToken, organizationId: suspended.id })).toBe("NOT_A_MEMBER");
});

test("a platform administrator has everything in the organization that is named, and none without", async () => {
  const admin = await t.platformAdmin();
  expect(await reasonOf({ token: admin.accessToken })).toBe("NO_ORGANIZATION");
  const { permissions, unitGrants, actor } = await askToken(admin, { organizationId: org.id });
  expect([permissions.length, unitGrants, actor.isPlatformAdmin]).toEqual([4, [], true]);
  expect(await reasonOf({ token: admin.accessToken, organizationId: crypto.randomUUID() })).toBe(
    "NOT_A_MEMBER",
  );
});

test("who is no platform administrator any more can name no other organization, even one of their own", async () => {
  const former = await t.platformAdmin();
  await org.add(former, { role: "MEMBER" });
  const named = { organizationId: org.id };
  expect((await askToken(former, named)).actor.isPlatformAdmin).toBe(true);
  await t.sql("UPDATE users SET is_platform_admin = false WHERE email = $1", [former.email]);
  expect(await reasonOf({ token: former.accessToken, ...named })).toBe("NOT_A_MEMBER");
});

test("an API key is checked with the address that the product saw, and its last use moves", async () => {
  const id = await createAccount(org, { role: "ORG_ADMIN" });
  const open = await createKey(org, id);
  const tied = await createKey(org, id, { allowedIps: ["203.0.113.0/24"] });
  expect(await ask({ token: open.key })).toMatchObject({
    active: true,
    actor: { type: "service_account", id, email: null, isPlatformAdmin: false },
    authenticatedAt: null,
  });
  expect(await reasonOf({ token: tied.key })).toBe("IP_NOT_ALLOWED");
  expect(await reasonOf({ token: tied.key, ip: "198.51.100.1" })).toBe("IP_NOT_ALLOWED");
  for (const ip of ["203.0.113.7", "::ffff:203.0.113.7"])
    expect((await ask({ token: tied.key, ip })).active).toBe(true);
  const keys = await t.sql("SELECT id FROM api_keys WHERE service_account_id = $1 AND last_used_at IS NULL", [
    id,
  ]);
  expect(keys).toEqual([]);
  expectStatus(await org.admin.delete(keyPath(open)), 204);
  expect(await reasonOf({ token: open.key })).toBe("ENDED");
  expect(await reasonOf({ token: `${open.key.slice(0, -1)}${open.key.endsWith("x") ? "y" : "x"}` })).toBe(
    "INVALID",
  );
  expectStatus(await org.admin.patch(`/api/service-accounts/${id}`, { enabled: false }), 200);
  expect(await reasonOf({ token: tied.key, ip: "203.0.113.7" })).toBe("ENDED");
});

test("a body asks about one actor", async () => {
  const [userId, organizationId] = [crypto.randomUUID(), org.id];
  for (const body of [
    {},
    { userId },
    { organizationId },
    { token: "a", userId, organizationId },
    { userId, serviceAccountId: userId, organizationId },
    { token: "" },
    { token: "a".repeat(8_193) },
    { token: "a", ip: "here" },
    { userId: "me", organizationId },
  ])
    expectStatus(await product.post("/api/product/check", body), 400);
});
