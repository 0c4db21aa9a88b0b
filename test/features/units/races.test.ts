import { afterEach, expect, test } from "bun:test";
import type { ApiResponse, Caller } from "../../support/caller.ts";
import { assignments, createOrganization } from "../../support/organizations.ts";
import { eventsIn, idOf, outcome } from "../../support/outcomes.ts";
import { FEWER_ROUNDS } from "../../support/race.ts";
import { raceCluster } from "../../support/race-cluster.ts";
import { expectStatus } from "../../support/service.ts";

/*
 * Concurrent calls to two processes that change units, roles or references to them. They are serialized by
 * lockOrganization (src/core/authorize/authorize.ts). After each test, all tables are checked for broken references.
 */
const { t, url } = await raceCluster();

type Call = (at: string) => Promise<ApiResponse>;

/** Sends two calls concurrently to different processes, in alternating order; returns both outcomes. */
async function collide(round: number, first: Call, second: Call): Promise<string> {
  const [firstUrl, secondUrl] = [url(round), url(round + 1)];
  const calls =
    round % 4 > 1 ? [second(secondUrl), first(firstUrl)].toReversed() : [first(firstUrl), second(secondUrl)];
  return (await Promise.all(calls)).map(outcome).join(", ");
}

const move = (caller: Caller, id: string, parentId: string) => (at: string) =>
  caller.at(at).patch(`/api/units/${id}`, { parentId });
const give = (caller: Caller, person: Caller, role: string, unit: string | null) => (at: string) =>
  caller.at(at).patch(`/api/members/${idOf(person)}/roles`, assignments({ role: "MEMBER" }, { role, unit }));

/** Queries that find references to deleted rows, missing rows and cycles of units; all must return no row. */
const BROKEN = {
  "units below a deleted one":
    "SELECT FROM units u JOIN units p ON p.id = u.parent_id WHERE p.is_deleted AND NOT u.is_deleted",
  "links to a deleted unit":
    "SELECT FROM membership_units mu JOIN units u ON u.id = mu.unit_id WHERE u.is_deleted AND NOT mu.is_deleted",
  "roles in a deleted unit":
    "SELECT FROM membership_assignments a JOIN units u ON u.id = a.unit_id WHERE u.is_deleted",
  "roles in a unit without a link": `SELECT FROM membership_assignments a WHERE a.unit_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM membership_units mu
    WHERE mu.membership_id = a.membership_id AND mu.unit_id = a.unit_id AND NOT mu.is_deleted)`,
  "deleted roles that somebody has":
    "SELECT FROM membership_assignments a JOIN roles r ON r.id = a.role_id WHERE r.is_deleted",
  "deleted roles that are a default":
    "SELECT FROM organizations o JOIN roles r ON r.id = o.default_role_id WHERE r.is_deleted",
  "members without a role": `SELECT FROM memberships m WHERE NOT m.is_deleted AND NOT EXISTS (
    SELECT FROM membership_assignments a WHERE a.membership_id = m.id)`,
  "units in a cycle": `WITH RECURSIVE reached AS (
      SELECT id FROM units WHERE parent_id IS NULL
      UNION SELECT u.id FROM units u JOIN reached ON u.parent_id = reached.id
    ) SELECT FROM units WHERE id NOT IN (SELECT id FROM reached)`,
};

afterEach(async () => {
  for (const [what, query] of Object.entries(BROKEN))
    expect([what, (await t.sql(query)).length]).toEqual([what, 0]);
});

test("of two concurrent moves that together would create a cycle exactly one succeeds", async () => {
  const org = await createOrganization(t);
  const [left, right] = [await org.unit("Left"), await org.unit("Right")];
  const [belowLeft, belowRight] = [await org.unit("A", left), await org.unit("B", right)];
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const toRight = move(org.admin, left, round % 2 === 0 ? right : belowRight);
    const toLeft = move(org.admin, right, round % 2 === 0 ? left : belowLeft);
    const outcomes = await collide(round, toRight, toLeft);
    expect(["200, 409 UNIT_CYCLE", "409 UNIT_CYCLE, 200"]).toContain(outcomes);
    expect((await org.admin.get("/api/units")).body.total).toBe(4);
    expect(await eventsIn(t, org, "UNIT_")).toHaveLength(2 * round + 1);
    const moved = outcomes.startsWith("200") ? left : right;
    expectStatus(await org.admin.patch(`/api/units/${moved}`, { parentId: null }), 200);
  }
});

const WRONG_UNIT = "400 VALIDATION_FAILED";

/** Declares a race between the deletion of a unit and a call that puts something into it: exactly one takes effect. */
function againstDeletion(name: string, status: string, prepare: () => Promise<Into>) {
  test(`deleting a unit while ${name} succeeds or is UNIT_NOT_EMPTY`, async () => {
    const { org, into, clear } = await prepare();
    for (let round = 0; round < FEWER_ROUNDS; round += 1) {
      const unit = await org.unit(`Unit ${round}`);
      const remove = (at: string) => org.admin.at(at).delete(`/api/units/${unit}`);
      const outcomes = await collide(round, remove, into(unit));
      expect([`204, ${WRONG_UNIT}`, `409 UNIT_NOT_EMPTY, ${status}`]).toContain(outcomes);
      const live = await t.sql("SELECT FROM units WHERE id = $1 AND NOT is_deleted", [unit]);
      expect(live).toHaveLength(outcomes.startsWith("204") ? 0 : 1);
      await clear?.();
    }
  });
}
type Into = {
  org: Awaited<ReturnType<typeof createOrganization>>;
  into: (unit: string) => Call;
  clear?: () => Promise<unknown>;
};

againstDeletion("another is made below it", "201", async () => {
  const org = await createOrganization(t);
  const into = (parentId: string) => (at: string) =>
    org.admin.at(at).post("/api/units", { name: "New", parentId });
  return { org, into };
});

againstDeletion("another is moved into it", "200", async () => {
  const org = await createOrganization(t);
  const moved = await org.unit("Moved");
  return { org, into: (unit) => move(org.admin, moved, unit) };
});

againstDeletion("a member is linked to it", "200", async () => {
  const org = await createOrganization(t);
  const path = `/api/members/${idOf(await org.member())}/units`;
  const into = (unit: string) => (at: string) => org.admin.at(at).patch(path, { unitIds: [unit] });
  return { org, into, clear: async () => expectStatus(await org.admin.patch(path, { unitIds: [] }), 200) };
});

againstDeletion("a role is given in it", "200", async () => {
  const org = await createOrganization(t);
  const person = await org.member();
  const clear = async () => expectStatus(await give(org.admin, person, "MEMBER", null)(t.url), 200);
  return { org, into: (unit) => give(org.admin, person, "UNIT_ADMIN", unit), clear };
});

/** Declares a race between the deletion of a role and a call that starts to use it: exactly one succeeds. */
function againstDeletedRole(
  name: string,
  prepare: () => Promise<{ org: Into["org"]; use: (role: string) => Call }>,
) {
  test(`deleting a role while it ${name} succeeds or is ROLE_IN_USE`, async () => {
    const { org, use } = await prepare();
    for (let round = 0; round < FEWER_ROUNDS; round += 1) {
      const role = await org.role(`Role ${round}`, "Units.Read");
      const remove = (at: string) => org.admin.at(at).delete(`/api/roles/${role}`);
      const outcomes = await collide(round, remove, use(role));
      expect(["204, 400 VALIDATION_FAILED", "409 ROLE_IN_USE, 200"]).toContain(outcomes);
    }
  });
}

againstDeletedRole("is given to somebody", async () => {
  const org = await createOrganization(t);
  const person = await org.member();
  return { org, use: (role) => give(org.admin, person, role, null) };
});

againstDeletedRole("becomes the default", async () => {
  const org = await createOrganization(t);
  const use = (role: string) => (at: string) =>
    org.admin.at(at).patch("/api/organization", { defaultRoleId: role });
  return { org, use };
});

test("of two roles created concurrently with one name, ignoring case, exactly one is created", async () => {
  const org = await createOrganization(t);
  const create = (name: string) => (at: string) =>
    org.admin.at(at).post("/api/roles", { name, permissions: [] });
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const outcomes = await collide(round, create(`Clerk ${round}`), create(`CLERK ${round}`));
    expect(["201, 409 CONFLICT", "409 CONFLICT, 201"]).toContain(outcomes);
  }
});

test("after concurrent role changes of one member, it has the roles of one of them, and both wrote an audit event", async () => {
  const org = await createOrganization(t);
  const person = await org.member();
  const unit = await org.unit("Sales");
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const outcomes = await collide(
      round,
      give(org.admin, person, "UNIT_ADMIN", null),
      give(org.admin, person, "UNIT_ADMIN", unit),
    );
    expect(outcomes).toBe("200, 200");
    const { body } = await org.admin.get(`/api/members/${idOf(person)}`);
    expect(body.assignments).toHaveLength(2);
    expectStatus(await give(org.admin, person, "MEMBER", null)(t.url), 200);
  }
  type Change = { added: unknown[]; removed: unknown[] };
  const changes = await eventsIn(t, org, "MEMBER_ROLES_CHANGED");
  const counts = changes.map(({ metadata }) => {
    const { added, removed } = metadata as Change;
    return `+${added.length} -${removed.length}`;
  });
  expect(counts).toEqual(Array.from({ length: FEWER_ROUNDS }, () => ["+1 -0", "+1 -1", "+0 -1"]).flat());
});
