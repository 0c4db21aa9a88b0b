import { expect, test } from "bun:test";
import type { ApiResponse, Caller } from "../support/caller.ts";
import { holdOrganizationLock } from "../support/locks.ts";
import { createOrganization, type Organization } from "../support/organizations.ts";
import { race } from "../support/race.ts";
import { expectStatus, startService } from "../support/service.ts";

/* The maximum size of an organization's unit tree and roles, and the time to list an organization of that size. */

const t = await startService();
const MAX_ROLES = 1_000;
const MAX_UNITS = 10_000;
const MAX_LEVELS = 100;

/** Creates chains of units, each unit below the previous one; returns the ids of each chain, top first. */
async function seedChains(org: Organization, chains: number, levels: number): Promise<string[][]> {
  const rows = await t.sql<{ ids: string[] }>(
    `WITH place AS MATERIALIZED (
       SELECT chain, level, uuidv7() AS id
       FROM generate_series(1, $2::int) chain, generate_series(1, $3::int) level
     ), made AS (
       INSERT INTO units (id, organization_id, parent_id, name)
       SELECT one.id, $1::uuid, above.id, 'Unit ' || one.chain || '.' || one.level
       FROM place one LEFT JOIN place above ON above.chain = one.chain AND above.level = one.level - 1
     )
     SELECT array_agg(id ORDER BY level) AS ids FROM place GROUP BY chain ORDER BY chain`,
    [org.id, chains, levels],
  );
  await t.sql("ANALYZE units");
  return rows.map(({ ids }) => ids);
}

async function seedRoles(org: Organization, count: number): Promise<void> {
  await t.sql(
    `INSERT INTO roles (organization_id, name, permissions)
     SELECT $1, 'Role ' || n, '{Members.Read,Todos.Read}' FROM generate_series(1, $2::int) n`,
    [org.id, count],
  );
}

function expectReached(response: ApiResponse, bound: string) {
  expect([response.status, response.body.code]).toEqual([409, "CONFLICT"]);
  expect(response.body.message).toContain(bound);
}

const codes = (responses: ApiResponse[]) => responses.map(({ status }) => status).sort();
const createUnit = (caller: Caller, parentId: string | null, headers = {}) =>
  caller.post("/api/units", { name: "New", parentId }, { headers });
const move = (caller: Caller, id: string | undefined, parentId: string | null | undefined) =>
  caller.patch(`/api/units/${id}`, { parentId });

test("an organization has at most 1,000 custom roles, also for platform administrators", async () => {
  const [org, platform] = await Promise.all([createOrganization(t), t.platformAdmin()]);
  await seedRoles(org, MAX_ROLES - 1);
  const create = (caller: Caller, name: string, headers = {}) =>
    caller.post("/api/roles", { name, permissions: [] }, { headers });
  const responses = await race(3, (index) => create(org.admin, `Last ${index}`));
  expect(codes(responses)).toEqual([201, 409, 409]);
  expectReached(await create(org.admin, "One more"), "1,000");
  expectReached(await create(platform, "One more", { "x-organization-id": org.id }), "1,000");
  const made = responses.find(({ status }) => status === 201);
  expectStatus(await org.admin.delete(`/api/roles/${made?.body.id}`), 204);
  expectStatus(await create(org.admin, "Again"), 201);
});

test("an organization has at most 10,000 units, also for platform administrators", async () => {
  const [org, platform] = await Promise.all([createOrganization(t), t.platformAdmin()]);
  await seedChains(org, MAX_UNITS - 1, 1);
  const responses = await race(3, () => createUnit(org.admin, null));
  expect(codes(responses)).toEqual([201, 409, 409]);
  expectReached(await createUnit(org.admin, null), "10,000");
  expectReached(await createUnit(platform, null, { "x-organization-id": org.id }), "10,000");
  const made = responses.find(({ status }) => status === 201);
  expectStatus(await org.admin.delete(`/api/units/${made?.body.id}`), 204);
  expectStatus(await createUnit(org.admin, null), 201);
});

test("units are at most 100 levels deep, whether they are created or moved with their sub-units", async () => {
  const org = await createOrganization(t);
  const [[long = []], [short = []]] = [
    await seedChains(org, 1, MAX_LEVELS - 1),
    await seedChains(org, 1, 3),
  ] as const;
  const lowest = long.at(-1) ?? "";
  const last = expectStatus(await createUnit(org.admin, lowest), 201).body;
  expect(last.depth).toBe(MAX_LEVELS - 1);
  expectReached(await createUnit(org.admin, last.id), "100");
  // Moving three levels below the 97th level makes 100 levels, below the 98th it would make 101.
  expectReached(await move(org.admin, short[0], long[97]), "100");
  expectStatus(await move(org.admin, short[0], long[96]), 200);
  expectReached(await move(org.admin, short[0], long[97]), "100");
  expectStatus(await move(org.admin, short[1], long[97]), 200);
  expectStatus(await org.admin.patch(`/api/units/${short[1]}`, { name: "Renamed" }), 200);
});

test("if a sub-unit is created while its parent is moved down, one of both is refused if the tree would be too deep", async () => {
  const org = await createOrganization(t);
  const [chain = [], other = []] = await seedChains(org, 2, MAX_LEVELS / 2);
  const lock = await holdOrganizationLock(t, org.id);
  const calls = [createUnit(org.admin, other.at(-1) ?? ""), move(org.admin, other[0], chain.at(-1))];
  await lock.waiting(2);
  await lock.release();
  expect(codes(await Promise.all(calls)).filter((status) => status === 409)).toHaveLength(1);
});

test("a tree that is already deeper than 100 levels can be listed, and moved up or sideways but not down", async () => {
  const org = await createOrganization(t);
  const [deep = [], beside = []] = await seedChains(org, 2, 2 * MAX_LEVELS);
  const { body } = expectStatus(await org.admin.get("/api/units"), 200);
  expect(body.data.at(-1).depth).toBe(2 * MAX_LEVELS - 1);
  expect(expectStatus(await org.admin.get("/api/members/unit-options"), 200).body).toHaveLength(
    4 * MAX_LEVELS,
  );
  expectStatus(await org.admin.get(`/api/members?unit=${deep[0]}`), 200);
  expectReached(await createUnit(org.admin, deep.at(-1) ?? ""), "100");
  expectReached(await move(org.admin, deep[20], beside[20]), "100");
  expectStatus(await move(org.admin, deep[20], beside[19]), 200);
  expectStatus(await move(org.admin, deep[20], beside[2]), 200);
  expectStatus(await move(org.admin, deep[20], null), 200);
});

type Large = { scattered: Caller; top: string };

/** Creates an organization with a tenth as many roles as units, and a member who administers every tenth unit. */
async function largeOrganization(chains: number, levels: number): Promise<Large> {
  const org = await createOrganization(t);
  const ids = await seedChains(org, chains, levels);
  await seedRoles(org, (chains * levels) / 10);
  const scattered = await org.member();
  await t.sql(
    `INSERT INTO membership_assignments (membership_id, role_id, unit_id)
     SELECT m.id, r.id, u.id FROM users p JOIN memberships m ON m.user_id = p.id, roles r, units u
     WHERE p.email = $1 AND m.organization_id = $2 AND r.organization_id IS NULL AND r.name = 'UNIT_ADMIN'
       AND u.organization_id = $2 AND abs(hashtext(u.name)) % 10 = 0`,
    [scattered.email, org.id],
  );
  await t.sql("ANALYZE");
  await scattered.refresh();
  return { scattered, top: ids[0]?.[0] ?? "" };
}

async function timeOf(call: () => Promise<ApiResponse>): Promise<number> {
  const since = performance.now();
  expectStatus(await call(), 200);
  return performance.now() - since;
}

/**
 * Returns how many times longer `one` takes than `other`. Compares the fastest of alternating runs, which depend
 * least on other load, and repeats while the ratio exceeds `max`.
 */
async function timesAsLong(
  one: () => Promise<ApiResponse>,
  other: () => Promise<ApiResponse>,
  { max }: { max: number },
): Promise<number> {
  const best = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] as [number, number];
  for (let round = 1; round <= 12; round += 1) {
    best[0] = Math.min(best[0], await timeOf(one));
    best[1] = Math.min(best[1], await timeOf(other));
    if (round >= 3 && best[0] / best[1] <= max) break;
  }
  return best[0] / best[1];
}

const LISTS: ((large: Large) => string)[] = [
  () => "/api/units?search=unit",
  ({ top }) => `/api/members?unit=${top}`,
  () => "/api/members/unit-options",
  () => "/api/members/role-options",
  () => "/api/roles",
];
/** Linear growth would be 10, quadratic growth 100. */
const MAX_TIMES = 50;

test("the time of lists grows linearly with units and roles, in wide, deep and too deep trees", async () => {
  const small = await largeOrganization(10, 100);
  const wide = await largeOrganization(MAX_UNITS, 1);
  const deep = await largeOrganization(100, MAX_LEVELS);
  const deeper = await largeOrganization(1, MAX_UNITS / 2);
  for (const list of LISTS) {
    const read = (large: Large) => () => large.scattered.get(list(large));
    for (const [shape, large] of Object.entries({ wide, deep, deeper })) {
      const times = await timesAsLong(read(large), read(small), { max: MAX_TIMES });
      if (times > MAX_TIMES)
        throw new Error(`${list(large)} takes ${times.toFixed()} times as long: ${shape}`);
    }
  }
});
