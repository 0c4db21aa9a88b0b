import { expect, test } from "bun:test";
import { type Caller, claimsOf } from "../../support/caller.ts";
import { eventsAbout, eventsOf } from "../../support/events.ts";
import { assignments, createOrganization, roleId, userIdOf } from "../../support/organizations.ts";
import { idOf } from "../../support/outcomes.ts";
import { FEWER_ROUNDS } from "../../support/race.ts";
import { expectStatus, sharedService } from "../../support/service.ts";
import { inAnotherBrowser, tokenRows } from "../../support/sessions.ts";

const t = await sharedService();

const pathOf = async (person: Caller) => `/api/users/${await userIdOf(t, person)}`;
const setAdmin = async (admin: Caller, person: Caller, isPlatformAdmin: unknown) =>
  admin.patch(await pathOf(person), { isPlatformAdmin });
const remove = async (admin: Caller, person: Caller) => admin.delete(await pathOf(person));
const isAdmin = async (person: Caller) =>
  (await t.sql("SELECT is_platform_admin AS is FROM users WHERE email = $1", [person.email]))[0]?.is;
const refused = (code: string) => ({ code });

test("a platform administrator can promote and demote another user, with one platform audit event each", async () => {
  const admin = await t.platformAdmin();
  const { admin: person } = await createOrganization(t);
  const before = (await admin.get(await pathOf(person))).body;
  for (const is of [true, true, false, false])
    expect(expectStatus(await setAdmin(admin, person, is), 200).body).toEqual({
      ...before,
      isPlatformAdmin: is,
    });

  const event = { actor_id: await userIdOf(t, admin), target_type: "user", organization_id: null };
  const events = await eventsAbout(t, before.id);
  expect(events.filter(({ action }) => action.startsWith("PLATFORM_ADMIN"))).toMatchObject([
    { ...event, action: "PLATFORM_ADMIN_GRANTED" },
    { ...event, action: "PLATFORM_ADMIN_REVOKED" },
  ]);
});

test("a promotion to platform administrator or a demotion takes effect at the user's next refresh", async () => {
  const admin = await t.platformAdmin();
  const { admin: person, id } = await createOrganization(t);
  expectStatus(await setAdmin(admin, person, true), 200);
  expectStatus(await person.get("/api/users"), 403);
  await person.refresh();
  expect(claimsOf(person.accessToken ?? "")).toMatchObject({ isPlatformAdmin: true, organization: null });
  expectStatus(await person.get("/api/users"), 200);

  expectStatus(await setAdmin(admin, person, false), 200);
  await person.refresh();
  expect(claimsOf(person.accessToken ?? "")).toMatchObject({ isPlatformAdmin: false, organization: { id } });
  expect((await person.get("/api/users")).body).toMatchObject(refused("PLATFORM_ADMIN_REQUIRED"));
});

test("platform administrators cannot change or delete their own account on the routes for users", async () => {
  const admin = await t.platformAdmin();
  for (const response of [
    await setAdmin(admin, admin, false),
    await setAdmin(admin, admin, true),
    await remove(admin, admin),
  ])
    expect(expectStatus(response, 409).body.code).toBe("CONFLICT");
  expect(await isAdmin(admin)).toBe(true);
  expectStatus(await admin.refresh(), 200);
});

test("an unverified account cannot become a platform administrator, but can be deleted", async () => {
  const admin = await t.platformAdmin();
  const person = await t.unverifiedPerson();
  expect(expectStatus(await setAdmin(admin, person, true), 409).body.code).toBe("CONFLICT");
  expectStatus(await setAdmin(admin, person, false), 200);
  expect(await isAdmin(person)).toBe(false);
  expectStatus(await remove(admin, person), 204);
  expect(await eventsOf(t, "PLATFORM_ADMIN_GRANTED", await userIdOf(t, person))).toEqual([]);
});

test("on the routes for users, invalid requests are 400, and unknown and deleted accounts are 404", async () => {
  const admin = await t.platformAdmin();
  const person = await t.person();
  for (const body of [{ isPlatformAdmin: "true" }, { isPlatformAdmin: null }])
    expectStatus(await admin.patch(await pathOf(person), body), 400);
  const { body } = await admin.patch("/api/users/x", { isPlatformAdmin: true, email: "new@example.com" });
  expect(body.errors.map(({ path }: { path: string }) => path).sort()).toEqual(["email", "id"]);

  expectStatus(await remove(admin, person), 204);
  for (const path of [await pathOf(person), `/api/users/${crypto.randomUUID()}`]) {
    expectStatus(await admin.patch(path, { isPlatformAdmin: true }), 404);
    expectStatus(await admin.delete(path), 404);
    expectStatus(await admin.get(path), 404);
    expectStatus(await admin.patch(path, { isPlatformAdmin: null }), 400);
  }
  expect(await eventsOf(t, "USER_DELETED", await userIdOf(t, person))).toHaveLength(1);
});

test("deleting an account ends its memberships with their roles and units, with one audit event each", async () => {
  const admin = await t.platformAdmin();
  const [one, other] = [await createOrganization(t, "One"), await createOrganization(t, "Other")];
  const unit = await one.unit("East");
  const person = await one.member({ role: "MEMBER" }, { role: "UNIT_ADMIN", unit });
  await other.add(person, { role: "MEMBER" });
  const userId = await userIdOf(t, person);
  expect((await one.admin.get("/api/units")).body.data).toMatchObject([{ memberCount: 1 }]);
  expectStatus(await remove(admin, person), 204);

  for (const { admin: founder } of [one, other])
    expect((await founder.get("/api/members")).body.total).toBe(1);
  expect((await one.admin.get("/api/units")).body.data).toMatchObject([{ memberCount: 0 }]);
  expect((await admin.get(`/api/organizations/${one.id}`)).body.memberCount).toBe(1);

  const event = { actor_id: await userIdOf(t, admin), target_type: "user" };
  const removals = await eventsOf(t, "MEMBER_REMOVED", userId);
  const removal = (id: string) => removals.find(({ organization_id }) => organization_id === id);
  expect(removals).toHaveLength(2);
  expect(removals).toMatchObject([event, event]);
  const wide = { roleId: roleId("MEMBER"), roleName: "MEMBER", unitId: null, unitName: null };
  const inUnit = { roleId: roleId("UNIT_ADMIN"), roleName: "UNIT_ADMIN", unitId: unit, unitName: "East" };
  expect(removal(other.id)?.metadata).toEqual({ roles: [wide] });
  const roles = removal(one.id)?.metadata.roles;
  expect(roles).toHaveLength(2);
  expect(roles).toEqual(expect.arrayContaining([wide, inUnit]));
  expect(await eventsOf(t, "USER_DELETED", userId)).toMatchObject([{ ...event, organization_id: null }]);
  expect(await eventsOf(t, "MEMBER_LEFT", userId)).toEqual([]);
});

test("deleting an account also ends memberships in suspended organizations; deleted organizations and former memberships get no event", async () => {
  const admin = await t.platformAdmin();
  const [suspended, deleted, left] = [
    await createOrganization(t),
    await createOrganization(t),
    await createOrganization(t),
  ];
  const person = await left.member();
  expectStatus(await person.post("/api/organization/leave"), 204);
  for (const organization of [suspended, deleted]) await organization.add(person, { role: "MEMBER" });
  expectStatus(await admin.patch(`/api/organizations/${suspended.id}/status`, { status: "SUSPENDED" }), 200);
  expectStatus(await admin.delete(`/api/organizations/${deleted.id}`), 204);
  expectStatus(await remove(admin, person), 204);
  expect(await eventsOf(t, "MEMBER_REMOVED", await userIdOf(t, person))).toMatchObject([
    { organization_id: suspended.id },
  ]);
  const headers = { "x-organization-id": suspended.id };
  expect((await admin.get("/api/members", { headers })).body.total).toBe(1);
});

test("a deleted account has no sessions and no password", async () => {
  const admin = await t.platformAdmin();
  const person = await t.person();
  const other = await inAnotherBrowser(person);
  expectStatus(await remove(admin, person), 204);
  for (const browser of [person, other]) {
    const response = await browser.refresh();
    expect([response.status, response.body.code, response.cookie]).toEqual([
      401,
      "INVALID_REFRESH_TOKEN",
      "",
    ]);
  }
  expect(await tokenRows(t, person.email)).toEqual([]);
  expect(await eventsOf(t, "REFRESH_TOKEN_REUSED", await userIdOf(t, person))).toEqual([]);
  expect(expectStatus(await person.login(), 401).body.code).toBe("INVALID_CREDENTIALS");
  const again = { ...person.account, firstName: "Ada", lastName: "Lovelace" };
  expect((await t.anonymous().post("/api/auth/register", again)).body.code).toBe("EMAIL_TAKEN");
  expectStatus(await t.anonymous().get("/api/auth/organizations"), 401);
});

test("a platform administrator can delete the account of an organization's last administrator", async () => {
  const admin = await t.platformAdmin();
  const organization = await createOrganization(t);
  const member = await organization.member();
  expectStatus(await remove(admin, organization.admin), 204);
  expect((await member.get("/api/auth/organizations")).body).toHaveLength(1);
  const headers = { "x-organization-id": organization.id };
  expect((await admin.get("/api/members", { headers })).body.data).toMatchObject([{ email: member.email }]);
});

test("a demoted or deleted platform administrator cannot write with an access token that has not expired", async () => {
  const [demoted, deleted] = [await t.platformAdmin(), await t.platformAdmin()];
  const admin = await t.platformAdmin();
  const { id, admin: founder } = await createOrganization(t);
  const person = await t.person();
  expectStatus(await setAdmin(admin, demoted, false), 200);
  expectStatus(await remove(admin, deleted), 204);
  const options = { headers: { "x-organization-id": id } };
  for (const caller of [demoted, deleted])
    for (const response of [
      await setAdmin(caller, person, true),
      await setAdmin(caller, demoted, true),
      await remove(caller, person),
      await caller.patch(`/api/organizations/${id}`, { name: "Changed" }),
      await caller.patch(`/api/organizations/${id}/status`, { status: "SUSPENDED" }),
      await caller.delete(`/api/organizations/${id}`),
      await caller.patch("/api/organization", { name: "Changed" }, options),
      await caller.post("/api/units", { name: "East", parentId: null }, options),
      await caller.post("/api/roles", { name: "New", permissions: [] }, options),
      await caller.patch(`/api/members/${idOf(founder)}/roles`, assignments({ role: "MEMBER" }), options),
      await caller.delete(`/api/users/${idOf(person)}/sessions`),
      await caller.delete(`/api/users/${idOf(person)}/2fa`),
    ])
      expect(response.body).toMatchObject({ statusCode: 403, ...refused("FORBIDDEN") });
  expectStatus(await demoted.get("/api/users?pageSize=1"), 200);
  expect(await isAdmin(person)).toBe(false);
  expectStatus(await person.refresh(), 200);
});

test("a user who is deleted while they sign in, refresh or create an organization has no session and no membership afterwards", async () => {
  const admin = await t.platformAdmin();
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const person = await t.person();
    const other = await inAnotherBrowser(person);
    await Promise.all([
      remove(admin, person),
      person.refresh(),
      other.login(),
      person.post("/api/auth/organizations", { name: "Race" }),
    ]);
    expect(await tokenRows(t, person.email)).toEqual([]);
    const memberships = `SELECT m.id FROM memberships m JOIN users u ON u.id = m.user_id
        WHERE u.email = $1 AND NOT m.is_deleted`;
    expect(await t.sql(memberships, [person.email])).toEqual([]);
  }
});
