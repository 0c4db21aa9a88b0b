import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { holdOrganizationLock } from "../../support/locks.ts";
import { createOrganization } from "../../support/organizations.ts";
import { actingIn, outcome } from "../../support/outcomes.ts";
import { planFiles, setPlanOverride } from "../../support/plans.ts";
import { FEWER_ROUNDS, race } from "../../support/race.ts";
import { expectStatus, startService } from "../../support/service.ts";

/* Each test must fail if src/core/plans/limits.ts took no lock, or did not read the plan again after taking it. */
const planFile = planFiles();
const MAX = 5;
const t = await startService({
  BILLING_PLANS_FILE: planFile({
    plans: [
      { key: "free", limits: { units: MAX, todos: MAX }, features: [], paid: false },
      { key: "more", limits: { units: MAX + 3, todos: MAX + 3 }, features: [], paid: false },
      { key: "open", limits: {}, features: [], paid: false },
      { key: "less", limits: { units: 1, todos: 1 }, features: [], paid: false },
    ],
    defaultPlan: "free",
    trial: null,
  }),
});
const other = await t.beside();
const url = (index: number) => (index % 2 === 0 ? t.url : other.url);

const KINDS = {
  units: { path: "/api/units", body: { name: "Unit", parentId: null } as Record<string, unknown> },
  todos: { path: "/api/todos", body: { title: "Todo" } as Record<string, unknown> },
};
type Kind = (typeof KINDS)["units"];
const add = (caller: Caller, { path, body }: Kind, options = {}) => caller.post(path, body, options);
const total = async (caller: Caller, { path }: Kind): Promise<number> =>
  expectStatus(await caller.get(path), 200).body.total;

/** Creates an organization with this many units or todos. */
async function filled(kind: Kind, count: number) {
  const org = await createOrganization(t);
  for (let added = 0; added < count; added += 1) expectStatus(await add(org.admin, kind), 201);
  return org;
}

for (const [limit, kind] of Object.entries(KINDS)) {
  test(`${limit}: if one more fits into the plan, exactly one of 50 concurrent additions over several instances succeeds`, async () => {
    const org = await filled(kind, MAX);
    for (let round = 0; round < FEWER_ROUNDS; round += 1) {
      const [first] = (await org.admin.get(kind.path)).body.data;
      expectStatus(await org.admin.delete(`${kind.path}/${first.id}`), 204);
      const responses = await race(50, (index) => add(org.admin.at(url(index)), kind));

      expect(responses.map(outcome).toSorted()).toEqual(["201", ...Array(49).fill("403 PLAN_LIMIT_REACHED")]);
      const refused = responses.filter(({ status }) => status === 403);
      for (const { body } of refused) expect(body.details).toEqual({ limit, max: MAX, used: MAX });
      expect(await total(org.admin, kind)).toBe(MAX);
    }
  });

  test(`${limit}: concurrent additions and deletions never exceed the limit`, async () => {
    const org = await filled(kind, MAX);
    for (let round = 0; round < FEWER_ROUNDS; round += 1) {
      const rows: { id: string }[] = (await org.admin.get(kind.path)).body.data;
      const responses = await race(20, (index) => {
        const caller = org.admin.at(url(index));
        const row = rows[index];
        return index < 2 && row ? caller.delete(`${kind.path}/${row.id}`) : add(caller, kind);
      });
      const added = responses.filter(({ status }) => status === 201).length;
      expect(await total(org.admin, kind)).toBe(rows.length - 2 + added);
      expect(rows.length - 2 + added).toBeLessThanOrEqual(MAX);
      while ((await total(org.admin, kind)) < MAX) expectStatus(await add(org.admin, kind), 201);
    }
  });

  test(`${limit}: an addition succeeds if the plan is upgraded while it waits for the lock`, async () => {
    const [org, admin] = [await filled(kind, MAX), await t.platformAdmin()];
    for (const plan of ["more", "open"]) {
      while ((await total(org.admin, kind)) < (plan === "more" ? MAX : MAX + 3)) await add(org.admin, kind);
      const lock = await holdOrganizationLock(t, org.id);
      const better = setPlanOverride(admin, org, plan);
      await lock.waiting(1);
      const added = add(org.admin.at(url(1)), kind);
      await lock.waiting(2);
      await lock.release();
      await better;
      expect(outcome(await added)).toBe("201");
    }
  });

  test(`${limit}: an addition is refused if the plan is downgraded while it waits for the lock`, async () => {
    const [org, admin] = [await filled(kind, MAX - 1), await t.platformAdmin()];
    const lock = await holdOrganizationLock(t, org.id);
    const worse = setPlanOverride(admin, org, "less");
    await lock.waiting(1);
    const added = add(org.admin.at(url(2)), kind);
    await lock.waiting(2);
    await lock.release();
    await worse;
    expect((await added).body.details).toEqual({ limit, max: 1, used: MAX - 1 });
  });

  test(`${limit}: if the limit is raised during 50 concurrent additions, at most as many succeed as the new limit allows`, async () => {
    const admin = await t.platformAdmin();
    for (let round = 0; round < FEWER_ROUNDS; round += 1) {
      const org = await filled(kind, MAX);
      const [responses] = await Promise.all([
        race(50, (index) => add(org.admin.at(url(index)), kind)),
        setPlanOverride(admin.at(url(round)), org, "more"),
      ]);
      const added = responses.filter(({ status }) => status === 201).length;
      expect(added).toBeLessThanOrEqual(3);
      expect(await total(org.admin, kind)).toBe(MAX + added);
      const maxima = responses.flatMap(({ body }) => (body.details ? [body.details.max] : []));
      expect(maxima.filter((max) => max !== MAX && max !== MAX + 3)).toEqual([]);
      if (maxima.includes(MAX + 3)) expect(added).toBe(3);
    }
  });
}

test("todos: additions of members and of platform administrators count towards the same limit", async () => {
  const kind = KINDS.todos;
  const admin = await t.platformAdmin();
  const org = await filled(kind, MAX - 1);
  const responses = await race(20, (index) =>
    index % 2 === 0 ? add(org.admin.at(url(index)), kind) : add(admin.at(url(index)), kind, actingIn(org)),
  );
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
});
