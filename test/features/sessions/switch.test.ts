import { expect, test } from "bun:test";
import { type Caller, claimsOf } from "../../support/caller.ts";
import { eventsOf } from "../../support/events.ts";
import { createOrganization, type Organization, userIdOf } from "../../support/organizations.ts";
import { FEWER_ROUNDS, race } from "../../support/race.ts";
import { expectStatus, type Service, startService } from "../../support/service.ts";
import { inAnotherBrowser, sameBrowser, tokenRows } from "../../support/sessions.ts";

const t = await startService();

const switchTo = (person: Caller, organizationId: unknown) =>
  person.post("/api/auth/organization", { organizationId });
const organizationOf = (person: Caller) => claimsOf(person.accessToken ?? "").organization?.id ?? null;
const suspend = async (t: Service, { id }: Organization) =>
  t.sql("UPDATE organizations SET status = 'SUSPENDED' WHERE id = $1", [id]);

/** Creates a member of two organizations, whose session is in the first. */
async function memberOfTwo() {
  const [one, two] = [await createOrganization(t, "One"), await createOrganization(t, "Two")];
  const person = await one.member();
  await two.add(person, { role: "UNIT_ADMIN" });
  expect(organizationOf(person)).toBe(one.id);
  return { person, one, two };
}

/** Reads all rows of a user that a switch could change. */
async function stored(person: Caller) {
  const userId = await userIdOf(t, person);
  return {
    rows: await tokenRows(t, person.email),
    user: await t.sql("SELECT last_organization_id FROM users WHERE id = $1", [userId]),
    events: await t.sql("SELECT action FROM audit_events WHERE actor_id = $1 OR target_id = $1", [userId]),
  };
}

/** Expects that the switch is refused with this status and code, and that nothing is written. */
async function expectRefusal(person: Caller, organizationId: unknown, status: number, code: string) {
  const before = await stored(person);
  const response = await switchTo(person, organizationId);
  expect([response.status, response.body.code]).toEqual([status, code]);
  expect(await stored(person)).toEqual(before);
}

test("a switch replaces the refresh token and binds the session and the new access token to the new organization", async () => {
  const { person, two } = await memberOfTwo();
  const { sid } = claimsOf(person.accessToken ?? "");
  const oldCookie = person.cookie;
  const response = expectStatus(await switchTo(person, two.id.toUpperCase()), 200);

  expect(Object.keys(response.body)).toEqual(["accessToken"]);
  expect(response.headers.get("set-cookie")).toMatch(
    /^refresh_token=[\w-]{43}; Path=\/api\/auth; Max-Age=604800; HttpOnly; SameSite=Lax$/,
  );
  expect(response.cookie).not.toBe(oldCookie);
  const { slug } = (await two.admin.get("/api/organization")).body;
  const claims = claimsOf(response.body.accessToken);
  expect(claims).toMatchObject({
    sid,
    isPlatformAdmin: false,
    organization: { id: two.id, name: "Two", slug },
    roles: ["UNIT_ADMIN"],
  });
  expect(claims.permissions).toContain("Members.Delete");
  const [old, successor] = (await tokenRows(t, person.email)).slice(-2);
  expect(old).toMatchObject({ session_id: sid, replaced_by_id: successor?.id, revoked_at: expect.any(Date) });
  expect(successor).toMatchObject({ session_id: sid, organization_id: two.id, revoked_at: null });
  expect((await person.get("/api/organization")).body.id).toBe(two.id);
  expectStatus(await person.refresh(), 200);
  expect(organizationOf(person)).toBe(two.id);
});

test("an access token from before a switch stays valid in its organization until it expires", async () => {
  const { person, one, two } = await memberOfTwo();
  const before = sameBrowser(person);
  expectStatus(await switchTo(person, two.id), 200);
  expect((await before.get("/api/organization")).body.id).toBe(one.id);
});

test("a switch writes one audit event in the new organization, which does not name the old one", async () => {
  const { person, one, two } = await memberOfTwo();
  expectStatus(await switchTo(person, two.id), 200);
  const actor = await userIdOf(t, person);
  const byPerson = async ({ id }: Organization) =>
    (await eventsOf(t, "ORGANIZATION_SWITCHED", id)).filter((event) => event.actor_id === actor);
  expect(await byPerson(two)).toEqual([
    {
      action: "ORGANIZATION_SWITCHED",
      actor_id: actor,
      target_type: "organization",
      organization_id: two.id,
      metadata: {},
    },
  ]);
  expect(await byPerson(one)).toEqual([]);
});

test("a later sign-in starts in the organization of the last switch; other sessions stay in theirs", async () => {
  const { person, one, two } = await memberOfTwo();
  const other = await inAnotherBrowser(person);
  expectStatus(await switchTo(person, two.id), 200);
  expect(organizationOf(await inAnotherBrowser(person))).toBe(two.id);
  expectStatus(await other.refresh(), 200);
  expect(organizationOf(other)).toBe(one.id);
});

test("a switch to an organization without a membership is NOT_A_MEMBER, whether or not it exists", async () => {
  const { person, two } = await memberOfTwo();
  const [foreign, suspended, deleted] = [
    await createOrganization(t),
    await createOrganization(t),
    await createOrganization(t),
  ];
  await suspend(t, suspended);
  await deleted.add(person, { role: "MEMBER" });
  await t.sql("UPDATE organizations SET is_deleted = true, deleted_at = now() WHERE id = $1", [deleted.id]);
  expectStatus(await two.admin.delete(`/api/members/${await userIdOf(t, person)}`), 204);

  for (const id of [crypto.randomUUID(), foreign.id, suspended.id, deleted.id, two.id])
    await expectRefusal(person, id, 403, "NOT_A_MEMBER");
  expectStatus(await person.refresh(), 200);
});

test("a member's switch to a suspended organization is ORGANIZATION_SUSPENDED", async () => {
  const { person, one, two } = await memberOfTwo();
  await suspend(t, two);
  await expectRefusal(person, two.id, 403, "ORGANIZATION_SUSPENDED");
  expectStatus(await person.refresh(), 200);
  expect(organizationOf(person)).toBe(one.id);
});

test("a platform administrator's switch is 403 for any body and cookie", async () => {
  const { person, two } = await memberOfTwo();
  await t.sql("UPDATE users SET is_platform_admin = true WHERE email = $1", [person.email]);
  await person.refresh();
  for (const body of [{ organizationId: two.id }, { organizationId: "x" }, {}, { wrong: 1 }, undefined]) {
    const before = await stored(person);
    const response = await person.post("/api/auth/organization", body);
    expect(response.body).toMatchObject({ statusCode: 403, code: "PLATFORM_ADMIN_NO_SWITCH" });
    expect(await stored(person)).toEqual(before);
  }
  person.cookie = null;
  expect((await switchTo(person, two.id)).body.code).toBe("PLATFORM_ADMIN_NO_SWITCH");
});

test("a user who became platform administrator cannot switch with an older access token", async () => {
  const { person, two } = await memberOfTwo();
  await t.sql("UPDATE users SET is_platform_admin = true WHERE email = $1", [person.email]);
  await expectRefusal(person, two.id, 403, "PLATFORM_ADMIN_NO_SWITCH");
});

test("a switch needs an access token and a valid body", async () => {
  const { person, two } = await memberOfTwo();
  const cookieAlone = sameBrowser(person);
  cookieAlone.accessToken = null;
  await expectRefusal(cookieAlone, two.id, 401, "UNAUTHENTICATED");
  for (const id of ["x", null, [two.id]]) await expectRefusal(person, id, 400, "VALIDATION_FAILED");
  const response = await person.post("/api/auth/organization", { organizationId: two.id, remember: true });
  expect(response.body.message).toBe("property remember should not exist");
  expectStatus(await person.refresh(), 200);
});

test("a switch with a missing, invalid or another user's cookie is 401, and nothing is written", async () => {
  const { person, two } = await memberOfTwo();
  const stranger = await two.member();
  const used = sameBrowser(stranger);
  expectStatus(await stranger.refresh(), 200);
  await t.sql(
    `UPDATE refresh_tokens SET created_at = created_at - interval '1 hour' WHERE revoked_at IS NULL
     AND user_id = (SELECT id FROM users WHERE email = $1)`,
    [stranger.email],
  );
  const before = await stored(stranger);
  for (const cookie of [null, "0".repeat(43), stranger.cookie, used.cookie]) {
    const browser = sameBrowser(person);
    browser.cookie = cookie;
    await expectRefusal(browser, two.id, 401, "INVALID_REFRESH_TOKEN");
  }
  expect(await stored(stranger)).toEqual(before);
  expectStatus(await stranger.refresh(), 200);

  await t.age("refresh_tokens", { user_id: await userIdOf(t, person) }, { days: 8 });
  await expectRefusal(sameBrowser(person), two.id, 401, "INVALID_REFRESH_TOKEN");
});

test("a switch with a replaced cookie in its grace period is 401, and the new cookie stays valid", async () => {
  const { person, one, two } = await memberOfTwo();
  const stale = sameBrowser(person);
  expectStatus(await person.refresh(), 200);
  await expectRefusal(stale, two.id, 401, "INVALID_REFRESH_TOKEN");
  expect(stale.cookie).not.toBeNull();
  expectStatus(await person.refresh(), 200);
  expect(organizationOf(person)).toBe(one.id);
});

test("a switch with a replaced cookie after its grace period is token reuse and ends all sessions", async () => {
  const { person, two } = await memberOfTwo();
  const stale = sameBrowser(person);
  expectStatus(await person.refresh(), 200);
  expectStatus(await person.refresh(), 200);
  expect((await switchTo(stale, two.id)).body).toMatchObject({
    statusCode: 401,
    code: "INVALID_REFRESH_TOKEN",
  });
  expect(await tokenRows(t, person.email)).toEqual([]);
  expect(await eventsOf(t, "REFRESH_TOKEN_REUSED", await userIdOf(t, person))).toHaveLength(1);
  expect((await person.refresh()).status).toBe(401);
  expect((await stored(person)).user).toEqual([{ last_organization_id: null }]);
});

test("a refresh with the cookie that a switch replaced gets the new organization during the grace period", async () => {
  const { person, two } = await memberOfTwo();
  const stale = sameBrowser(person);
  expectStatus(await switchTo(person, two.id), 200);
  const response = expectStatus(await stale.refresh(), 200);
  expect(response.headers.getSetCookie()).toEqual([]);
  expect(organizationOf(stale)).toBe(two.id);
  expect(claimsOf(response.body.accessToken).sid).toBe(claimsOf(person.accessToken ?? "").sid);
  expectStatus(await person.refresh(), 200);
});

test("of several concurrent switches with one cookie exactly one succeeds, and none counts as token reuse", async () => {
  const { person, one, two } = await memberOfTwo();
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const tabs = await race(4, async () => sameBrowser(person));
    const responses = await race(4, (tab) => switchTo(tabs[tab] as Caller, tab % 2 ? one.id : two.id));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
    const winner = tabs[responses.findIndex(({ status }) => status === 200)] as Caller;
    expectStatus(await winner.refresh(), 200);
    person.cookie = winner.cookie;
  }
});
