import { expect, test } from "bun:test";
import { type ApiResponse, type Caller, claimsOf } from "../../support/caller.ts";
import { holdUserLock, inLine } from "../../support/locks.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";
import { inAnotherBrowser, liveRows, sameBrowser } from "../../support/sessions.ts";

/*
 * A refresh takes the user's lock in the same statement that replaces the token. Each test queues it with another call
 * for that lock, in either order, or changes rows while it waits: the statement must not use rows it read before.
 */
// Each member uses another IP address, because failing refreshes of one address are limited.
const t = await sharedService({ TRUST_PROXY: "1" });
let members = 0;

const over = "401 INVALID_REFRESH_TOKEN";
const sessionOf = ({ accessToken }: Caller) => claimsOf(accessToken ?? "").sid;
const organizationOf = ({ body }: ApiResponse) => claimsOf(body.accessToken).organization?.id ?? null;

/** Creates a member of two organizations, whose session is in the first. */
async function memberOfTwo() {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const person = await org.member();
  await other.add(person, { role: "MEMBER" });
  members += 1;
  person.address = `198.18.${members >> 8}.${members & 255}`;
  return { org, other, person };
}
type World = Awaited<ReturnType<typeof memberOfTwo>>;

type Meeting = {
  /** The concurrent call, made from a browser with the same cookie. */
  meets: (browser: Caller, world: World) => Promise<ApiResponse>;
  /** Expected outcomes of the refresh and the other call, and number of valid refresh tokens of the session. */
  before: [refresh: string, other: string, alive: number];
  after: [refresh: string, other: string, alive: number];
};

const meetings: Record<string, Meeting> = {
  "another refresh of the same cookie": {
    meets: (browser) => browser.refresh(),
    before: ["200", "200", 1],
    after: ["200", "200", 1],
  },
  "a logout": {
    meets: (browser) => browser.post("/api/auth/logout"),
    before: ["200", "204", 0],
    after: [over, "204", 0],
  },
  "a switch": {
    meets: (browser, { other }) => browser.post("/api/auth/organization", { organizationId: other.id }),
    before: ["200", over, 1],
    after: ["200", "200", 1],
  },
  "the end of the session": {
    meets: (browser) => browser.delete(`/api/profile/sessions/${sessionOf(browser)}`),
    before: ["200", "204", 0],
    after: [over, "204", 0],
  },
  "the removal from the organization that it acts in": {
    meets: (browser, { org }) => org.admin.delete(`/api/members/${idOf(browser)}`),
    before: ["200", "204", 0],
    after: [over, "204", 0],
  },
  "a sign-in in the same browser": {
    meets: (browser) => browser.login(),
    before: ["200", "200", 0],
    after: [over, "200", 0],
  },
};

for (const [name, { meets, before, after }] of Object.entries(meetings)) {
  for (const isFirst of [true, false]) {
    test(`a refresh that gets the lock ${isFirst ? "before" : "after"} ${name} is decided by the session's state at that time`, async () => {
      const world = await memberOfTwo();
      const { person } = world;
      const session = sessionOf(person);
      const calls = [() => sameBrowser(person).refresh(), () => meets(sameBrowser(person), world)];
      const lock = await holdUserLock(t, person.email);
      const outcomes = (await inLine(lock, ...(isFirst ? calls : calls.toReversed()))).map(outcome);
      const alive = (await liveRows(t, person.email)).filter(({ session_id }) => session_id === session);
      const [refreshed, met] = isFirst ? outcomes : outcomes.toReversed();
      expect([refreshed, met, alive.length]).toEqual(isFirst ? before : after);
    });
  }
}

test("a refresh that gets the lock after the reuse of a stolen cookie is 401; one before it succeeds, but its session ends", async () => {
  for (const isFirst of [true, false]) {
    const { person } = await memberOfTwo();
    const stolen = sameBrowser(person);
    expectStatus(await person.refresh(), 200);
    expectStatus(await person.refresh(), 200);
    const lock = await holdUserLock(t, person.email);
    const first = (isFirst ? person : stolen).refresh();
    await lock.waiting(1);
    const second = (isFirst ? stolen : person).refresh();
    await lock.waiting(2);
    await lock.release();
    expect([outcome(await first), outcome(await second)]).toEqual(isFirst ? ["200", over] : [over, over]);
    expect(await liveRows(t, person.email)).toEqual([]);
    const events = await t.sql("SELECT FROM audit_events WHERE action = $1 AND target_id = $2", [
      "REFRESH_TOKEN_REUSED",
      idOf(person),
    ]);
    expect(events).toHaveLength(1);
  }
});

/** Sends a refresh, makes the change while the refresh waits for the lock; returns its response. */
async function refreshedAfter(person: Caller, change: () => Promise<unknown>): Promise<ApiResponse> {
  const lock = await holdUserLock(t, person.email);
  const refresh = sameBrowser(person).refresh();
  await lock.waiting(1);
  await change();
  await lock.release();
  return refresh;
}
const bound = async ({ email }: Caller) =>
  (await liveRows(t, email)).map((row) => (row as typeof row & { organization_id: unknown }).organization_id);

// The test fails unless session_grants is VOLATILE in rotateRefreshToken (sql/sessions.sql).
test("if its membership ends while a refresh waits, the session continues in another organization or in none", async () => {
  const { org, other, person } = await memberOfTwo();
  const end = ({ id }: Organization) =>
    t.sql("UPDATE memberships SET is_deleted = true WHERE organization_id = $1 AND user_id = $2", [
      id,
      idOf(person),
    ]);
  expect(organizationOf(await refreshedAfter(person, () => end(org)))).toBe(other.id);
  expect(await bound(person)).toEqual([other.id]);
  const later = await inAnotherBrowser(person);
  expect(organizationOf(await refreshedAfter(later, () => end(other)))).toBeNull();
  expect(await bound(person)).toContain(null);
});

test("if its organization is suspended in the database while a refresh waits, the session switches to another one", async () => {
  const { org, other, person } = await memberOfTwo();
  const suspend = () => t.sql("UPDATE organizations SET status = 'SUSPENDED' WHERE id = $1", [org.id]);
  expect(organizationOf(await refreshedAfter(person, suspend))).toBe(other.id);
});

test("if the API suspends its organization while a refresh waits, the refresh is 401", async () => {
  const { org, person } = await memberOfTwo();
  const admin = await t.platformAdmin();
  const suspend = () => admin.patch(`/api/organizations/${org.id}/status`, { status: "SUSPENDED" });
  expect(outcome(await refreshedAfter(person, suspend))).toBe(over);
  expect(await liveRows(t, person.email)).toEqual([]);
});

test("if the user becomes platform administrator or is demoted while a refresh waits, its access token has the new state", async () => {
  const { org, person } = await memberOfTwo();
  const set = (is: boolean) => () =>
    t.sql("UPDATE users SET is_platform_admin = $2 WHERE id = $1", [idOf(person), is]);
  const promoted = await refreshedAfter(person, set(true));
  expect(claimsOf(promoted.body.accessToken)).toMatchObject({ isPlatformAdmin: true, organization: null });
  expect(await bound(person)).toEqual([null]);
  const browser = await inAnotherBrowser(person);
  const demoted = await refreshedAfter(browser, set(false));
  expect(claimsOf(demoted.body.accessToken).isPlatformAdmin).toBe(false);
  expect(organizationOf(demoted)).toBe(org.id);
});

test("if the account is deleted while a refresh waits, the refresh is 401 and replaces no token", async () => {
  const { person } = await memberOfTwo();
  const [before] = await liveRows(t, person.email);
  const end = () => t.sql("UPDATE users SET is_deleted = true WHERE id = $1", [idOf(person)]);
  expect(outcome(await refreshedAfter(person, end))).toBe(over);
  expect(await liveRows(t, person.email)).toEqual([before as NonNullable<typeof before>]);
});

test("if its token expires while a refresh waits, the refresh is 401", async () => {
  const { person } = await memberOfTwo();
  const expire = () =>
    t.sql(
      "UPDATE refresh_tokens SET expires_at = now() - interval '1 day' WHERE revoked_at IS NULL AND user_id = $1",
      [idOf(person)],
    );
  expect(outcome(await refreshedAfter(person, expire))).toBe(over);
  expect(await liveRows(t, person.email)).toEqual([]);
});
