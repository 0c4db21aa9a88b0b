import { expect, test } from "bun:test";
import { type ApiResponse, type Caller, claimsOf } from "../../support/caller.ts";
import { holdUserLock } from "../../support/locks.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { FEWER_ROUNDS, RACE_TIMEOUT_MS } from "../../support/race.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { inAnotherBrowser, liveRows, sameBrowser } from "../../support/sessions.ts";

/*
 * A refresh takes the user's lock in the very statement that rotates. Each of these lines it up with something else
 * behind that lock, in either order, or lets something happen while it waits; what the statement saw before it waited
 * must not count.
 */
// Each member has an address of their own, because the failing refreshes of one address are limited.
const t = await startService({ TRUST_PROXY: "1" });
let members = 0;

const over = "401 INVALID_REFRESH_TOKEN";
const sessionOf = ({ accessToken }: Caller) => claimsOf(accessToken ?? "").sid;
const organizationOf = ({ body }: ApiResponse) => claimsOf(body.accessToken).organization?.id ?? null;

/** A member of two organizations who acts in the first one. */
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
  /** The outcomes of the refresh and of the other call, and the session's number of live rows. */
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
    test(
      `a refresh ${isFirst ? "before" : "after"} ${name} returns what is left of the session`,
      async () => {
        for (let round = 0; round < FEWER_ROUNDS; round += 1) {
          const world = await memberOfTwo();
          const { person } = world;
          const session = sessionOf(person);
          const calls = [() => sameBrowser(person).refresh(), () => meets(sameBrowser(person), world)];
          const lock = await holdUserLock(t, person.email);
          const answers: Promise<ApiResponse>[] = [];
          for (const call of isFirst ? calls : calls.toReversed()) {
            answers.push(call());
            await lock.waiting(answers.length);
          }
          await lock.release();
          const outcomes = (await Promise.all(answers)).map(outcome);
          const alive = (await liveRows(t, person.email)).filter(({ session_id }) => session_id === session);
          const [refreshed, met] = isFirst ? outcomes : outcomes.toReversed();
          expect([refreshed, met, alive.length]).toEqual(isFirst ? before : after);
        }
      },
      RACE_TIMEOUT_MS,
    );
  }
}

test("a refresh after the replay of a stolen cookie returns a plain 401, and one before it loses its session", async () => {
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

/** The outcome of a refresh that was sent before a change, and got the lock after it. */
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

// sql/sessions.sql, rotateRefreshToken: session_grants, which is volatile
test("a refresh that waits while its membership ends continues in another organization, or in none", async () => {
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

test("a refresh that waits while its organization is suspended moves to another one", async () => {
  const { org, other, person } = await memberOfTwo();
  const suspend = () => t.sql("UPDATE organizations SET status = 'SUSPENDED' WHERE id = $1", [org.id]);
  expect(organizationOf(await refreshedAfter(person, suspend))).toBe(other.id);
});

test("a refresh that waits while the API suspends its session's organization returns 401", async () => {
  const { org, person } = await memberOfTwo();
  const admin = await t.platformAdmin();
  const suspend = () => admin.patch(`/api/organizations/${org.id}/status`, { status: "SUSPENDED" });
  expect(outcome(await refreshedAfter(person, suspend))).toBe(over);
  expect(await liveRows(t, person.email)).toEqual([]);
});

test("a refresh that waits while the user becomes platform administrator or is demoted returns the new state", async () => {
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

test("a refresh that waits while the account is deleted returns 401 and rotates nothing", async () => {
  const { person } = await memberOfTwo();
  const [before] = await liveRows(t, person.email);
  const end = () => t.sql("UPDATE users SET is_deleted = true WHERE id = $1", [idOf(person)]);
  expect(outcome(await refreshedAfter(person, end))).toBe(over);
  expect(await liveRows(t, person.email)).toEqual([before as NonNullable<typeof before>]);
});

test("a refresh that waits until its token has expired returns 401", async () => {
  const { person } = await memberOfTwo();
  const expire = () =>
    t.sql(
      "UPDATE refresh_tokens SET expires_at = now() - interval '1 day' WHERE revoked_at IS NULL AND user_id = $1",
      [idOf(person)],
    );
  expect(outcome(await refreshedAfter(person, expire))).toBe(over);
  expect(await liveRows(t, person.email)).toEqual([]);
});
