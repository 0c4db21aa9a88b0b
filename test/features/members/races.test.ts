import { expect, test } from "bun:test";
import { type Caller, claimsOf } from "../../support/caller.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { actingIn, eventsIn, idOf, outcome } from "../../support/outcomes.ts";
import { FEWER_ROUNDS, race } from "../../support/race.ts";
import { raceCluster } from "../../support/race-cluster.ts";
import { expectStatus } from "../../support/service.ts";
import { inAnotherBrowser, liveRows, sameBrowser } from "../../support/sessions.ts";

/*
 * Sessions of members who are removed or leave while they refresh, switch or sign in, with two processes. Above each
 * test: the code without which it fails.
 */
const { t, url } = await raceCluster();

const organizationOf = (person: Caller) => claimsOf(person.accessToken ?? "").organization?.id ?? null;
const remove = async (org: Organization, person: Caller, round: number) =>
  outcome(await org.admin.at(url(round)).delete(`/api/members/${idOf(person)}`));
const switchTo = (browser: Caller, { id }: { id: string }) =>
  browser.post("/api/auth/organization", { organizationId: id });

/** Returns an account's refresh tokens that are still valid and bound to an organization. */
const aliveIn = (person: Caller, { id }: { id: string }) =>
  t.sql(
    `SELECT FROM refresh_tokens
     WHERE user_id = $1 AND organization_id = $2 AND revoked_at IS NULL AND expires_at > now()`,
    [idOf(person), id],
  );

/** Expects that no refresh of the user was treated as token reuse. */
async function expectNoTheft(person: Caller) {
  const thefts = "SELECT FROM audit_events WHERE action = 'REFRESH_TOKEN_REUSED' AND target_id = $1";
  expect(await t.sql(thefts, [idOf(person)])).toEqual([]);
}

// The test fails without lockUsers before endSessionsIn (src/features/departures/leave.ts).
test("a member who is removed while they refresh keeps no session in the organization", async () => {
  const [org, own] = [await createOrganization(t), await createOrganization(t)];
  const person = own.admin;
  await org.add(person, { role: "MEMBER" });
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const browser = await inAnotherBrowser(person);
    expectStatus(await switchTo(browser, org), 200);
    const refreshing = browser.at(url(round + 1));
    const [removed, refreshed] = await Promise.all([remove(org, person, round), refreshing.refresh()]);
    expect(removed).toBe("204");
    expect(["200", "401 INVALID_REFRESH_TOKEN"]).toContain(outcome(refreshed));
    expect(await aliveIn(person, org)).toEqual([]);
    expect(outcome(await refreshing.refresh())).toBe("401 INVALID_REFRESH_TOKEN");
    // The user's session in the other organization is not affected.
    expectStatus(await person.refresh(), 200);
    await org.add(person, { role: "MEMBER" });
  }
  await expectNoTheft(person);
});

// The test fails without lockUsers before endSessionsIn (src/features/departures/leave.ts), and findMembership under
// lockUsers (src/features/sessions/switch.ts).
test("a member who is removed while they switch into the organization keeps no session in it", async () => {
  const [org, own] = [await createOrganization(t), await createOrganization(t)];
  const person = own.admin;
  await org.add(person, { role: "MEMBER" });
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const browser = await inAnotherBrowser(person);
    expectStatus(await switchTo(browser, own), 200);
    const switching = browser.at(url(round + 1));
    const [switched, removed] = await Promise.all([switchTo(switching, org), remove(org, person, round)]);
    expect(removed).toBe("204");
    expect(["200", "403 NOT_A_MEMBER"]).toContain(outcome(switched));
    expect(await aliveIn(person, org)).toEqual([]);
    const refreshed = await switching.refresh();
    if (switched.status === 200) expect(outcome(refreshed)).toBe("401 INVALID_REFRESH_TOKEN");
    else expect([outcome(refreshed), organizationOf(switching)]).toEqual(["200", own.id]);
    await org.add(person, { role: "MEMBER" });
  }
  await expectNoTheft(person);
});

// The test fails without findActiveOrganization under lockForSignIn (src/features/sessions/start.ts).
test("a member who is removed while they sign in keeps no session in the organization", async () => {
  const org = await createOrganization(t);
  const person = await org.member();
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const [browser, removed] = await Promise.all([
      inAnotherBrowser(person, url(round + 1)),
      remove(org, person, round),
    ]);
    expect(removed).toBe("204");
    expect(await aliveIn(person, org)).toEqual([]);
    const refreshed = await browser.refresh();
    expect(["200", "401 INVALID_REFRESH_TOKEN"]).toContain(outcome(refreshed));
    if (refreshed.status === 200) expect(organizationOf(browser)).toBeNull();
    await org.add(person, { role: "MEMBER" });
  }
  await expectNoTheft(person);
});

// The test fails unless the membership is read under the locks (src/features/departures/leave.ts).
test("of a member's own leaving and a concurrent removal exactly one takes effect", async () => {
  const org = await createOrganization(t);
  const person = await org.member();
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const leave = person.at(url(round + 1)).post("/api/organization/leave");
    const removal = remove(org, person, round);
    const outcomes = [outcome(await leave), await removal].join(", ");
    expect(["204, 404 NOT_FOUND", "403 FORBIDDEN, 204"]).toContain(outcomes);
    expect(await eventsIn(t, org, "MEMBER_")).toHaveLength(round + 1);
    await org.add(person, { role: "MEMBER" });
    // The removal may have ended the session.
    expectStatus(await person.login(), 200);
  }
});

// The test fails without findActiveOrganization under lockUsers (src/features/sessions/refresh.ts).
test("a member who leaves while they refresh stays signed in and moves to another organization at the next refresh", async () => {
  const [org, own] = [await createOrganization(t), await createOrganization(t)];
  const person = own.admin;
  await org.add(person, { role: "MEMBER" });
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const browser = await inAnotherBrowser(person);
    expectStatus(await switchTo(browser, org), 200);
    const leaving = sameBrowser(browser).at(url(round));
    const refreshing = browser.at(url(round + 1));
    const [left] = await Promise.all([leaving.post("/api/organization/leave"), refreshing.refresh()]);
    expectStatus(left, 204);
    expectStatus(await refreshing.refresh(), 200);
    expect(organizationOf(refreshing)).toBe(own.id);
    expect(await aliveIn(person, org)).toEqual([]);
    await org.add(person, { role: "MEMBER" });
  }
  await expectNoTheft(person);
});

// The test fails without endSessionsOfOrganization (src/features/organizations/platform.ts) and the status check
// (src/core/access/active-organization.ts).
test("members who refresh while their organization is suspended have no organization after the next refresh", async () => {
  const [org, admin] = [await createOrganization(t), await t.platformAdmin()];
  const people = await race(3, () => org.member());
  const path = `/api/organizations/${org.id}/status`;
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const browsers = await race(3, (index) => inAnotherBrowser(people[index] as Caller, url(round + index)));
    const [suspended, ...refreshed] = await Promise.all([
      admin.at(url(round)).patch(path, { status: "SUSPENDED" }),
      ...browsers.map((browser) => browser.refresh()),
    ]);
    expectStatus(suspended, 200);
    for (const response of refreshed)
      expect(["200", "401 INVALID_REFRESH_TOKEN"]).toContain(outcome(response));
    for (const browser of browsers) {
      const again = await browser.refresh();
      if (again.status === 200) expect(organizationOf(browser)).toBeNull();
      expect(await aliveIn(browser, org)).toEqual([]);
    }
    expectStatus(await admin.patch(path, { status: "ACTIVE" }), 200);
  }
  for (const person of people) await expectNoTheft(person);
});

// The test fails without lockMemberships (src/core/accounts/end-account.ts).
test("an account that is deleted while it is removed, leaves or signs in has no membership and no session afterwards", async () => {
  const [org, admin] = [await createOrganization(t), await t.platformAdmin()];
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const person = await org.member();
    const path = `/api/users/${idOf(person)}`;
    const [deleted, removed, left, signedIn] = await Promise.all([
      admin.at(url(round)).delete(path),
      remove(org, person, round + 1),
      sameBrowser(person).at(url(round)).post("/api/organization/leave"),
      t.anonymous(url(round + 1)).post("/api/auth/login", person.account),
    ]);
    expectStatus(deleted, 204);
    expect(["204", "404 NOT_FOUND"]).toContain(removed);
    expect(["204", "403 FORBIDDEN"]).toContain(outcome(left));
    expect(["200", "401 INVALID_CREDENTIALS"]).toContain(outcome(signedIn));
    expect(await liveRows(t, person.email)).toEqual([]);
    const memberships = "SELECT FROM memberships WHERE user_id = $1 AND NOT is_deleted";
    expect(await t.sql(memberships, [idOf(person)])).toEqual([]);
    const gone = (await eventsIn(t, org, "MEMBER_")).filter(({ target_id }) => target_id === idOf(person));
    expect(gone).toHaveLength(1);
  }
  expectStatus(await admin.get("/api/units", actingIn(org)), 200);
});
