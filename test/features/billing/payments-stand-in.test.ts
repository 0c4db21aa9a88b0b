import { expect, test } from "bun:test";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { outcome } from "../../support/outcomes.ts";
import { CHECKOUT, deliver, PORTAL, PRO, startServiceWithPayments } from "../../support/payments.ts";
import { PAYMENT, planOf } from "../../support/plans.ts";
import { expectStatus } from "../../support/service.ts";

const selling = await startServiceWithPayments();
const { t, payments } = selling;

/** Loads a page of the local payment provider; returns its text, its links and a function that submits its form. */
async function visit(url: string, method = "GET") {
  const response = await fetch(url, { method });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toStartWith("text/html");
  const text = await response.text();
  const written = (pattern: RegExp) => pattern.exec(text)?.[1]?.replaceAll("&#38;", "&");
  return {
    text,
    /** The addresses of all links, in page order. */
    links: [...text.matchAll(/<a href="([^"]*)"/g)].map(([, href = ""]) => href.replaceAll("&#38;", "&")),
    /** Submits the page's form. */
    submit: () => visit(new URL(written(/<form[^>]* action="([^"]*)"/) ?? url, url).href, "POST"),
  };
}

const addressOf = async (org: Organization, path: string, body?: unknown): Promise<string> =>
  expectStatus(await org.admin.post(path, body), 200).body.url;

test("with the local payment provider, a browser can pay, gets the plan, cancels in the portal and loses the plan", async () => {
  const platform = await t.platformAdmin();
  const org = await createOrganization(t);
  expect(await planOf(platform, org)).toBe("pro by trial");

  const checkout = await visit(await addressOf(org, CHECKOUT, { plan: "enterprise", interval: "year" }));
  expect(checkout.text).toContain("price_enterprise");
  expect(checkout.links).toEqual(["http://app.test/billing?checkout=canceled"]);
  expect(await planOf(platform, org)).toBe("pro by trial");
  const paid = await checkout.submit();
  expect(paid.links).toEqual(["http://app.test/billing?checkout=success"]);
  expect(await planOf(platform, org)).toBe("enterprise by subscription");
  expect((await org.admin.get("/api/organization/billing")).body.subscription).toMatchObject({
    status: "active",
    plan: "enterprise",
    interval: "year",
    cancelAtPeriodEnd: false,
  });
  expect(outcome(await org.admin.post(CHECKOUT, PRO))).toBe("409 CONFLICT");

  const portal = await visit(await addressOf(org, PORTAL));
  expect(portal.text).toContain("price_enterprise: active");
  expect(portal.links).toEqual(["http://app.test/billing"]);
  const canceled = await portal.submit();
  expect(canceled.links).toEqual(["http://app.test/billing"]);
  expect(await planOf(platform, org)).toBe("pro by trial");
  expect((await visit(await addressOf(org, PORTAL))).text).toContain("price_enterprise: canceled");
});

test("with the local payment provider, a subscription is paused, ended with its period and resumed", async () => {
  const org = await createOrganization(t);
  const { items } = await selling.subscribe(await selling.customer(org), "price_pro_month");
  const end = new Date((items.data[0]?.current_period_end ?? 0) * 1000).toISOString();
  const portal = new URL(await addressOf(org, PORTAL));
  const after = async (action: string) => {
    await visit(`${portal.origin}${portal.pathname}/${action}${portal.search}`, "POST");
    return (await org.admin.get("/api/organization/billing")).body.subscription;
  };
  const renewing = { status: "active", cancelAtPeriodEnd: false, currentPeriodEnd: end };
  expect(await after("end")).toMatchObject({ ...renewing, cancelAtPeriodEnd: true });
  expect(await after("resume")).toMatchObject(renewing);
  expect(await after("pause")).toMatchObject({ ...renewing, status: "paused" });
  expect(await after("resume")).toMatchObject(renewing);
});

test("after a cancellation the same customer can buy again", async () => {
  const platform = await t.platformAdmin();
  const org = await createOrganization(t);
  await (await visit(await addressOf(org, CHECKOUT, PRO))).submit();
  const customer = await selling.customerOf(org);
  await (await visit(await addressOf(org, PORTAL))).submit();
  await (await visit(await addressOf(org, CHECKOUT, { plan: "enterprise", interval: "year" }))).submit();
  expect(await planOf(platform, org)).toBe("enterprise by subscription");
  expect(await selling.customerOf(org)).toBe(customer);
});

test("an unknown path of the local payment provider is 404", async () => {
  for (const path of ["/", "/pay/cs_of_nobody", "/v1/anything"])
    expect((await fetch(payments.url + path)).status).toBe(404);
});

test("the local payment provider refuses a wrong secret key, and the checkout of a service with a wrong key fails", async () => {
  for (const authorization of [null, "", "Bearer sk_of_nobody", `Basic ${PAYMENT.PAYMENT_SECRET_KEY}`]) {
    const headers = authorization === null ? {} : { authorization };
    for (const [method, path] of [
      ["POST", "/v1/customers"],
      ["POST", "/v1/checkout/sessions"],
      ["POST", "/v1/billing_portal/sessions"],
      ["GET", "/v1/subscriptions?customer=cus_1"],
    ] as const)
      expect((await fetch(payments.url + path, { method, headers })).status).toBe(401);
  }
  const [wrong] = await t.cluster(1, { PAYMENT_SECRET_KEY: "sk_of_nobody" });
  const org = await createOrganization(t);
  const response = await org.admin.at(wrong?.url ?? "").post(CHECKOUT, PRO);
  expect(outcome(response)).toBe("502 PROVIDER_ERROR");
  expect(wrong?.log().join("\n")).not.toContain("sk_of_nobody");
});

test("a service with another webhook secret rejects the events of the local payment provider", async () => {
  const wrong = await t.beside({ PAYMENT_WEBHOOK_SECRET: "whsec_of_nobody" });
  const event = payments.event("ping", { customer: "cus_1" });
  expect(outcome(await deliver(t.anonymous(wrong.url), event))).toBe("400 INVALID_SIGNATURE");
  expectStatus(await deliver(t.anonymous(), event), 200);
});
