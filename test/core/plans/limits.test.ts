import { expect, test } from "bun:test";
import type { ApiResponse, Caller } from "../../support/caller.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { actingIn, eventsIn, idOf, outcome } from "../../support/outcomes.ts";
import { planFiles, setPlanOverride, storeSubscription } from "../../support/plans.ts";
import { expectStatus, sharedService, startService } from "../../support/service.ts";

const planFile = planFiles();
const t = await startService({
  BILLING_PLANS_FILE: planFile({
    plans: [
      { key: "free", limits: { members: 1, units: 2, todos: 3 }, features: [], paid: false },
      { key: "tiny", limits: { units: 1, todos: 1 }, features: [], paid: false },
      { key: "closed", limits: { units: 0, todos: 0 }, features: [], paid: false },
      { key: "open", limits: { units: null }, features: [], paid: false },
    ],
    defaultPlan: "free",
    trial: null,
  }),
});

/** The limited resources: how to add one, and its limit in the plan. */
const KINDS = [
  {
    limit: "units",
    max: 2,
    path: "/api/units",
    body: { name: "Unit", parentId: null } as Record<string, unknown>,
    limitsPlatformAdmins: false,
  },
  {
    limit: "todos",
    max: 3,
    path: "/api/todos",
    body: { title: "Todo" } as Record<string, unknown>,
    limitsPlatformAdmins: true,
  },
];
type Kind = (typeof KINDS)[number];

const add = (caller: Caller, { path, body }: Kind, options = {}) => caller.post(path, body, options);
const list = async (caller: Caller, { path }: Kind): Promise<{ id: string }[]> =>
  expectStatus(await caller.get(path), 200).body.data;
const used = async ({ admin }: Organization, { limit }: Kind): Promise<number> => {
  const { limits } = expectStatus(await admin.get("/api/organization/billing"), 200).body;
  return limits.find(({ name }: { name: string }) => name === limit).used;
};
/** Creates an organization and adds rows until its plan's limit is reached. */
async function full(kind: Kind): Promise<Organization> {
  const org = await createOrganization(t);
  for (let count = 0; count < kind.max; count += 1) expectStatus(await add(org.admin, kind), 201);
  return org;
}
function expectRefused(response: ApiResponse, details: { limit: string; max: number; used: number }) {
  expect(outcome(response)).toBe("403 PLAN_LIMIT_REACHED");
  expect(response.body.details).toEqual(details);
}

for (const kind of KINDS) {
  const { limit, max } = kind;

  test(`${limit} can be added up to the plan's limit; further ones are refused with limit and usage`, async () => {
    const org = await full(kind);
    const events = await eventsIn(t, org, "");
    expectRefused(await add(org.admin, kind), { limit, max, used: max });
    expect(await used(org, kind)).toBe(max);
    expect(await eventsIn(t, org, "")).toEqual(events);
  });

  test(`${limit}: after a deletion one more can be added`, async () => {
    const org = await full(kind);
    const [first] = await list(org.admin, kind);
    expectStatus(await org.admin.delete(`${kind.path}/${first?.id}`), 204);
    expectStatus(await add(org.admin, kind), 201);
    expectRefused(await add(org.admin, kind), { limit, max, used: max });
  });

  test(`${limit} of one organization do not count towards another one's limit`, async () => {
    await full(kind);
    const other = await createOrganization(t);
    expectStatus(await add(other.admin, kind), 201);
    expect(await used(other, kind)).toBe(1);
  });

  test(`${limit}: a downgrade removes nothing, and additions are refused until usage is below the new limit`, async () => {
    const [org, admin] = [await full(kind), await t.platformAdmin()];
    const before = await list(org.admin, kind);
    await setPlanOverride(admin, org, "tiny");
    expect(await list(org.admin, kind)).toEqual(before);
    expectRefused(await add(org.admin, kind), { limit, max: 1, used: max });
    const [first, ...others] = before;
    for (const { id } of others) {
      expectStatus(await org.admin.delete(`${kind.path}/${id}`), 204);
      expect(outcome(await add(org.admin, kind))).toBe("403 PLAN_LIMIT_REACHED");
    }
    const change = limit === "units" ? { name: "Renamed" } : { title: "Renamed", completed: true };
    expectStatus(await org.admin.patch(`${kind.path}/${first?.id}`, change), 200);
    expectStatus(await org.admin.delete(`${kind.path}/${first?.id}`), 204);
    expectStatus(await add(org.admin, kind), 201);
  });

  test(`${limit}: a plan's limit of 0 allows none; a null or missing limit is unlimited`, async () => {
    const [org, admin] = [await createOrganization(t), await t.platformAdmin()];
    await setPlanOverride(admin, org, "closed");
    expectRefused(await add(org.admin, kind), { limit, max: 0, used: 0 });
    await setPlanOverride(admin, org, "open");
    for (let count = 0; count <= max; count += 1) expectStatus(await add(org.admin, kind), 201);
    await setPlanOverride(admin, org, null);
    expectRefused(await add(org.admin, kind), { limit, max, used: max + 1 });
  });

  test(`${limit}: an upgrade applies from the next request on`, async () => {
    const [org, admin] = [await full(kind), await t.platformAdmin()];
    expectRefused(await add(org.admin, kind), { limit, max, used: max });
    await setPlanOverride(admin, org, "open");
    expectStatus(await add(org.admin, kind), 201);
  });

  test(`${limit}: authentication, permission and validation are checked before the plan's limit`, async () => {
    const org = await full(kind);
    const nobody = await org.role("Nobody", "Organization.Read");
    expect(outcome(await org.admin.post(kind.path, {}))).toBe("400 VALIDATION_FAILED");
    expect(outcome(await add(await org.member({ role: nobody }), kind))).toBe("403 FORBIDDEN");
    expect(outcome(await add(t.anonymous(), kind))).toBe("401 UNAUTHENTICATED");
  });

  test(`${limit}: a platform administrator is ${kind.limitsPlatformAdmins ? "limited like anybody else" : "not limited, but what they add counts"}`, async () => {
    const [org, admin] = [await full(kind), await t.platformAdmin()];
    const response = await add(admin, kind, actingIn(org));
    if (kind.limitsPlatformAdmins) expectRefused(response, { limit, max, used: max });
    else {
      expectStatus(response, 201);
      expectRefused(await add(org.admin, kind), { limit, max, used: max + 1 });
    }
  });
}

test("units: a parent outside the caller's reach is 403 before the plan's limit is checked", async () => {
  const org = await createOrganization(t);
  const [one, two] = [await org.unit("One"), await org.unit("Two")];
  const member = await org.member({ role: "UNIT_ADMIN", unit: one });
  const below = (parentId: string | null) => member.post("/api/units", { name: "Below", parentId });
  expect(outcome(await below(two))).toBe("403 UNIT_FORBIDDEN");
  expect(outcome(await below(null))).toBe("403 UNIT_FORBIDDEN");
  expect(outcome(await below(crypto.randomUUID()))).toBe("400 VALIDATION_FAILED");
  expectRefused(await below(one), { limit: "units", max: 2, used: 2 });
});

test("units at every depth count towards the plan's limit, and moving a unit is not limited", async () => {
  const org = await createOrganization(t);
  const one = await org.unit("One");
  const below = await org.unit("Below", one);
  expectRefused(await org.admin.post("/api/units", { name: "Below", parentId: below }), {
    limit: "units",
    max: 2,
    used: 2,
  });
  expectStatus(await org.admin.patch(`/api/units/${below}`, { parentId: null }), 200);
});

test("todos of all members count towards the plan's limit, including former members' and completed ones", async () => {
  const org = await createOrganization(t);
  const [one, two] = [await org.member(), await org.member()];
  const made = expectStatus(await one.post("/api/todos", { title: "One" }), 201).body;
  expectStatus(await one.patch(`/api/todos/${made.id}`, { completed: true }), 200);
  expectStatus(await two.post("/api/todos", { title: "Two" }), 201);
  expectStatus(await org.admin.post("/api/todos", { title: "Three" }), 201);
  expectStatus(await org.admin.delete(`/api/members/${idOf(one)}`), 204);
  expectRefused(await two.post("/api/todos", { title: "Four" }), { limit: "todos", max: 3, used: 3 });
});

test("a platform administrator's todos count only towards the organization they belong to", async () => {
  const admin = await t.platformAdmin();
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const make = (caller: Caller, options = {}) => caller.post("/api/todos", { title: "Todo" }, options);
  for (let count = 0; count < 3; count += 1) expectStatus(await make(admin, actingIn(org)), 201);
  expectRefused(await make(org.admin), { limit: "todos", max: 3, used: 3 });
  expectStatus(await make(admin, actingIn(other)), 201);
});

test("a subscription raises a plan's limit, and the limit returns when the subscription ends", async () => {
  const paid = await startService({
    BILLING_PLANS_FILE: planFile({
      plans: [
        { key: "free", limits: { todos: 1 }, features: [], paid: false },
        { key: "pro", limits: { todos: 2 }, features: [], paid: true },
      ],
      defaultPlan: "free",
      trial: null,
    }),
    PAYMENT_SECRET_KEY: "sk",
    PAYMENT_WEBHOOK_SECRET: "wh",
    PAYMENT_PRICES: "pro:month:price_pro",
  });
  const org = await createOrganization(paid);
  const make = async () => outcome(await org.admin.post("/api/todos", { title: "Todo" }));
  expect([await make(), await make()]).toEqual(["201", "403 PLAN_LIMIT_REACHED"]);
  await storeSubscription(paid, org, { status: "past_due", price_id: "price_pro" });
  expect([await make(), await make()]).toEqual(["201", "403 PLAN_LIMIT_REACHED"]);
  await storeSubscription(paid, org, { status: "canceled" });
  expectRefused(await org.admin.post("/api/todos", { title: "Todo" }), { limit: "todos", max: 1, used: 2 });
});

test("without billing no plan limits apply", async () => {
  const off = await sharedService();
  const org = await createOrganization(off);
  for (const kind of KINDS) {
    for (let count = 0; count <= kind.max; count += 1) expectStatus(await add(org.admin, kind), 201);
  }
});
