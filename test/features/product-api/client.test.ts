import { beforeAll, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import manifest from "../../../examples/inspections/product.json";
import { ApiError, createProduct } from "../../../src/client/server.ts";
import type { Caller } from "../../support/caller.ts";
import { createMachine } from "../../support/machines.ts";
import { assignments, createOrganization, type Organization, userIdOf } from "../../support/organizations.ts";
import { planFiles } from "../../support/plans.ts";
import { PRODUCT_KEY, startProduct } from "../../support/product.ts";
import { expectStatus } from "../../support/service.ts";

/* The client's subpath `/server` against the service. */

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const planFile = planFiles();
const free = {
  key: "free",
  paid: false,
  features: ["audit", "inspectionReports"],
  limits: { inspections: 3 },
};
const { t } = await startProduct({
  BILLING_PLANS_FILE: planFile({ plans: [free], defaultPlan: "free", trial: null }),
  JWT_SIGNING_KEY: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
});
const { APP_URL: issuer = "" } = t.environment;
const product = createProduct({ baseUrl: t.url, issuer, key: PRODUCT_KEY, manifest });
let org: Organization;
beforeAll(async () => {
  org = await createOrganization(t);
});

/** What both ways say of a caller. */
async function answersFor({ accessToken: token }: Caller) {
  const both = [await product.verify(token), await product.check({ token }, { fresh: true })];
  return both.map((caller) =>
    caller.active
      ? { ...caller.organization, id: caller.actor.id, read: caller.reach("Inspections.Read") }
      : caller.reason,
  );
}

test("`verify` and `check` agree on organization and reach, and `check` knows the person, the plan and its features", async () => {
  const europe = await org.unit("Europe");
  const athens = await org.unit("Athens", europe);
  const asia = await org.unit("Asia");
  const role = await org.role("Inspector", "Inspections.Create");
  const person = await org.member({ role: "MEMBER" }, { role, unit: europe });
  const id = await userIdOf(t, person);
  const [verified, checked] = [
    await product.verify(person.accessToken),
    await product.check({ token: person.accessToken }),
  ];
  if (!verified.active || !checked.active) throw new Error("No caller");
  for (const { actor, organization, reach, can, authenticatedAt } of [verified, checked]) {
    expect([actor.id, actor.type, organization.id]).toEqual([id, "user", org.id]);
    expect(reach("Inspections.Read")).toBeNull();
    expect(reach("Inspections.Create")?.toSorted()).toEqual([europe, athens].sort());
    expect([can("Inspections.Create", athens.toUpperCase()), can("Inspections.Create", asia)]).toEqual([
      true,
      false,
    ]);
    expect([can("Inspections.Create"), reach("Inspections.Delete")]).toEqual([true, []]);
    expect([can("Inspections.Delete"), can("Inspections.Create", null)]).toEqual([false, false]);
    expect(Date.parse(authenticatedAt ?? "")).toBeGreaterThan(0);
  }
  expect(verified.authenticatedAt).toBe(checked.authenticatedAt as string);
  expect([checked.actor.email, checked.actor.name, checked.actor.language]).toEqual([
    person.email,
    "Ada Lovelace",
    "en",
  ]);
  expect([checked.organization.plan, checked.organization.features]).toEqual(["free", ["inspectionReports"]]);
});

test("a role that was taken away is gone for a fresh check, and later for the token", async () => {
  const person = await org.member({ role: "ORG_ADMIN" });
  const subject = { organizationId: org.id, userId: await userIdOf(t, person) };
  const mayDelete = async () => {
    const [verified, checked] = [
      await product.verify(person.accessToken),
      await product.check({ token: person.accessToken }, { fresh: true }),
    ];
    const personally = await product.check(subject);
    return [verified, checked, personally].map((caller) => caller.active && caller.can("Inspections.Delete"));
  };
  expect(await mayDelete()).toEqual([true, true, true]);
  const role = await org.role("Guest", "Organization.Read");
  expectStatus(await org.admin.patch(`/api/members/${subject.userId}/roles`, assignments({ role })), 200);
  expect(await mayDelete()).toEqual([true, false, false]);
  expectStatus(await person.refresh(), 200);
  expect(await mayDelete()).toEqual([false, false, false]);
});

test("a caller whose units do not fit into the token is asked for, and so is an API key", async () => {
  const root = await org.unit("Root");
  const units = await Promise.all(Array.from({ length: 150 }, (_, index) => org.unit(`Unit ${index}`, root)));
  const role = await org.role("Builder", "Inspections.Create");
  const person = await org.member({ role, unit: root });
  const caller = await product.verify(person.accessToken);
  expect(caller.active && caller.reach("Inspections.Create")?.toSorted()).toEqual([root, ...units].sort());

  const machine = await createMachine(org, { role, unit: root });
  const service = await product.verify(machine.key);
  if (!service.active) throw new Error(service.reason);
  expect([service.actor.type, service.actor.id, service.can("Inspections.Create", units[7] ?? "")]).toEqual([
    "service_account",
    machine.id,
    true,
  ]);
});

test("both ways refuse who has no organization; `check` knows where a platform administrator acts", async () => {
  const nobody = await t.person();
  await nobody.login();
  expect(await answersFor(nobody)).toEqual(["NO_ORGANIZATION", "NO_ORGANIZATION"]);
  const admin = await t.platformAdmin();
  const token = admin.accessToken;
  expect(await product.verify(token)).toEqual({ active: false, reason: "NO_ORGANIZATION" });
  const acting = await product.check({ token, organizationId: org.id });
  expect(acting.active && [acting.actor.isPlatformAdmin, acting.reach("Inspections.Delete")]).toEqual([
    true,
    null,
  ]);
  expect(await product.check({ token: "eyJhbGciOiJub25lIn0.e30." })).toEqual({
    active: false,
    reason: "INVALID",
  });
});

test("`changes` writes what a caller did, once a key, and names every fault by its path", async () => {
  const person = await org.member({ role: "MEMBER" });
  const caller = await product.verify(person.accessToken);
  if (!caller.active) throw new Error(caller.reason);
  const targetId = await product.id("inspection", 4711);
  const userIds = [caller.actor.id];
  const call = {
    organizationId: org.id,
    actor: caller.actor,
    requestId: "r-1",
    usage: [{ limit: "inspections", id: "4711", amount: 1 }],
    audit: [{ action: "INSPECTION_DELETED", targetId, metadata: { title: "Roof" } }],
    events: [{ type: "inspection.completed", objectId: targetId, object: { id: 4711 } }],
    notifications: [{ type: "INSPECTION_ASSIGNED", userIds, data: { id: "4711", title: "Roof" } }],
  } as const;
  const written = await product.changes(call, { idempotencyKey: "delete-4711" });
  expect(written).toMatchObject({ usage: [{ limit: "inspections", used: 1, max: 3 }], notified: 1 });
  expect(await product.changes(call, { idempotencyKey: "delete-4711" })).toEqual(written);
  const { data } = expectStatus(
    await org.admin.get("/api/organization/audit-events?action=INSPECTION_DELETED"),
    200,
  ).body;
  expect(data).toMatchObject([{ actor: { id: caller.actor.id }, targetId, product: true }]);

  const wrong = { ...call, audit: [{ ...call.audit[0], targetId: "4711" }], notifications: [] };
  const fault = await product.changes(wrong, { idempotencyKey: "wrong" }).catch((error) => error);
  expect(fault instanceof ApiError && Object.keys(fault.fields)).toEqual(["audit.0.targetId"]);
});

test("a reached limit refuses the call with its numbers; `usage` of an organization says how much is used", async () => {
  const other = await createOrganization(t);
  const take = (id: string) =>
    product.changes(
      { organizationId: other.id, actor: null, usage: [{ limit: "inspections", id, amount: 1 }] },
      { idempotencyKey: `${other.id}-${id}`, retries: 0 },
    );
  for (const id of ["1", "2", "3"]) await take(id);
  const details = { limit: "inspections", max: 3, used: 3 } as const;
  expect(await take("4").catch((error) => error)).toMatchObject({ code: "PLAN_LIMIT_REACHED", details });
  const usage = await product.request("GET /api/product/organizations/{id}/usage", {
    path: { id: other.id },
  });
  expect(usage).toEqual([{ ...details, resetsAt: expect.any(String) }]);
});

test("the product reads what its key may read, in an organization and over all of them", async () => {
  const unit = await org.unit("Read");
  const options = { headers: { "X-Organization-Id": org.id } };
  const { data } = await product.request("GET /api/units", options);
  expect(data.map(({ id }) => id)).toContain(unit);
  const organizations = [];
  for await (const { id } of product.rows("GET /api/organizations", { query: { pageSize: 1 } }))
    organizations.push(id);
  expect(organizations).toContain(org.id);
  const wrong = createProduct({
    baseUrl: t.url,
    key: `${PRODUCT_KEY.slice(0, -1)}${PRODUCT_KEY.endsWith("x") ? "y" : "x"}`,
  });
  expect(await wrong.check({ token: "t" }).catch((error) => error)).toMatchObject({ status: 401 });
});
