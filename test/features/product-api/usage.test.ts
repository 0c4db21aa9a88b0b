import { expect, test } from "bun:test";
import { SQL } from "bun";
import { until } from "../../support/cluster.ts";
import { holdOrganizationLock } from "../../support/locks.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { planFiles } from "../../support/plans.ts";
import { statementsOf } from "../../support/pool-statements.ts";
import { PRODUCT_KEY, ProductCaller, startProduct } from "../../support/product.ts";
import { race } from "../../support/race.ts";
import { expectStatus } from "../../support/service.ts";

const planFile = planFiles();
const plan = (key: string, inspections: number | null, features: string[]) => ({
  ...{ key, paid: false, features },
  limits: { inspections },
});
const { t, product } = await startProduct({
  BILLING_PLANS_FILE: planFile({
    plans: [plan("free", 10, []), plan("large", 100, ["inspectionReports"]), plan("open", null, [])],
    defaultPlan: "free",
    trial: null,
  }),
});

const count = (org: Organization, usage: object[]) =>
  product.changes({
    organizationId: org.id,
    actor: null,
    usage: usage.map((one) => ({ limit: "inspections", ...one })),
  });
const used = async (org: Organization) =>
  expectStatus(await product.get(`/api/product/organizations/${org.id}/usage`), 200).body[0];
const setPlan = async (org: Organization, planOverride: string) =>
  expectStatus(
    await (await t.platformAdmin()).patch(`/api/organizations/${org.id}/plan`, { planOverride }),
    200,
  );

test("a name counts once however often it is reported; 0 deletes it; the answer says the limit", async () => {
  const org = await createOrganization(t);
  for (const amount of [2, 2, 3])
    expect(expectStatus(await count(org, [{ id: "a", amount }]), 200).body.usage).toEqual([
      { limit: "inspections", used: amount, max: 10 },
    ]);
  await count(org, [{ id: "b", amount: 7 }]);
  const refused = expectStatus(await count(org, [{ id: "c", amount: 1 }]), 403).body;
  expect([refused.code, refused.details]).toEqual([
    "PLAN_LIMIT_REACHED",
    { limit: "inspections", max: 10, used: 10 },
  ]);
  expect(refused.message).toBe("The plan allows 10: Inspections a month");
  expectStatus(
    await count(org, [
      { id: "a", amount: 0 },
      { id: "c", amount: 3 },
    ]),
    200,
  );
  expect(await used(org)).toMatchObject({ limit: "inspections", used: 10, max: 10 });
  const billing = expectStatus(await product.in(org.id, "/api/organization/billing"), 200).body;
  const [own] = billing.limits.filter(({ name }: { name: string }) => name === "inspections");
  expect(own).toMatchObject({ label: "Inspections a month", limit: 10, used: 10 });
  expect(Date.parse(own.resetsAt)).toBeGreaterThan(Date.now());
  expect(new Date(own.resetsAt).getUTCDate()).toBe(1);
});

test("what was first recorded in an earlier month does not count for this one, and stays what it is", async () => {
  const org = await createOrganization(t);
  expectStatus(await count(org, [{ id: "old", amount: 9 }]), 200);
  await t.sql("UPDATE product_usage SET month = month - interval '1 month' WHERE organization_id = $1", [
    org.id,
  ]);
  expect((await used(org)).used).toBe(0);
  expectStatus(
    await count(org, [
      { id: "old", amount: 40 },
      { id: "new", amount: 10 },
    ]),
    200,
  );
  expect((await used(org)).used).toBe(10);
  expectStatus(await count(org, [{ id: "newer", amount: 1 }]), 403);
});

test("a lowered plan deletes nothing and refuses only what raises; `enforce: false` is not judged", async () => {
  const org = await createOrganization(t);
  await setPlan(org, "large");
  expectStatus(await count(org, [{ id: "a", amount: 60 }]), 200);
  await setPlan(org, "free");
  expect(await used(org)).toMatchObject({ used: 60, max: 10 });
  expectStatus(await count(org, [{ id: "a", amount: 61 }]), 403);
  expectStatus(await count(org, [{ id: "a", amount: 50 }]), 200);
  expectStatus(await count(org, [{ id: "import", amount: 500, enforce: false }]), 200);
  expect((await used(org)).used).toBe(550);
  expectStatus(
    await count(org, [
      { id: "import", amount: 501, enforce: false },
      { id: "b", amount: 1 },
    ]),
    403,
  );
  // What raises and lowers by the same amount raises no sum, even if only the raise is judged.
  expectStatus(
    await count(org, [
      { id: "import", amount: 499, enforce: false },
      { id: "b", amount: 1 },
    ]),
    200,
  );
  await setPlan(org, "open");
  expectStatus(await count(org, [{ id: "b", amount: 1_000_000_000 }]), 200);
});

test("the plan under the lock decides, also if it was lowered after the call had begun", async () => {
  const org = await createOrganization(t);
  await setPlan(org, "open");
  const lock = await holdOrganizationLock(t, org.id);
  const call = count(org, [{ id: "a", amount: 11 }]);
  try {
    await lock.waiting(1);
    await t.sql("UPDATE organization_subscriptions SET plan_override = 'free' WHERE organization_id = $1", [
      org.id,
    ]);
  } finally {
    await lock.release();
  }
  expect(expectStatus(await call, 403).body.details).toEqual({ limit: "inspections", max: 10, used: 0 });
  expect((await used(org)).used).toBe(0);
});

test("a member and `check` read the product's features of the plan", async () => {
  const org = await createOrganization(t);
  const features = async () =>
    expectStatus(await product.post("/api/product/check", { token: org.admin.accessToken }), 200).body
      .organization;
  const seen = async () => expectStatus(await org.admin.get("/api/auth/organizations"), 200).body[0].features;
  expect(await features()).toMatchObject({ plan: "free", features: [] });
  expect(await seen()).toEqual([]);
  await setPlan(org, "large");
  expect(await features()).toMatchObject({ plan: "large", features: ["inspectionReports"] });
  expect(await seen()).toEqual(["inspectionReports"]);
});

test("of fifty calls at two processes for the last ten, ten succeed, and the others are refused by the limit", async () => {
  const org = await createOrganization(t);
  const [other] = await t.cluster(1, {
    PRODUCT_FILE: process.env.PRODUCT_FILE,
    PRODUCT_KEY,
    INSTANCE_ROLE: "api",
  });
  const callers = [product, new ProductCaller(other?.url ?? "")];
  const results = await race(50, (nth) =>
    (callers[nth % 2] as ProductCaller).changes({
      organizationId: org.id,
      actor: null,
      usage: [{ limit: "inspections", id: `${nth}`, amount: 1 }],
      audit: [{ action: "INSPECTION_DELETED", targetId: org.id, metadata: { title: `${nth}` } }],
    }),
  );
  const statuses = results.map(({ status, body }) => (status === 200 ? "200" : `${status} ${body.code}`));
  expect(Map.groupBy(statuses, (status) => status).get("200")).toHaveLength(10);
  expect(new Set(statuses)).toEqual(new Set(["200", "403 PLAN_LIMIT_REACHED"]));
  expect((await used(org)).used).toBe(10);
  const written = await t.sql("SELECT id FROM audit_events WHERE organization_id = $1 AND is_product", [
    org.id,
  ]);
  expect(written).toHaveLength(10);
});

test("two calls at once that set and delete the same rows in opposite order do not wait for each other", async () => {
  const org = await createOrganization(t);
  const write = (amounts: Record<string, number>) =>
    count(
      org,
      Object.entries(amounts).map(([id, amount]) => ({ id, amount, enforce: false })),
    );
  expectStatus(await write({ a: 1, m: 1, z: 1 }), 200);
  const holder = new SQL({ url: t.databaseUrl, max: 1 });
  const [deadlocks, waiting] = [
    async () => t.sql("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"),
    async () =>
      t.sql("SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"),
  ];
  const before = await deadlocks();
  let calls: ReturnType<typeof write>[] = [];
  await holder.begin(async (tx) => {
    await tx`SELECT FROM product_usage WHERE organization_id = ${org.id} AND id = 'm' FOR UPDATE`;
    calls = [write({ a: 2, m: 0, z: 0 })];
    await until(async () => ((await waiting()).length >= 1 ? true : null));
    calls.push(write({ z: 2, a: 0 }));
    await until(async () => ((await waiting()).length >= 2 ? true : null));
  });
  await holder.close();
  const results = await Promise.all(calls);
  expect(results.map(({ status }) => status)).toEqual([200, 200]);
  expect(await deadlocks()).toEqual(before);
});

test("of two calls with the same key at once one works, and every repetition after it is a replay", async () => {
  const org = await createOrganization(t);
  const body = { organizationId: org.id, actor: null, usage: [{ limit: "inspections", id: "x", amount: 1 }] };
  const headers = { "idempotency-key": crypto.randomUUID() };
  const statuses = (await race(6, () => product.changes(body, { headers }))).map(({ status }) => status);
  expect(new Set(statuses).isSubsetOf(new Set([200, 409]))).toBe(true);
  const replay = expectStatus(await product.changes(body, { headers }), 200);
  expect(replay.headers.get("idempotent-replayed")).toBe("true");
  expect((await used(org)).used).toBe(1);
});

test("an instance that is killed during calls loses none: repeated with their keys, each counts once", async () => {
  const org = await createOrganization(t);
  await setPlan(org, "open");
  const environment = { PRODUCT_FILE: process.env.PRODUCT_FILE, PRODUCT_KEY, INSTANCE_ROLE: "api" };
  const [doomed] = await t.cluster(1, environment);
  const keys = Array.from({ length: 60 }, () => crypto.randomUUID());
  const send = (to: ProductCaller, key: string, nth: number) =>
    to.changes(
      {
        organizationId: org.id,
        actor: null,
        usage: [{ limit: "inspections", id: `${nth}`, amount: 1 }],
        events: [{ type: "inspection.completed", objectId: key, object: {} }],
      },
      { headers: { "idempotency-key": key } },
    );
  const first = new ProductCaller(doomed?.url ?? "");
  let done = 0;
  const sent = keys.map((key, nth) =>
    send(first, key, nth).then(
      () => {
        done += 1;
        if (done === 15) void doomed?.kill();
      },
      () => {},
    ),
  );
  await Promise.all(sent);
  for (const [nth, key] of keys.entries()) {
    const respond = async () => (await send(product, key, nth)).status;
    while ((await respond()) !== 200) await Bun.sleep(50);
  }
  expect((await used(org)).used).toBe(60);
  const events = await t.sql(
    "SELECT object_id FROM event_outbox WHERE organization_id = $1 AND is_product UNION ALL SELECT object_id FROM events WHERE organization_id = $1 AND is_product",
    [org.id],
  );
  expect(events).toHaveLength(60);
});

test("the usage of an organization, whose cost depends on its rows, is not read on the pool that all organizations share", async () => {
  const org = await createOrganization(t);
  expectStatus(await count(org, [{ id: "a", amount: 2 }]), 200);
  const statements = await statementsOf(t, async () => expect((await used(org)).used).toBe(2));
  const sums = statements.filter(({ text }) => text.includes("FROM product_usage"));
  expect(sums.map(({ pool }) => pool)).toEqual(["lists"]);
});
