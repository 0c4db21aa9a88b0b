import { expect, test } from "bun:test";
import { Caller } from "../../support/caller.ts";
import { createOrganization, Organization, userIdOf } from "../../support/organizations.ts";
import {
  PAYMENT,
  PLANS,
  planFiles,
  planOf,
  setPlanOverride,
  storeSubscription,
} from "../../support/plans.ts";
import { FEWER_ROUNDS, race } from "../../support/race.ts";
import { expectStatus, sharedService, startService, uniqueEmail } from "../../support/service.ts";
import { resetToken } from "../../support/sessions.ts";

const planFile = planFiles();
const t = await startService({ BILLING_PLANS_FILE: planFile(PLANS), ...PAYMENT });

const DAY_MS = 24 * 60 * 60 * 1000;
const found = async (person: Caller): Promise<{ id: string }> =>
  expectStatus(await person.post("/api/auth/organizations", { name: "Acme" }), 201).body;
const endTrial = (organization: { id: string }) =>
  t.age("organization_subscriptions", { organization_id: organization.id }, { days: 14 });
/** Returns the trials of the organizations that a user created. */
const trialsOf = async (person: Caller) =>
  t.sql(
    `SELECT s.trial_ends_at FROM organization_subscriptions s JOIN organizations o ON o.id = s.organization_id
     WHERE o.founded_by_id = $1 AND s.trial_ends_at IS NOT NULL`,
    [await userIdOf(t, person)],
  );

/** Registers an account that named an organization and has not confirmed its email. */
async function registered(): Promise<Caller> {
  const caller = new Caller(t.url, { email: uniqueEmail(), password: "wide blue yonder" });
  const body = { ...caller.account, firstName: "Ada", lastName: "Lovelace", organizationName: "Named" };
  expectStatus(await caller.post("/api/auth/register", body), 202);
  return caller;
}

test("an override takes precedence over a subscription, then the trial, then the default", async () => {
  const admin = await t.platformAdmin();
  const org = await createOrganization(t);
  expect(await planOf(admin, org)).toBe("pro by trial");
  await storeSubscription(t, org, { status: "active", price_id: "price_enterprise" });
  expect(await planOf(admin, org)).toBe("enterprise by subscription");
  await setPlanOverride(admin, org, "gift");
  expect(await planOf(admin, org)).toBe("gift by override");

  await endTrial(org);
  expect(await planOf(admin, org)).toBe("gift by override");
  await setPlanOverride(admin, org, null);
  expect(await planOf(admin, org)).toBe("enterprise by subscription");
  await storeSubscription(t, org, { status: null, price_id: null });
  expect(await planOf(admin, org)).toBe("free by default");
});

test("the organization, the list of organizations, the response to an override and the billing all show the same plan", async () => {
  const admin = await t.platformAdmin();
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  await setPlanOverride(admin, org, "gift");
  await endTrial(other);
  const expected = [
    [org, { key: "gift", source: "override" }],
    [other, { key: "free", source: "default" }],
  ] as const;
  const query = expected.map(([{ id }]) => `organization=${id}`).join("&");
  const rows = (await admin.get(`/api/organizations?${query}`)).body.data;
  for (const [{ id, admin: founder }, plan] of expected) {
    expect(rows.find((row: { id: string }) => row.id === id).plan).toEqual(plan);
    expect((await admin.get(`/api/organizations/${id}`)).body.plan).toEqual(plan);
    expect((await admin.patch(`/api/organizations/${id}`, {})).body.plan).toEqual(plan);
    expect((await founder.get("/api/organization/billing")).body.plan).toMatchObject(plan);
  }
});

const STATUSES = {
  ...{ active: true, trialing: true, past_due: true },
  ...{ canceled: false, unpaid: false, incomplete: false, incomplete_expired: false, paused: false },
};

test("a subscription gives its plan while it is active, trialing or past due, and in no other status", async () => {
  const admin = await t.platformAdmin();
  const [onTrial, usual] = [await createOrganization(t), await createOrganization(t)];
  await endTrial(usual);
  for (const [status, isLive] of Object.entries(STATUSES)) {
    for (const org of [onTrial, usual])
      await storeSubscription(t, org, { status, price_id: "price_pro_year" });
    const plans = [await planOf(admin, onTrial), await planOf(admin, usual)];
    expect([status, ...plans]).toEqual(
      isLive
        ? [status, "pro by subscription", "pro by subscription"]
        : [status, "pro by trial", "free by default"],
    );
  }
});

test("an override naming a plan that no longer exists is ignored, as is a price of no plan", async () => {
  const admin = await t.platformAdmin();
  const org = await createOrganization(t);
  await storeSubscription(t, org, { plan_override: "gone", status: "active", price_id: "price_enterprise" });
  expect(await planOf(admin, org)).toBe("enterprise by subscription");
  for (const price_id of ["price_gone", null]) {
    await storeSubscription(t, org, { price_id });
    expect(await planOf(admin, org)).toBe("pro by trial");
  }
  await endTrial(org);
  expect(await planOf(admin, org)).toBe("free by default");
});

test("overrides, subscriptions and trials of a plan that was removed from the plan file are ignored", async () => {
  const admin = await t.platformAdmin();
  const orgs = [
    await createOrganization(t),
    await createOrganization(t),
    await createOrganization(t),
  ] as const;
  const [, given, subscribed] = orgs;
  await setPlanOverride(admin, given, "gift");
  await endTrial(given);
  await endTrial(subscribed);
  await storeSubscription(t, subscribed, { status: "active", price_id: "price_enterprise" });

  const { plans, ...rest } = PLANS;
  const kept = plans.filter(({ key }) => key === "free" || key === "pro");
  const prices = { PAYMENT_PRICES: "pro:month:price_pro_month" };
  const without = await t.beside({
    BILLING_PLANS_FILE: planFile({ ...rest, plans: kept, trial: null }),
    ...prices,
  });
  for (const org of orgs) expect(await planOf(admin.at(without.url), org)).toBe("free by default");
  expect(await Promise.all(orgs.map((org) => planOf(admin, org)))).toEqual([
    "pro by trial",
    "gift by override",
    "enterprise by subscription",
  ]);

  // An organization created while there is no trial or no billing never gets a trial.
  const off = await t.beside({ BILLING_PLANS_FILE: "none" });
  for (const instance of [without, off]) {
    const person = await t.person();
    const org = await found(person.at(instance.url));
    expect(await planOf(admin, org)).toBe("free by default");
    expect(await planOf(admin, await found(person))).toBe("free by default");
  }
  expect(await planOf(admin.at(off.url), given)).toBeNull();
});

test("a trial ends exactly the configured number of days after the organization was created", async () => {
  const admin = await t.platformAdmin();
  const org = await createOrganization(t);
  const { trialEndsAt } = (await org.admin.get("/api/organization/billing")).body;
  const { createdAt } = (await org.admin.get("/api/organization")).body;
  expect(Date.parse(trialEndsAt) - Date.parse(createdAt)).toBe(14 * DAY_MS);
  const where = { organization_id: org.id };
  await t.age("organization_subscriptions", where, { days: 13, hours: 23 });
  expect(await planOf(admin, org)).toBe("pro by trial");
  await t.age("organization_subscriptions", where, { hours: 1 });
  expect(await planOf(admin, org)).toBe("free by default");
});

test("only the first organization that a user creates has a trial, even if that one has been deleted", async () => {
  const admin = await t.platformAdmin();
  const person = await t.person();
  const first = await found(person);
  expect(await planOf(admin, first)).toBe("pro by trial");
  expect(await planOf(admin, await found(person))).toBe("free by default");
  expectStatus(await admin.delete(`/api/organizations/${first.id}`), 204);
  expect(await planOf(admin, await found(person))).toBe("free by default");
});

test("an organization named at registration counts as the user's first one", async () => {
  const admin = await t.platformAdmin();
  const person = await registered();
  const { token } = await t.linkTo(person.email, "/verify-email");
  expectStatus(await person.post("/api/auth/verify-email", { token }), 204);
  await person.login();
  const { id } = (await person.get("/api/organization")).body;
  expect(await planOf(admin, { id })).toBe("pro by trial");
  expect(await planOf(admin, await found(person))).toBe("free by default");
});

test("a member of another organization still gets a trial for the first organization they create", async () => {
  const admin = await t.platformAdmin();
  const member = await (await createOrganization(t)).member({ role: "ORG_ADMIN" });
  expect(await planOf(admin, await found(member))).toBe("pro by trial");
});

test("of several organizations that one user creates concurrently exactly one has a trial", async () => {
  const admin = await t.platformAdmin();
  for (let round = 0; round < FEWER_ROUNDS; round += 1) {
    const person = await t.person();
    const founded = await race(3, () => found(person));
    const plans = await Promise.all(founded.map((org) => planOf(admin, org)));
    expect(plans.toSorted()).toEqual(["free by default", "free by default", "pro by trial"]);
    expect(await trialsOf(person)).toHaveLength(1);
  }
});

test("a verification link and a password reset used concurrently start one trial", async () => {
  const person = await registered();
  const { token } = await t.linkTo(person.email, "/verify-email");
  const reset = { token: await resetToken(t, person.email), newPassword: "a new blue yonder" };
  await race(2, (index) =>
    index === 0
      ? person.post("/api/auth/verify-email", { token })
      : person.post("/api/auth/reset-password", reset),
  );
  expect(await trialsOf(person)).toHaveLength(1);
});

test("with billing off every plan is null, whatever is stored", async () => {
  const off = await sharedService();
  const admin = await off.platformAdmin();
  const founder = await off.person();
  const org = new Organization(off, (await found(founder)).id, founder);
  await storeSubscription(off, org, {
    plan_override: "gift",
    status: "active",
    price_id: "price_enterprise",
  });
  expect(await planOf(admin, org)).toBeNull();
  const { data } = (await admin.get(`/api/organizations?organization=${org.id}`)).body;
  expect(data).toMatchObject([{ id: org.id, plan: null }]);
});
