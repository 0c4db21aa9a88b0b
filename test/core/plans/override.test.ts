import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { createOrganization } from "../../support/organizations.ts";
import { actingIn, eventsIn, idOf, messages, outcome } from "../../support/outcomes.ts";
import { PLANS, planFiles, planOf } from "../../support/plans.ts";
import { race } from "../../support/race.ts";
import { expectStatus, sharedService, startService } from "../../support/service.ts";

const planFile = planFiles();
const t = await startService({ BILLING_PLANS_FILE: planFile(PLANS) });

const path = (id: string) => `/api/organizations/${id}/plan`;
const override = (caller: Caller, { id }: { id: string }, planOverride: unknown, options = {}) =>
  caller.patch(path(id), { planOverride }, options);
const changesOf = async (org: { id: string }) =>
  (await eventsIn(t, org, "ORGANIZATION_PLAN_CHANGED")).map(({ metadata }) => metadata);

test("overriding a plan returns the updated organization, and writes an audit event with both plans", async () => {
  const admin = await t.platformAdmin();
  const org = await createOrganization(t);
  const before = (await admin.get(`/api/organizations/${org.id}`)).body;
  const { body } = expectStatus(await override(admin, org, "gift"), 200);
  expect(body).toEqual({ ...before, plan: { key: "gift", source: "override" } });
  expect((await admin.get(`/api/organizations/${org.id}`)).body).toEqual(body);
  expect(await eventsIn(t, org, "ORGANIZATION_PLAN_CHANGED")).toEqual([
    {
      action: "ORGANIZATION_PLAN_CHANGED",
      actor_id: idOf(admin),
      target_type: "organization",
      target_id: org.id,
      metadata: { from: null, to: "gift" },
    },
  ]);
});

test("every change of a plan override writes an audit event; null removes the override", async () => {
  const admin = await t.platformAdmin();
  const org = await createOrganization(t);
  expectStatus(await override(admin, org, null), 200);
  expect(await changesOf(org)).toEqual([]);
  for (const plan of ["gift", "gift", "enterprise", null, null])
    expectStatus(await override(admin, org, plan), 200);
  expect(await changesOf(org)).toEqual([
    { from: null, to: "gift" },
    { from: "gift", to: "enterprise" },
    { from: "enterprise", to: null },
  ]);
  expect(await planOf(admin, org)).toBe("pro by trial");
});

test("setting the same override again writes nothing", async () => {
  const admin = await t.platformAdmin();
  const org = await createOrganization(t);
  expectStatus(await override(admin, org, "gift"), 200);
  const row = () => t.sql("SELECT * FROM organization_subscriptions WHERE organization_id = $1", [org.id]);
  const before = await row();
  expectStatus(await override(admin, org, "gift"), 200);
  expect(await row()).toEqual(before);
});

test("concurrent plan overrides write one audit event each, in order", async () => {
  const admin = await t.platformAdmin();
  const org = await createOrganization(t);
  const wanted = ["gift", "free", "enterprise", "gift", "free", "pro"];
  const responses = await race(wanted.length, (index) => override(admin, org, wanted[index]));
  expect(responses.map(({ status }) => status)).toEqual(wanted.map(() => 200));
  const changes = await changesOf(org);
  expect(changes.map(({ from }) => from)).toEqual([null, ...changes.slice(0, -1).map(({ to }) => to)]);
  expect(await planOf(admin, org)).toBe(`${changes.at(-1)?.to} by override`);
});

test("a plan override must be one of the configured plans or null", async () => {
  const admin = await t.platformAdmin();
  const org = await createOrganization(t);
  for (const plan of ["gone", "FREE", "x".repeat(63)]) {
    expect((await override(admin, org, plan)).body.errors).toEqual([
      { path: "planOverride", message: "planOverride must be an existing plan" },
    ]);
  }
  expect(messages(await override(admin, org, 5))).toEqual(["planOverride must be a string"]);
  expect(messages(await override(admin, org, ""))).toEqual(["planOverride should not be empty"]);
  expect(messages(await admin.patch(path(org.id), { planOverride: "gift", plan: "gift" }))).toEqual([
    "property plan should not exist",
  ]);
  expect(messages(await override(admin, { id: "none" }, "gift"))).toEqual(["id must be a UUID"]);
  expect([await changesOf(org), await planOf(admin, org)]).toEqual([[], "pro by trial"]);
});

test("a malformed plan override is reported before an unknown organization", async () => {
  const admin = await t.platformAdmin();
  const deleted = await createOrganization(t);
  expectStatus(await admin.delete(`/api/organizations/${deleted.id}`), 204);
  for (const org of [deleted, { id: crypto.randomUUID() }]) {
    expect(outcome(await override(admin, org, "gift"))).toBe("404 NOT_FOUND");
    expect(outcome(await override(admin, org, "gone"))).toBe("400 VALIDATION_FAILED");
  }
});

test("only platform administrators can override a plan, with or without X-Organization-Id", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const admin = await t.platformAdmin();
  for (const caller of [org.admin, await org.member(), await t.person()])
    expect(outcome(await override(caller, org, "gift"))).toBe("403 PLATFORM_ADMIN_REQUIRED");
  expect(outcome(await override(t.anonymous(), org, "gift"))).toBe("401 UNAUTHENTICATED");
  expect(outcome(await override(admin, org, "gift", actingIn(other)))).toBe("200");
  expect([await planOf(admin, org), await planOf(admin, other)]).toEqual([
    "gift by override",
    "pro by trial",
  ]);
});

test("an access token from before the demotion of a platform administrator cannot override a plan", async () => {
  const org = await createOrganization(t);
  const [admin, demoted] = [await t.platformAdmin(), await t.platformAdmin()];
  await t.sql("UPDATE users SET is_platform_admin = false WHERE id = $1", [idOf(demoted)]);
  expect(outcome(await override(demoted, org, "gift"))).toBe("403 FORBIDDEN");
  expect(await planOf(admin, org)).toBe("pro by trial");
});

test("a suspended organization's plan can be overridden", async () => {
  const admin = await t.platformAdmin();
  const org = await createOrganization(t);
  expectStatus(await admin.patch(`/api/organizations/${org.id}/status`, { status: "SUSPENDED" }), 200);
  expect((await override(admin, org, "gift")).body).toMatchObject({
    status: "SUSPENDED",
    plan: { key: "gift", source: "override" },
  });
});

test("with billing off every plan override is refused as unknown, except null", async () => {
  const off = await sharedService();
  const admin = await off.platformAdmin();
  const org = await createOrganization(off);
  expect(messages(await override(admin, org, "free"))).toEqual(["planOverride must be an existing plan"]);
  expect(expectStatus(await override(admin, org, null), 200).body.plan).toBeNull();
});
