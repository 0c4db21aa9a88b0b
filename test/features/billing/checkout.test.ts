import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { assignments, createOrganization, userIdOf } from "../../support/organizations.ts";
import { actingIn, messages, outcome } from "../../support/outcomes.ts";
import { CHECKOUT, PORTAL, PRO, startServiceWithPayments, WEBHOOK } from "../../support/payments.ts";
import { PLANS, planFiles } from "../../support/plans.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { sameBrowser } from "../../support/sessions.ts";

const planFile = planFiles();
const selling = await startServiceWithPayments();
const { t, payments } = selling;

const LIVE = ["active", "trialing", "past_due"];
const NOT_LIVE = ["canceled", "unpaid", "incomplete", "incomplete_expired", "paused"];

const checkout = async (caller: Caller, body: unknown = PRO, options = {}) =>
  outcome(await caller.post(CHECKOUT, body, options));
const portal = async (caller: Caller, options = {}) => outcome(await caller.post(PORTAL, undefined, options));

/** Creates an organization with a subscription; `turn` sets its status at the provider and sends the webhook. */
async function subscribed() {
  const org = await createOrganization(t);
  const subscription = await selling.subscribe(await selling.customer(org), "price_pro_month");
  const turn = async (status: string) => {
    subscription.status = status;
    expectStatus(await selling.tell("customer.subscription.updated", subscription), 200);
  };
  return { org, turn };
}

test("a checkout has the price of the plan and interval, and redirects back to APP_URL", async () => {
  const org = await createOrganization(t);
  const prices = {
    price_pro_month: PRO,
    price_pro_year: { plan: "pro", interval: "year" },
    price_enterprise: { plan: "enterprise", interval: "year" },
  };
  for (const [price, body] of Object.entries(prices)) {
    const { url } = expectStatus(await org.admin.post(CHECKOUT, body), 200).body;
    expect(url).toStartWith(`${payments.url}/pay/`);
    const form = Object.fromEntries(selling.calls("POST checkout/sessions").at(-1)?.form ?? []);
    expect(form).toMatchObject({
      mode: "subscription",
      customer: (await selling.customerOf(org)) ?? "",
      "line_items[0][price]": price,
      "line_items[0][quantity]": "1",
      success_url: "http://app.test/billing?checkout=success",
      cancel_url: "http://app.test/billing?checkout=canceled",
    });
  }
});

test("the billing portal is opened for the organization's customer, and redirects back to APP_URL", async () => {
  const org = await createOrganization(t);
  const customer = await selling.customer(org);
  const { url } = expectStatus(await org.admin.post(PORTAL), 200).body;
  expect(url).toStartWith(`${payments.url}/portal/${customer}`);
  const form = Object.fromEntries(selling.calls("POST billing_portal/sessions").at(-1)?.form ?? []);
  expect(form).toEqual({ customer, return_url: "http://app.test/billing" });
});

test("with a plan the portal opens where the live subscription is changed; without a live one it returns 409 (rules 31.10)", async () => {
  const { org, turn } = await subscribed();
  const change = async (plan: string) => outcome(await org.admin.post(PORTAL, { plan }));
  expect(await change("enterprise")).toBe("200");
  const form = Object.fromEntries(selling.calls("POST billing_portal/sessions").at(-1)?.form ?? []);
  expect(form).toMatchObject({
    "flow_data[type]": "subscription_update",
    "flow_data[subscription_update][subscription]": expect.stringMatching(/^sub_/),
  });
  expect(await change("free")).toBe("400 VALIDATION_FAILED");
  await turn("canceled");
  expect(await change("enterprise")).toBe("409 CONFLICT");
});

test("plans have the provider's prices, which are read once (rules 31.10)", async () => {
  const org = await createOrganization(t);
  const read = async () =>
    expectStatus(await org.admin.get("/api/organization/billing"), 200).body.plans.map(
      ({ prices }: { prices: object[] }) => prices,
    );
  const expected = [
    [
      { id: "price_pro_month", interval: "month", amount: 4_900, currency: "eur" },
      { id: "price_pro_year", interval: "year", amount: 49_000, currency: "eur" },
    ],
    [{ id: "price_enterprise", interval: "year", amount: 4_900, currency: "eur" }],
  ];
  expect(await read()).toEqual(expected);
  payments.failNext(10);
  expect(await read()).toEqual(expected);
  payments.failNext(0);
});

test("return URLs are built only from APP_URL, whatever the Host header", async () => {
  const elsewhere = await t.beside({
    APP_URL: "https://client.test/app/",
    API_URL: "https://client.test",
  });
  const org = await createOrganization(t);
  // The issuer in a token is APP_URL, so a token of the other instance would be refused.
  const admin = t.anonymous(elsewhere.url);
  expectStatus(await admin.post("/api/auth/login", org.admin.account), 200);
  const headers = { host: "evil.test", "x-forwarded-host": "evil.test", origin: "https://evil.test" };
  expectStatus(await admin.post(CHECKOUT, PRO, { headers }), 200);
  expectStatus(await admin.post(PORTAL, undefined, { headers }), 200);
  const [session, visit] = ["POST checkout/sessions", "POST billing_portal/sessions"].map((name) =>
    selling.calls(name).at(-1),
  );
  expect(session?.form.get("success_url")).toBe("https://client.test/app/billing?checkout=success");
  expect(session?.form.get("cancel_url")).toBe("https://client.test/app/billing?checkout=canceled");
  expect(visit?.form.get("return_url")).toBe("https://client.test/app/billing");
});

test("checkout needs organization-wide Billing.Create, and the portal organization-wide Billing.Update", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("One");
  const buyer = await org.role("Buyer", "Billing.Create");
  const manager = await org.role("Manager", "Billing.Read", "Billing.Update");
  const may = async (caller: Caller) => [await checkout(caller), await portal(caller)];
  const no = "403 FORBIDDEN";
  expect(await may(await org.member({ role: buyer }))).toEqual(["200", no]);
  expect(await may(await org.member({ role: manager }))).toEqual([no, "200"]);
  expect(await may(org.admin)).toEqual(["200", "200"]);
  for (const given of [{ role: "MEMBER" }, { role: "UNIT_ADMIN", unit }, { role: buyer, unit }])
    expect(await may(await org.member(given))).toEqual([no, no]);
  expect(await may(await t.person())).toEqual(Array(2).fill("403 ORGANIZATION_REQUIRED"));
  expect(await may(t.anonymous())).toEqual(Array(2).fill("401 UNAUTHENTICATED"));
  const own = [await checkout(org.admin, PRO, actingIn(org)), await portal(org.admin, actingIn(org))];
  expect(own).toEqual(Array(2).fill("403 ORGANIZATION_OVERRIDE_FORBIDDEN"));
});

/** Returns the outcomes of checkout and portal for a platform administrator with this `X-Organization-Id` header. */
async function asPlatformAdmin(admin: Caller, header: string | null, body: unknown = PRO) {
  const options = header === null ? {} : { headers: { "x-organization-id": header } };
  return [await checkout(admin, body, options), await portal(admin, options)];
}
const OVERRIDE = Array(2).fill("400 ORGANIZATION_OVERRIDE_NOT_ALLOWED");

test("only the organization itself can buy: a platform administrator always gets 400", async () => {
  const admin = await t.platformAdmin();
  const [org, gone] = [await createOrganization(t), await createOrganization(t)];
  await org.add(admin, { role: "ORG_ADMIN" });
  await admin.refresh();
  expectStatus(await admin.delete(`/api/organizations/${gone.id}`), 204);
  for (const body of [PRO, { plan: 5 }]) {
    for (const header of [null, "", " "])
      expect(await asPlatformAdmin(admin, header, body)).toEqual(Array(2).fill("400 ORGANIZATION_REQUIRED"));
    for (const header of [org.id, gone.id, crypto.randomUUID(), `${org.id},${gone.id}`])
      expect(await asPlatformAdmin(admin, header, body)).toEqual(OVERRIDE);
  }
  expect(await asPlatformAdmin(admin, "no id")).toEqual(Array(2).fill("400 VALIDATION_FAILED"));
});

test("a checkout needs a plan that can be bought and one of its intervals", async () => {
  const org = await createOrganization(t);
  const refusals = async (body: unknown) => {
    const response = await org.admin.post(CHECKOUT, body);
    expect([body, outcome(response)]).toEqual([body, "400 VALIDATION_FAILED"]);
    return response.body.errors.map(({ path }: { path: string }) => path).toSorted();
  };
  for (const plan of ["nothing", "free", "gift", "Pro", "pro "])
    expect(await refusals({ plan, interval: "month" })).toEqual(["plan"]);
  expect(await refusals({ plan: "enterprise", interval: "month" })).toEqual(["interval"]);
  for (const interval of ["week", "", null, 5, ["month"]])
    expect(await refusals({ plan: "pro", interval })).toEqual(["interval"]);
  expect(await refusals({})).toEqual(["interval", "plan"]);
  expect(await refusals({ plan: "", interval: "MONTH", price: "price_1" })).toEqual([
    "interval",
    "plan",
    "price",
  ]);
  const unknown = await org.admin.post(CHECKOUT, { ...PRO, organizationId: org.id, plan: "nothing" });
  expect(messages(unknown)).toContain("property organizationId should not exist");
  expect(messages(await org.admin.post(CHECKOUT, { plan: "free", interval: "year" }))).toEqual([
    "plan must be an existing plan",
  ]);
  expect(await selling.customerOf(org)).toBeNull();
});

test("a checkout is checked in this order: token, body, permission, validation, plan, subscription", async () => {
  const bad = { plan: "nothing", interval: "never" };
  const text = { headers: { "content-type": "text/plain" } };
  const malformed = { raw: "{", headers: { "content-type": "application/json" } };
  expect(await checkout(t.anonymous(), bad, text)).toBe("401 UNAUTHENTICATED");
  expect(await checkout(t.anonymous(), undefined, malformed)).toBe("401 UNAUTHENTICATED");
  const { org } = await subscribed();
  const member = await org.member();
  expect(await checkout(member, bad, text)).toBe("415 UNSUPPORTED_MEDIA_TYPE");
  expect(await checkout(member, undefined, malformed)).toBe("400 MALFORMED_JSON");
  expect(await checkout(member, bad)).toBe("403 FORBIDDEN");
  expect(await checkout(org.admin, bad)).toBe("400 VALIDATION_FAILED");
  expect(await checkout(org.admin, { plan: "free", interval: "month" })).toBe("400 VALIDATION_FAILED");
  expect(await checkout(org.admin)).toBe("409 CONFLICT");
});

for (const [where, overrides] of Object.entries({
  "without plans": { BILLING_PLANS_FILE: "none" },
  "in development without payment variables": {
    BILLING_PLANS_FILE: planFile(PLANS),
    NODE_ENV: "development",
  },
}))
  test(`${where} checkout, portal and webhook return 409`, async () => {
    const off = await startService(overrides);
    const org = await createOrganization(off);
    const signature = { "stripe-signature": "t=1,v1=00" };
    for (const response of [
      await org.admin.post(CHECKOUT, PRO),
      await org.admin.post(PORTAL),
      await off.anonymous().post(WEBHOOK, {}),
      await off.anonymous().post(WEBHOOK, undefined, { raw: "no json", headers: signature }),
    ])
      expect(outcome(response)).toBe("409 BILLING_NOT_CONFIGURED");
    const member = await org.member();
    expect([await checkout(member), await portal(member)]).toEqual(Array(2).fill("403 FORBIDDEN"));
    expect(await checkout(org.admin, { interval: "month" })).toBe("400 VALIDATION_FAILED");
    const admin = await off.platformAdmin();
    expect(await checkout(admin, PRO, actingIn(org))).toBe("400 ORGANIZATION_OVERRIDE_NOT_ALLOWED");
  });

test("with a live subscription only the portal is available; in every other status the checkout is", async () => {
  const { org, turn } = await subscribed();
  for (const [statuses, expected] of [
    [LIVE, "409 CONFLICT"],
    [NOT_LIVE, "200"],
  ] as const)
    for (const status of statuses) {
      await turn(status);
      expect([status, await checkout(org.admin), await portal(org.admin)]).toEqual([status, expected, "200"]);
    }
});

test("the portal needs a customer, which the first checkout creates", async () => {
  const org = await createOrganization(t);
  expect(await portal(org.admin)).toBe("409 CONFLICT");
  expect(await checkout(org.admin)).toBe("200");
  expect(await portal(org.admin)).toBe("200");
});

test("an organization with a live subscription cannot be deleted; in any other subscription status it can", async () => {
  const admin = await t.platformAdmin();
  const { org, turn } = await subscribed();
  const path = `/api/organizations/${org.id}`;
  for (const status of LIVE) {
    await turn(status);
    expect([status, outcome(await admin.delete(path))]).toEqual([status, "409 CONFLICT"]);
  }
  expectStatus(await admin.get(path), 200);
  expectStatus(await org.admin.get("/api/organization"), 200);
  await turn("canceled");
  expectStatus(await admin.delete(path), 204);
});

test("a removed role allows neither checkout nor portal, even if the access token still contains it", async () => {
  const org = await createOrganization(t);
  await selling.customer(org);
  const demoted = await org.member({ role: "ORG_ADMIN" });
  const removed = await org.member({ role: "ORG_ADMIN" });
  const roles = `/api/members/${await userIdOf(t, demoted)}/roles`;
  expectStatus(await org.admin.patch(roles, assignments({ role: "MEMBER" })), 200);
  expectStatus(await org.admin.delete(`/api/members/${await userIdOf(t, removed)}`), 204);
  const asked = selling.proxy.calls.length;
  for (const caller of [demoted, removed])
    expect([await checkout(caller), await portal(caller)]).toEqual(Array(2).fill("403 FORBIDDEN"));
  expect(selling.proxy.calls).toHaveLength(asked);
});

test("a session that has ended allows neither checkout nor portal", async () => {
  const org = await createOrganization(t);
  await selling.customer(org);
  const held = sameBrowser(org.admin);
  expectStatus(await org.admin.post("/api/auth/logout"), 204);
  const asked = selling.proxy.calls.length;
  expect([await checkout(held), await portal(held)]).toEqual(Array(2).fill("401 UNAUTHENTICATED"));
  expect(selling.proxy.calls).toHaveLength(asked);
});
