import { expect, test } from "bun:test";
import { type Caller, claimsOf } from "../../support/caller.ts";
import { eventsAbout, eventsOf } from "../../support/events.ts";
import { createOrganization, type Organization, userIdOf } from "../../support/organizations.ts";
import { race } from "../../support/race.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { inAnotherBrowser, sameBrowser, tokenRows } from "../../support/sessions.ts";

const t = await startService();

const path = (id: string) => `/api/organizations/${id}`;
const setStatus = (admin: Caller, id: string, status: string) =>
  admin.patch(`${path(id)}/status`, { status });
const switchTo = async (person: Caller, { id }: Organization) =>
  expectStatus(await person.post("/api/auth/organization", { organizationId: id }), 200);
const organizationOf = (person: Caller) => claimsOf(person.accessToken ?? "").organization?.id ?? null;

/** Expects that the session has ended, and that its refresh is 401 without being treated as token reuse. */
async function expectPlainEnd(person: Caller) {
  const response = await person.refresh();
  expect([response.status, response.body.code, response.cookie]).toEqual([401, "INVALID_REFRESH_TOKEN", ""]);
  expect(await eventsOf(t, "REFRESH_TOKEN_REUSED", await userIdOf(t, person))).toEqual([]);
}

/** The requests that end all sessions in an organization. */
const ENDINGS = {
  suspending: async (admin: Caller, { id }: Organization) =>
    expectStatus(await setStatus(admin, id, "SUSPENDED"), 200),
  deleting: async (admin: Caller, { id }: Organization) => expectStatus(await admin.delete(path(id)), 204),
};

for (const [what, end] of Object.entries(ENDINGS)) {
  test(`${what} an organization ends only the sessions in it; their refreshes are 401 without counting as token reuse`, async () => {
    const admin = await t.platformAdmin();
    const [one, other] = [await createOrganization(t, "One"), await createOrganization(t, "Other")];
    const person = await one.member();
    await other.add(person, { role: "MEMBER" });
    const there = await inAnotherBrowser(person);
    await switchTo(there, other);
    const bystander = await other.member();

    await end(admin, one);
    for (const caller of [person, one.admin]) await expectPlainEnd(caller);
    for (const caller of [there, bystander, other.admin]) {
      expectStatus(await caller.refresh(), 200);
      expect(organizationOf(caller)).toBe(other.id);
    }
    expectStatus(await person.login(), 200);
    expect(organizationOf(person)).toBe(other.id);
    expectStatus(await one.admin.login(), 200);
    expect(organizationOf(one.admin)).toBeNull();
  });

  test(`${what} an organization keeps a session that has switched away; its earlier cookie is 401 without counting as token reuse`, async () => {
    const admin = await t.platformAdmin();
    const [one, other] = [await createOrganization(t, "One"), await createOrganization(t, "Other")];
    const person = await one.member();
    await other.add(person, { role: "MEMBER" });
    const stale = sameBrowser(person);
    await switchTo(person, other);

    await end(admin, one);
    await expectPlainEnd(stale);
    expectStatus(await person.refresh(), 200);
    expect(organizationOf(person)).toBe(other.id);
  });

  test(`${what} an organization makes all cookies of its sessions 401, also replaced ones, without counting as token reuse`, async () => {
    const admin = await t.platformAdmin();
    const [one, other] = [await createOrganization(t, "One"), await createOrganization(t, "Other")];
    const person = await one.member();
    await other.add(person, { role: "MEMBER" });
    const stale = sameBrowser(person);
    await switchTo(person, other);
    const survivor = await inAnotherBrowser(person);
    await switchTo(survivor, one);

    await end(admin, other);
    for (const caller of [stale, person]) await expectPlainEnd(caller);
    expectStatus(await survivor.refresh(), 200);
  });
}

test("suspending and reactivating an organization return it and write one audit event each", async () => {
  const admin = await t.platformAdmin();
  const { id } = await createOrganization(t);
  const before = expectStatus(await admin.get(path(id)), 200).body;
  for (const status of ["ACTIVE", "SUSPENDED", "SUSPENDED", "ACTIVE"])
    expect(expectStatus(await setStatus(admin, id, status), 200).body).toEqual({ ...before, status });

  const event = {
    actor_id: await userIdOf(t, admin),
    target_type: "organization",
    organization_id: id,
  };
  expect(await eventsOf(t, "ORGANIZATION_STATUS_CHANGED", id)).toEqual([
    expect.objectContaining({ ...event, metadata: { from: "ACTIVE", to: "SUSPENDED" } }),
    expect.objectContaining({ ...event, metadata: { from: "SUSPENDED", to: "ACTIVE" } }),
  ]);
});

test("the status of an organization must be ACTIVE or SUSPENDED", async () => {
  const admin = await t.platformAdmin();
  const { id } = await createOrganization(t);
  expect((await setStatus(admin, id, "active")).body.message).toBe(
    "status must be one of the following values: ACTIVE, SUSPENDED",
  );
  expectStatus(await admin.patch(`${path(id)}/status`, { status: null }), 400);
});

test("setting an organization's current status again ends no session", async () => {
  const admin = await t.platformAdmin();
  const { id, admin: founder } = await createOrganization(t);
  expectStatus(await setStatus(admin, id, "ACTIVE"), 200);
  expectStatus(await founder.refresh(), 200);
});

test("users can sign in to a reactivated organization again", async () => {
  const admin = await t.platformAdmin();
  const { id, admin: founder } = await createOrganization(t);
  expectStatus(await setStatus(admin, id, "SUSPENDED"), 200);
  await founder.login();
  expect(organizationOf(founder)).toBeNull();
  expectStatus(await setStatus(admin, id, "ACTIVE"), 200);
  expectStatus(await founder.refresh(), 200);
  expect(organizationOf(founder)).toBe(id);
});

test("access tokens of a suspended organization are valid until they expire; platform administrators keep access", async () => {
  const admin = await t.platformAdmin();
  const { id, admin: founder } = await createOrganization(t);
  expectStatus(await setStatus(admin, id, "SUSPENDED"), 200);
  expect(expectStatus(await founder.get("/api/organization"), 200).body.status).toBe("SUSPENDED");
  const headers = { "x-organization-id": id };
  expectStatus(await admin.patch("/api/organization", { name: "Changed" }, { headers }), 200);
});

test("deleting an organization ends all memberships and writes one platform audit event", async () => {
  const admin = await t.platformAdmin();
  const organization = await createOrganization(t, "Deleted");
  const { id } = organization;
  const unit = await organization.unit("East");
  const member = await organization.member({ role: "UNIT_ADMIN", unit });
  const before = await t.sql("SELECT id FROM audit_events WHERE organization_id = $1", [id]);
  expectStatus(await admin.delete(path(id)), 204);

  for (const person of [member, organization.admin])
    expect((await person.get("/api/auth/organizations")).body).toEqual([]);
  expect((await admin.get(`/api/users/${await userIdOf(t, member)}`)).body.organizations).toEqual([]);
  for (const query of [`organization=${id}`, `unit=${unit}`])
    expect((await admin.get(`/api/users?${query}`)).body.total).toBe(0);
  const switched = await member.post("/api/auth/organization", { organizationId: id });
  expect(switched.body.code).toBeOneOf(["NOT_A_MEMBER", "INVALID_REFRESH_TOKEN"]);

  expect((await eventsAbout(t, id)).at(-1)).toMatchObject({
    action: "ORGANIZATION_DELETED",
    actor_id: await userIdOf(t, admin),
    target_type: "organization",
    organization_id: null,
  });
  expect(await t.sql("SELECT id FROM audit_events WHERE organization_id = $1", [id])).toEqual(before);
  expect(await eventsOf(t, "MEMBER_REMOVED", await userIdOf(t, member))).toEqual([]);
});

test("of concurrent requests to delete an organization exactly one succeeds", async () => {
  const admin = await t.platformAdmin();
  const { id } = await createOrganization(t);
  const statuses = (await race(4, () => admin.delete(path(id)))).map(({ status }) => status);
  expect(statuses.sort()).toEqual([204, 404, 404, 404]);
  expect(await eventsOf(t, "ORGANIZATION_DELETED", id)).toHaveLength(1);
});

test("a session that refreshes while its only organization is suspended has ended or has no organization afterwards", async () => {
  const admin = await t.platformAdmin();
  const organization = await createOrganization(t);
  const members = [await organization.member(), await organization.member(), await organization.member()];
  await Promise.all([
    setStatus(admin, organization.id, "SUSPENDED"),
    ...members.map((member) => member.refresh()),
  ]);
  for (const member of members) {
    const { status } = await member.refresh();
    if (status === 200) expect(organizationOf(member)).toBeNull();
    else expect([status, await tokenRows(t, member.email)]).toEqual([401, []]);
  }
});
