import { expect, test } from "bun:test";
import { type Caller, claimsOf } from "../../support/caller.ts";
import { assignments, createOrganization, type Organization, userIdOf } from "../../support/organizations.ts";
import { expectStatus, sharedService } from "../../support/service.ts";
import { inAnotherBrowser, liveRows, sameBrowser } from "../../support/sessions.ts";

const t = await sharedService();

const organizationOf = (person: Caller) => claimsOf(person.accessToken ?? "").organization?.id ?? null;
const switchTo = async (person: Caller, { id }: Organization) =>
  expectStatus(await person.post("/api/auth/organization", { organizationId: id }), 200);
const leave = async (person: Caller) => expectStatus(await person.post("/api/organization/leave"), 204);
const setStatus = ({ id }: Organization, status: "ACTIVE" | "SUSPENDED") =>
  t.sql("UPDATE organizations SET status = $2 WHERE id = $1", [id, status]);
const setPlatformAdmin = (person: Caller, is: boolean) =>
  t.sql("UPDATE users SET is_platform_admin = $2 WHERE email = $1", [person.email, is]);
/** Returns the organization of each of a user's live sessions. */
const bound = async (person: Caller) =>
  (await liveRows(t, person.email)).map(
    (row) => (row as typeof row & { organization_id: string | null }).organization_id,
  );
const lastOf = async (person: Caller) =>
  (await t.sql("SELECT last_organization_id AS id FROM users WHERE email = $1", [person.email]))[0]?.id;

/** Returns the organization id in the access token of a sign-in or refresh, or the status of an error. */
async function home(response: Promise<{ status: number; body: { accessToken: string } }>) {
  const { status, body } = await response;
  return status === 200 ? (claimsOf(body.accessToken).organization?.id ?? null) : status;
}
const NOWHERE = { organization: null, roles: [], permissions: [], unitGrants: [] };

/** Creates a member of three organizations, whose session is in the one with the oldest membership. */
async function memberOfThree() {
  const person = await t.person();
  const organizations = [
    await createOrganization(t, "Zulu"),
    await createOrganization(t, "Mike"),
    await createOrganization(t, "Alpha"),
  ] as const;
  for (const organization of organizations) {
    await t.age("memberships", { user_id: await userIdOf(t, person) }, { minutes: 1 });
    await organization.add(person, { role: "MEMBER" });
  }
  await person.refresh();
  return { person, organizations };
}

test("a sign-in starts in the organization of the oldest membership if no last organization is stored", async () => {
  const { person, organizations } = await memberOfThree();
  expect(await home(person.login())).toBe(organizations[0].id);
  expect(await bound(person)).toEqual([organizations[0].id]);
});

test("a sign-in starts in the last organization if it is active and the user is still a member", async () => {
  const { person, organizations } = await memberOfThree();
  const [oldest, second, newest] = organizations;
  await switchTo(person, newest);
  expect(await home(person.login())).toBe(newest.id);
  await setStatus(newest, "SUSPENDED");
  expect(await home(person.login())).toBe(oldest.id);
  await setStatus(oldest, "SUSPENDED");
  expect(await home(person.login())).toBe(second.id);
  await setStatus(newest, "ACTIVE");
  expect(await home(person.login())).toBe(newest.id);

  await leave(person);
  expect(await home(person.login())).toBe(second.id);
  await setStatus(second, "SUSPENDED");
  expect(await home(person.login())).toBeNull();
  expect(claimsOf(person.accessToken ?? "")).toMatchObject(NOWHERE);
  expect(await bound(person)).toEqual([null]);
});

test("the membership of a member who returns to an organization counts as new", async () => {
  const { person, organizations } = await memberOfThree();
  const [oldest, second] = organizations;
  await leave(person);
  expect(await home(person.login())).toBe(second.id);
  await oldest.add(person, { role: "MEMBER" });
  expect(await home(person.login())).toBe(second.id);
});

test("after leaving an organization, a session switches to that of the oldest membership, and after the last one to none", async () => {
  const { person, organizations } = await memberOfThree();
  const [oldest, second, newest] = organizations;
  const other = await inAnotherBrowser(person);
  await switchTo(other, newest);
  await switchTo(person, second);
  await switchTo(other, newest);
  await leave(person);
  expect(await home(person.refresh())).toBe(oldest.id);
  expect(await home(other.refresh())).toBe(newest.id);
  await leave(person);
  expect(await home(person.refresh())).toBe(newest.id);
  await leave(person);
  expect(await home(person.refresh())).toBeNull();
  expect(claimsOf(person.accessToken ?? "")).toMatchObject(NOWHERE);
  expect((await person.get("/api/organization")).body.code).toBe("ORGANIZATION_REQUIRED");
});

test("removing a member ends only their sessions in the organization; their refreshes are 401", async () => {
  const { person, organizations } = await memberOfThree();
  const [oldest, second] = organizations;
  const other = await inAnotherBrowser(person);
  await switchTo(other, second);
  const stale = sameBrowser(person);
  expectStatus(await person.refresh(), 200);
  expectStatus(await oldest.admin.delete(`/api/members/${await userIdOf(t, person)}`), 204);
  for (const browser of [stale, person]) expect(await home(browser.refresh())).toBe(401);
  expect(await home(other.refresh())).toBe(second.id);
  expect(await home(person.login())).toBe(second.id);
});

test("a session in an organization without a membership, as after a race, switches at its next refresh", async () => {
  const { person, organizations } = await memberOfThree();
  const [oldest, second, newest] = organizations;
  await t.sql("UPDATE memberships SET is_deleted = true WHERE user_id = $1 AND organization_id = $2", [
    await userIdOf(t, person),
    oldest.id,
  ]);
  expect(await home(person.refresh())).toBe(second.id);
  expect(await bound(person)).toEqual([second.id]);
  await setStatus(second, "SUSPENDED");
  expect(await home(person.refresh())).toBe(newest.id);
  await t.sql("UPDATE organizations SET is_deleted = true WHERE id = $1", [newest.id]);
  expect(await home(person.refresh())).toBeNull();
  expect(await bound(person)).toEqual([null]);
});

test("a session without an organization gets one at its refresh, preferably the last one", async () => {
  const person = await t.person();
  const [other, third] = [await inAnotherBrowser(person), await inAnotherBrowser(person)];
  expect(organizationOf(person)).toBeNull();
  const [one, two] = [await createOrganization(t, "One"), await createOrganization(t, "Two")];
  await one.add(person, { role: "MEMBER" });
  await t.age("memberships", { user_id: await userIdOf(t, person) }, { minutes: 1 });
  await two.add(person, { role: "MEMBER" });
  expect(await home(person.refresh())).toBe(one.id);
  await switchTo(other, two);
  expect(await home(third.refresh())).toBe(two.id);
  expect(await home(person.refresh())).toBe(one.id);
});

test("changes of roles, units and the organization's name are in the access token after the next refresh", async () => {
  const organization = await createOrganization(t, "Before");
  const person = await organization.member();
  const unit = await organization.unit("East");
  const path = `/api/members/${await userIdOf(t, person)}/roles`;
  const given = assignments({ role: "ORG_ADMIN" }, { role: "UNIT_ADMIN", unit });
  expectStatus(await organization.admin.patch(path, given), 200);
  expectStatus(await organization.admin.patch("/api/organization", { name: "After" }), 200);
  expectStatus(await person.get("/api/members"), 403);

  await person.refresh();
  const claims = claimsOf(person.accessToken ?? "");
  expect(claims).toMatchObject({ organization: { name: "After" }, roles: ["ORG_ADMIN"] });
  expect(claims.unitGrants).toHaveLength(1);
  expectStatus(await person.get("/api/members"), 200);
});

test("a platform administrator's session has no organization; the stored last organization is kept", async () => {
  const { person, organizations } = await memberOfThree();
  await switchTo(person, organizations[1]);
  await setPlatformAdmin(person, true);
  for (const response of [await person.refresh(), await person.login(), await person.refresh()]) {
    expect(claimsOf(response.body.accessToken)).toMatchObject({ isPlatformAdmin: true, ...NOWHERE });
    expect(await bound(person)).toEqual([null]);
  }
  expect(await lastOf(person)).toBe(organizations[1].id);
});

test("a replaced cookie in its grace period gets no organization if the user has become platform administrator", async () => {
  const { person } = await memberOfThree();
  const stale = sameBrowser(person);
  expectStatus(await person.refresh(), 200);
  await setPlatformAdmin(person, true);
  const response = expectStatus(await stale.refresh(), 200);
  expect(claimsOf(response.body.accessToken)).toMatchObject({ isPlatformAdmin: true, ...NOWHERE });
});

test("a demoted platform administrator's next refresh chooses an organization like a sign-in", async () => {
  const { person, organizations } = await memberOfThree();
  await switchTo(person, organizations[2]);
  await setPlatformAdmin(person, true);
  expect(await home(person.refresh())).toBeNull();
  await setPlatformAdmin(person, false);
  expect(await home(person.refresh())).toBe(organizations[2].id);
});

test("a replaced cookie in its grace period gets the organization of its successor, or none if the successor has none", async () => {
  const person = await t.person();
  const stale = sameBrowser(person);
  expectStatus(await person.refresh(), 200);
  await (await createOrganization(t)).add(person, { role: "MEMBER" });
  expect(await home(stale.refresh())).toBeNull();
});
