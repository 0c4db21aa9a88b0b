import { expect, test } from "bun:test";
import type { ApiResponse, Caller } from "../../support/caller.ts";
import { assignments, createOrganization, type Organization } from "../../support/organizations.ts";
import { actingIn, eventsIn, idOf, outcome } from "../../support/outcomes.ts";
import { FEWER_ROUNDS, race } from "../../support/race.ts";
import { raceCluster } from "../../support/race-cluster.ts";
import { expectStatus } from "../../support/service.ts";

/*
 * Concurrent calls to two processes that change administrators or create organizations. The comment above each test
 * says without which code it fails.
 */
const { t, url } = await raceCluster();

/** Sends calls concurrently to alternating processes, in alternating order; returns the outcomes. */
async function collide(round: number, ...calls: ((at: string) => Promise<ApiResponse>)[]): Promise<string[]> {
  const outcomes: string[] = [];
  const order = calls.map((call, index) => ({ call, index }));
  if (round % 4 > 1) order.reverse();
  await Promise.all(
    order.map(async ({ call, index }) => {
      outcomes[index] = outcome(await call(url(round + index)));
    }),
  );
  return outcomes;
}

const demote =
  (caller: Caller, person: Caller, options = {}) =>
  (at: string) =>
    caller.at(at).patch(`/api/members/${idOf(person)}/roles`, assignments({ role: "MEMBER" }), options);
const remove = (caller: Caller, person: Caller) => (at: string) =>
  caller.at(at).delete(`/api/members/${idOf(person)}`);
const leave = (caller: Caller) => (at: string) => caller.at(at).post("/api/organization/leave");

/** Reads the ids of the organization's administrators from the database. */
async function administrators(org: Organization): Promise<string[]> {
  const rows = await t.sql<{ user_id: string }>(
    `SELECT m.user_id FROM memberships m
     JOIN membership_assignments a ON a.membership_id = m.id AND a.unit_id IS NULL
     JOIN roles r ON r.id = a.role_id AND r.name = 'ORG_ADMIN'
     WHERE m.organization_id = $1 AND NOT m.is_deleted`,
    [org.id],
  );
  return rows.map((row) => row.user_id);
}

/** Makes both users administrators again after a round, and signs them in, because a removal ended their sessions. */
async function restore(org: Organization, ...people: Caller[]) {
  for (const person of people) {
    await org.add(person, { role: "ORG_ADMIN" });
    await t.sql(
      `INSERT INTO membership_assignments (membership_id, role_id)
       SELECT m.id, r.id FROM memberships m, roles r
       WHERE m.organization_id = $1 AND m.user_id = $2 AND r.name = 'ORG_ADMIN' AND r.organization_id IS NULL
       ON CONFLICT DO NOTHING`,
      [org.id, idOf(person)],
    );
    expectStatus(await person.login(), 200);
  }
}

/** Runs `play` once per round with an organization of two administrators and a member; expects that one stays administrator. */
async function rounds(
  play: (org: Organization, pair: [Caller, Caller], round: number) => Promise<string[]>,
  expected: string[][],
) {
  const org = await createOrganization(t);
  const second = await org.member({ role: "ORG_ADMIN" });
  await org.member();
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const before = (await eventsIn(t, org, "MEMBER_")).length;
    const outcomes = await play(org, [org.admin, second], round);
    expect(expected.map((each) => each.join())).toContain(outcomes.join());
    expect(await administrators(org)).toHaveLength(1);
    expect(await eventsIn(t, org, "MEMBER_")).toHaveLength(before + 1);
    await restore(org, org.admin, second);
  }
}

// The test fails if `authorize` does not call `lockOrganization` before it loads the caller's permissions
// (src/core/authorize).
test("if two administrators demote each other concurrently, one stays administrator", () =>
  rounds(
    (_, [first, second], round) => collide(round, demote(first, second), demote(second, first)),
    [
      ["200", "403 FORBIDDEN"],
      ["403 FORBIDDEN", "200"],
    ],
  ));

// The test fails if `authorize` does not call `lockOrganization` before it loads the caller's permissions
// (src/core/authorize).
test("if two administrators remove each other concurrently, one stays", () =>
  rounds(
    (_, [first, second], round) => collide(round, remove(first, second), remove(second, first)),
    [
      ["204", "403 FORBIDDEN"],
      ["403 FORBIDDEN", "204"],
    ],
  ));

// The test fails if `assertAnotherAdmin` counts administrators before `lockOrganization`
// (src/core/accounts/memberships.ts).
test("if one administrator leaves while the other gives up the role, one stays administrator", () =>
  rounds(
    (_, [first, second], round) => collide(round, leave(first), demote(second, second)),
    [
      ["204", "409 LAST_ADMIN"],
      ["409 LAST_ADMIN", "200"],
    ],
  ));

// The test fails if a member who leaves does not lock the organization (src/features/departures/leave.ts).
test("if one administrator leaves while a platform administrator demotes the other, one stays administrator", async () => {
  const admin = await t.platformAdmin();
  await rounds(
    (org, [first, second], round) => collide(round, leave(first), demote(admin, second, actingIn(org))),
    [
      ["204", "409 LAST_ADMIN"],
      ["409 LAST_ADMIN", "200"],
    ],
  );
});

// The test fails if a member who leaves does not lock the organization (src/features/departures/leave.ts).
test("if two administrators leave concurrently, one stays", () =>
  rounds(
    (_, [first, second], round) => collide(round, leave(first), leave(second)),
    [
      ["204", "409 LAST_ADMIN"],
      ["409 LAST_ADMIN", "204"],
    ],
  ));

// The test fails without `lockPlatform` before the caller is authorized as platform administrator
// (src/features/users/write.ts).
for (const [how, status, act] of [
  [
    "demote",
    "200",
    (caller: Caller, other: Caller) => caller.patch(`/api/users/${idOf(other)}`, { isPlatformAdmin: false }),
  ],
  ["delete", "204", (caller: Caller, other: Caller) => caller.delete(`/api/users/${idOf(other)}`)],
] as const) {
  test(`if two platform administrators ${how} each other concurrently, one stays`, async () => {
    for (let round = 0; round < FEWER_ROUNDS; round += 1) {
      const [first, second] = [await t.platformAdmin(), await t.platformAdmin()];
      const ids = [idOf(first), idOf(second)];
      const outcomes = await collide(
        round,
        (at) => act(first.at(at), second),
        (at) => act(second.at(at), first),
      );
      expect(outcomes.toSorted()).toEqual([status, "403 FORBIDDEN"].toSorted());
      const left = "SELECT FROM users WHERE id IN ($1, $2) AND is_platform_admin AND NOT is_deleted";
      expect(await t.sql(left, ids)).toHaveLength(1);
    }
  });
}

/** Backdates the organizations that an account has created by two days. */
const sleepOverIt = (founder: Caller) =>
  t.age("organizations", { founded_by_id: idOf(founder) }, { days: 2 });
const found = (caller: Caller, name: string, at: string) =>
  caller.at(at).post("/api/auth/organizations", { name });

// The test fails if `createOrganization` does not retry with another slug (src/features/organizations/create-own.ts).
test("organizations created concurrently with one name get distinct slugs with consecutive numbers", async () => {
  const founders = await race(4, () => t.person());
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const name = `Acme ${crypto.randomUUID()}`;
    const responses = await race(4, (index) => found(founders[index] as Caller, name, url(round + index)));
    const slugs = responses.map((response) => expectStatus(response, 201).body.slug).toSorted();
    const slug = name.toLowerCase().replaceAll(" ", "-");
    expect(slugs).toEqual([slug, `${slug}-2`, `${slug}-3`, `${slug}-4`].toSorted());
    for (const founder of founders) await sleepOverIt(founder);
  }
});

// The test fails if the day's organizations are counted before `lockUsers` (src/features/organizations/create-own.ts).
test("of six organizations that one user creates concurrently, exactly five succeed", async () => {
  const founder = await t.person();
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const responses = await race(6, (index) => found(founder, "Acme", url(index)));
    expect(responses.map(outcome).toSorted()).toEqual([...Array(5).fill("201"), "429 TOO_MANY_REQUESTS"]);
    const refused = responses.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
    await sleepOverIt(founder);
    expect((await founder.get("/api/auth/organizations")).body).toHaveLength(5 * (round + 1));
  }
});
