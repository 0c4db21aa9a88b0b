import { expect, test } from "bun:test";
import { sendAtOnce, sendInOrder } from "../../support/invitation-races.ts";
import { INVITATIONS, invite } from "../../support/invitations.ts";
import { ACCOUNTS, createMachine } from "../../support/machines.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { actingIn, eventsIn, idOf, outcome } from "../../support/outcomes.ts";
import { deliver, startServiceWithPayments } from "../../support/payments.ts";
import { storeSubscription } from "../../support/plans.ts";
import { FEWER_ROUNDS } from "../../support/race.ts";
import { expectStatus } from "../../support/service.ts";
import { createEndpoint, ENDPOINTS, LOCAL } from "../../support/webhooks.ts";

/* The last member of an organization: what renews keeps them (rules 13.13), and what acts for it stops (13.14). */

const selling = await startServiceWithPayments(LOCAL);
const { t, payments } = selling;
const platform = await t.platformAdmin();
const urls = [t.url, (await t.beside()).url];

const LEAVE = "/api/organization/leave";
const ACTIVE = { status: "active", price_id: "price_pro_month", cancel_at_period_end: false };

/** Every way in which the founder's membership can end. */
const WAYS = {
  leave: ({ admin }: Organization, url = t.url) => admin.at(url).post(LEAVE),
  "delete the account": ({ admin }: Organization, url = t.url) =>
    admin.at(url).post("/api/profile/delete", { password: admin.account.password }),
  "removed by a platform administrator": (org: Organization, url = t.url) =>
    platform.at(url).delete(`/api/members/${idOf(org.admin)}`, actingIn(org)),
  "account deleted by a platform administrator": ({ admin }: Organization, url = t.url) =>
    platform.at(url).delete(`/api/users/${idOf(admin)}`),
};
const ways = Object.entries(WAYS);

const liveMembers = async ({ id }: Organization) =>
  (await t.sql("SELECT FROM memberships WHERE organization_id = $1 AND NOT is_deleted", [id])).length;
const written = ({ id }: Organization) =>
  t.sql("SELECT id FROM audit_events WHERE organization_id = $1 ORDER BY id", [id]);

for (const [name, end] of ways)
  test(`the only member stays while a live subscription renews: ${name}`, async () => {
    for (const status of ["active", "trialing", "past_due"]) {
      const org = await createOrganization(t);
      await storeSubscription(t, org, { ...ACTIVE, status });
      const before = await written(org);
      const refused = await end(org);
      expect(outcome(refused)).toBe("409 CONFLICT");
      expect(refused.body.message).toContain("The subscription of Acme to the plan pro renews");
      expect([await liveMembers(org), await written(org)]).toEqual([1, before]);
    }
  });

for (const [name, end] of ways)
  test(`nothing keeps a member if it ends by itself, is not live, or another member stays: ${name}`, async () => {
    for (const copy of [
      { ...ACTIVE, cancel_at_period_end: true },
      ...["paused", "unpaid", "canceled", "incomplete"].map((status) => ({ ...ACTIVE, status })),
    ]) {
      const org = await createOrganization(t);
      await storeSubscription(t, org, copy);
      expectStatus(await end(org), 204);
      expect(await liveMembers(org)).toBe(0);
    }
    const shared = await createOrganization(t);
    await storeSubscription(t, shared, ACTIVE);
    await shared.member({ role: "ORG_ADMIN" });
    expectStatus(await end(shared), 204);
    expect(await liveMembers(shared)).toBe(1);
  });

test("a service account cannot remove the only member of an organization whose subscription renews", async () => {
  const org = await createOrganization(t);
  const machine = await createMachine(org, { role: "ORG_ADMIN" });
  await storeSubscription(t, org, ACTIVE);
  const remove = async () => outcome(await machine.caller.delete(`/api/members/${idOf(org.admin)}`));
  expect(await remove()).toBe("409 CONFLICT");
  await storeSubscription(t, org, { status: "canceled" });
  expect(await remove()).toBe("204");
  expect(outcome(await machine.caller.get("/api/units"))).toBe("401 UNAUTHENTICATED");
});

test("deleting an organization with a live subscription is refused with a message that names it", async () => {
  const org = await createOrganization(t);
  await storeSubscription(t, org, ACTIVE);
  const refused = await platform.delete(`/api/organizations/${org.id}`);
  expect([outcome(refused), refused.body.message]).toEqual([
    "409 CONFLICT",
    "The subscription of Acme to the plan pro is live; cancel the subscription first",
  ]);
});

for (const [name, end] of ways)
  test(`after the last member, service accounts and webhook endpoints are disabled: ${name}`, async () => {
    const org = await createOrganization(t);
    const unit = await org.unit("Unit");
    const machines = [
      await createMachine(org, { role: "ORG_ADMIN" }),
      await createMachine(org, { role: "UNIT_ADMIN", unit }),
    ];
    const endpoint = await createEndpoint(org.admin, "http://127.0.0.1:9/hook");
    for (const { caller } of machines.slice(0, 1)) expectStatus(await invite(caller), 201);
    const second = await org.member({ role: "ORG_ADMIN" });
    expectStatus(await second.post(LEAVE), 204);
    for (const { caller } of machines) expectStatus(await caller.get("/api/units"), 200);

    expectStatus(await end(org), 204);
    for (const { caller } of machines)
      for (const url of [t.url, ...urls])
        expect(outcome(await caller.at(url).get("/api/units"))).toBe("401 UNAUTHENTICATED");
    const shown = expectStatus(await platform.get(`${ENDPOINTS}/${endpoint.id}`, actingIn(org)), 200).body;
    expect(shown).toMatchObject({ enabled: false, disabledReason: "NO_MEMBERS" });
    const change = { from: { enabled: true }, to: { enabled: false }, reason: "NO_MEMBERS" };
    const events = [
      ...(await eventsIn(t, org, "SERVICE_ACCOUNT_UPDATED")),
      ...(await eventsIn(t, org, "WEBHOOK_ENDPOINT_DISABLED")),
    ];
    const actor = name.includes("platform") ? idOf(platform) : idOf(org.admin);
    expect(events).toMatchObject([
      { actor_id: actor, metadata: change },
      { actor_id: actor, metadata: change },
      { actor_id: actor, metadata: { host: "127.0.0.1:9", reason: "NO_MEMBERS" } },
    ]);
    const { data } = expectStatus(await platform.get(INVITATIONS, actingIn(org)), 200).body;
    expect(data).toMatchObject([{ expired: true }]);

    const later = await t.person();
    await org.add(later, { role: "ORG_ADMIN" });
    await later.refresh();
    expectStatus(await later.post("/api/auth/organization", { organizationId: org.id }), 200);
    for (const { id, caller } of machines) {
      expectStatus(await later.patch(`${ACCOUNTS}/${id}`, { enabled: true }), 200);
      expectStatus(await caller.get("/api/units"), 200);
    }
    expect(expectStatus(await later.patch(endpoint.path, { enabled: true }), 200).body.enabled).toBe(true);
  });

test("of the last two members who leave at once, one stays while the subscription renews; without one, the last disables what acts for the organization", async () => {
  for (const renews of [true, false])
    for (let round = 0; round < FEWER_ROUNDS; round += 1) {
      const org = await createOrganization(t);
      const machine = await createMachine(org, { role: "ORG_ADMIN" });
      const other = await org.member({ role: "ORG_ADMIN" });
      if (renews) await storeSubscription(t, org, ACTIVE);
      const outcomes = await sendAtOnce(
        urls,
        round,
        (url) => WAYS.leave(org, url),
        (url) => other.at(url).post("/api/profile/delete", { password: other.account.password }),
      );
      expect(renews ? ["204, 409 CONFLICT", "409 CONFLICT, 204"] : ["204, 204"]).toContain(outcomes);
      expect(await liveMembers(org)).toBe(renews ? 1 : 0);
      const key = outcome(await machine.caller.get("/api/units"));
      expect(key).toBe(renews ? "200" : "401 UNAUTHENTICATED");
    }
});

test("a subscription that arrives before the last member leaves keeps them; one that arrives after is logged as one that nobody can cancel", async () => {
  const arrival = async () => {
    const org = await createOrganization(t);
    const customer = await selling.customer(org);
    const subscription = payments.subscribe(customer, "price_pro_month");
    const event = payments.event("customer.subscription.created", subscription);
    return { org, arrive: (url: string) => deliver(t.anonymous(url), event) };
  };
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const { org, arrive } = await arrival();
    const outcomes = await sendAtOnce(urls, round, arrive, (url) => WAYS.leave(org, url));
    expect(["200, 204", "200, 409 CONFLICT"]).toContain(outcomes);
  }
  const first = await arrival();
  expect(await sendInOrder(t, first.org, urls, [first.arrive, (url) => WAYS.leave(first.org, url)])).toEqual([
    "200",
    "409 CONFLICT",
  ]);
  const second = await arrival();
  expect(
    await sendInOrder(t, second.org, urls, [(url) => WAYS.leave(second.org, url), second.arrive]),
  ).toEqual(["204", "200"]);
  expect(await liveMembers(second.org)).toBe(0);
});
