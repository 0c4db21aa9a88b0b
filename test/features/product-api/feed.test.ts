import { expect, test } from "bun:test";
import { Caller } from "../../support/caller.ts";
import { invite } from "../../support/invitations.ts";
import { assignments, createOrganization, userIdOf } from "../../support/organizations.ts";
import { idOf } from "../../support/outcomes.ts";
import { relay } from "../../support/outgoing-events.ts";
import { deliver, ServiceWithPayments, startProvider } from "../../support/payments.ts";
import { PAYMENT, PLANS, planFiles, setPlanOverride } from "../../support/plans.ts";
import { startProduct } from "../../support/product.ts";
import { type Entry, entriesOf, FEED, feedPage, follow, startBeside } from "../../support/product-feed.ts";
import { race } from "../../support/race.ts";
import { expectStatus, uniqueEmail } from "../../support/service.ts";

const { payments, proxy } = startProvider(() => `${t.url}/api/billing/webhook`);
const { t, product } = await startProduct({
  ...{ ...PAYMENT, PAYMENT_API_URL: proxy.url, BILLING_PLANS_FILE: planFiles()(PLANS) },
});
const selling = new ServiceWithPayments(t, payments, proxy);
const caused = (work: () => Promise<unknown>) => entriesOf(t, product, work);
const summary = (entries: Entry[]) =>
  entries.map(({ type, organizationId, previous }) => [type, organizationId, previous]);

test("an organization is in the feed from its creation to its deletion, in the form of its own route", async () => {
  const founder = await t.person();
  let id = "";
  const created = await caused(async () => {
    id = expectStatus(await founder.post("/api/auth/organizations", { name: "Acme" }), 201).body.id;
    expectStatus(await founder.post("/api/auth/organization", { organizationId: id }), 200);
  });
  const shown = expectStatus(await founder.get("/api/organization"), 200).body;
  expect(created).toEqual([
    {
      ...{ id: expect.any(String), timestamp: expect.any(String) },
      ...{ type: "organization.created", organizationId: id, object: shown },
    },
    expect.objectContaining({ type: "member.created", organizationId: id }),
  ]);
  expect(created[1]?.object).toMatchObject({ userId: await userIdOf(t, founder), email: founder.email });

  const admin = await t.platformAdmin();
  const path = `/api/organizations/${id}`;
  const changed = await caused(async () => {
    expectStatus(await founder.patch("/api/organization", { name: "Apex" }), 200);
    expectStatus(await admin.patch(`${path}/status`, { status: "SUSPENDED" }), 200);
    await setPlanOverride(admin, { id }, "enterprise");
  });
  expect(summary(changed)).toEqual([
    ["organization.updated", id, { name: "Acme" }],
    ["organization.status_changed", id, { status: "ACTIVE" }],
    ["organization.plan_changed", id, expect.anything()],
  ]);
  const deleted = await caused(async () => expectStatus(await admin.delete(path), 204));
  expect(deleted).toMatchObject([
    {
      type: "organization.deleted",
      organizationId: id,
      object: { ...shown, name: "Apex", status: "SUSPENDED" },
    },
  ]);
});

test("an organization that a platform administrator or a registration creates is in the feed", async () => {
  const admin = await t.platformAdmin();
  const byPlatform = await caused(() =>
    admin.post("/api/organizations", { name: "Given", ownerEmail: uniqueEmail() }),
  );
  expect(byPlatform).toMatchObject([{ type: "organization.created", object: { name: "Given" } }]);
  const registered = await caused(async () => {
    const [email, password] = [uniqueEmail(), "wide blue yonder"];
    const body = { email, password, firstName: "Ada", lastName: "Lovelace", organizationName: "Own" };
    expectStatus(await t.anonymous().post("/api/auth/register", body), 202);
    const { token } = await t.linkTo(email, "/verify-email");
    expectStatus(await t.anonymous().post("/api/auth/verify-email", { token }), 204);
  });
  expect(registered).toMatchObject([
    { type: "organization.created", object: { name: "Own" } },
    { type: "member.created" },
  ]);
});

test("a subscription that changes the plan is in the feed as a change of the plan", async () => {
  const { org, customer } = await selling.withCustomer();
  const entries = await caused(() => selling.subscribe(customer, "price_pro_month"));
  expect(entries).toMatchObject([
    {
      type: "organization.plan_changed",
      organizationId: org.id,
      object: { key: "pro", source: "subscription" },
    },
  ]);
  const again = payments.subscriptions.find((one) => one.customer === customer);
  expect(
    await caused(() =>
      deliver(t.anonymous(), payments.event("customer.subscription.updated", again as never)),
    ),
  ).toEqual([]);
});

test("units and members are in the feed, and nothing else of an organization", async () => {
  const org = await createOrganization(t);
  let [unit, person] = ["", new Caller(t.url)];
  const entries = await caused(async () => {
    unit = expectStatus(await org.admin.post("/api/units", { name: "Sales", parentId: null }), 201).body.id;
    expectStatus(await org.admin.post("/api/todos", { title: "Not in the feed" }), 201);
    expectStatus(await invite(org.admin, { email: uniqueEmail() }), 201);
    expectStatus(await org.admin.patch(`/api/units/${unit}`, { name: "Trade" }), 200);
    person = await org.member({ role: "MEMBER" });
    const path = `/api/members/${idOf(person)}`;
    expectStatus(await org.admin.patch(`${path}/roles`, assignments({ role: "UNIT_ADMIN", unit })), 200);
    expectStatus(await org.admin.delete(path), 204);
    expectStatus(await org.admin.delete(`/api/units/${unit}`), 204);
  });
  expect(entries.map(({ type }) => type)).toEqual([
    ...["unit.created", "unit.updated", "member.updated", "member.deleted", "unit.deleted"],
  ]);
  expect(entries.map(({ organizationId }) => organizationId)).toEqual(entries.map(() => org.id));
  expect(entries).toMatchObject([
    { object: { id: unit, name: "Sales", parentId: null } },
    { previous: { name: "Sales" } },
    { object: { userId: idOf(person) } },
    { reason: "removed", object: { email: person.email } },
    { object: { id: unit, name: "Trade", parentId: null } },
  ]);
});

test("a person's name, language and email are in the feed, once an account, whatever their organizations", async () => {
  const person = await t.person();
  const id = idOf(person);
  const changed = async (body: object) => expectStatus(await person.patch("/api/profile", body), 200);
  const entries = await caused(async () => {
    await changed({ firstName: "Grace" });
    await changed({ firstName: "Grace" });
    await changed({ language: "el", lastName: "Hopper" });
    await changed({});
  });
  const user = { id, email: person.email, firstName: "Grace", lastName: "Lovelace", language: "en" };
  const entry = { type: "user.updated", organizationId: null };
  expect(entries).toMatchObject([
    { ...entry, object: user, previous: { firstName: "Ada" } },
    {
      ...entry,
      object: { ...user, lastName: "Hopper", language: "el" },
      previous: { lastName: "Lovelace", language: "en" },
    },
  ]);
  expect(Object.keys(entries[0]?.object ?? {}).sort()).toEqual(Object.keys(user).sort());

  const [old, email] = [person.email, uniqueEmail()];
  const link = async (to: string, path: string) => (await t.linkTo(to, path)).token;
  const confirm = (by: Caller, token: string) => by.post("/api/auth/confirm-email-change", { token });
  const moved = await caused(async () => {
    expectStatus(await person.post("/api/profile/email", { email }), 202);
    expectStatus(await confirm(t.anonymous(), await link(old, "/confirm-email-change")), 200);
    expectStatus(await confirm(person, await link(email, "/confirm-email-change")), 200);
    const token = await link(old, "/undo-email-change");
    expectStatus(await t.anonymous().post("/api/auth/undo-email-change", { token }), 204);
  });
  expect(moved).toMatchObject([
    { ...entry, object: { email }, previous: { email: old } },
    { ...entry, object: { email: old }, previous: { email } },
  ]);
});

test("the changes of an organization never come after its deletion, whatever happens at once", async () => {
  const admin = await t.platformAdmin();
  const organizations = await race(6, () => createOrganization(t));
  const entries = await caused(() =>
    race(organizations.length, async (index) => {
      const { id, admin: founder } = organizations[index] as (typeof organizations)[number];
      const create = () => founder.post("/api/units", { name: crypto.randomUUID(), parentId: null });
      await Promise.all([
        race(5, create),
        Bun.sleep(index * 10).then(() => admin.delete(`/api/organizations/${id}`)),
      ]);
    }),
  );
  for (const { id } of organizations) {
    const types = entries.filter(({ organizationId }) => organizationId === id).map(({ type }) => type);
    expect(types.indexOf("organization.deleted")).toBe(types.length - 1);
  }
});

test("a report of the product is 200 and before the deletion of its organization, or 404", async () => {
  const admin = await t.platformAdmin();
  await relay(t);
  const { id } = await createOrganization(t);
  const events = [{ type: "inspection.completed", objectId: crypto.randomUUID(), object: { id: 1 } }];
  const report = () => product.changes({ organizationId: id, actor: null, events });
  const statuses: number[] = [];
  const begun = Promise.withResolvers<void>();
  const reported = race(4, async () => {
    do {
      statuses.push((await report()).status);
      begun.resolve();
    } while (statuses.at(-1) === 200 && statuses.length < 500);
  });
  await begun.promise;
  expectStatus(await admin.delete(`/api/organizations/${id}`), 204);
  await reported;
  expect(new Set(statuses)).toEqual(new Set([200, 404]));
  // The order in which the relay numbers them.
  const written = await t.sql<{ type: string }>(
    "SELECT type FROM event_outbox WHERE organization_id = $1 AND type IN ('inspection.completed', 'organization.deleted') ORDER BY position",
    [id],
  );
  const before = statuses.filter((status) => status === 200).map(() => "inspection.completed");
  expect(written.map(({ type }) => type)).toEqual([...before, "organization.deleted"]);
  expectStatus(await report(), 404);
});

test("without events there is no feed (rules 36.20)", async () => {
  const off = await startBeside(t, { EVENTS: "off" });
  expectStatus(await off.product.get(FEED), 404);
  const rows = "SELECT FROM event_outbox";
  await relay(t);
  const person = await off.t.person();
  expectStatus(await person.patch("/api/profile", { firstName: "Grace" }), 200);
  expect(await t.sql(rows)).toEqual([]);
});

test("pages follow each other without gaps, and any parameter that is wrong is named", async () => {
  const { entries, pages } = await (async () => {
    const found: Entry[] = [];
    let [after, count] = [null as string | null, 0];
    for (;;) {
      const page = await feedPage(product, { ...(after !== null && { after }), pageSize: 3 });
      found.push(...page.data);
      [after, count] = [page.cursor, count + 1];
      if (!page.hasMore) return { entries: found, pages: count };
    }
  })();
  expect(entries.length).toBeGreaterThan(9);
  expect(pages).toBe(Math.ceil(entries.length / 3));
  expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
  const stored = await t.sql<{ id: string }>("SELECT id FROM feed ORDER BY position");
  expect(entries.map(({ id }) => id)).toEqual(stored.map(({ id }) => id));
  const wrong = expectStatus(await follow(product, { wait: 31, pageSize: 0, type: "x" }), 400).body.errors;
  expect(wrong.map(({ path }: { path: string }) => path).sort()).toEqual(["pageSize", "type", "wait"]);
  expectStatus(await (await t.platformAdmin()).get(FEED), 401);
});
