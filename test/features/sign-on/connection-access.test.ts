import { expect, test } from "bun:test";
import { rekey } from "../../../src/app/rekey.ts";
import { claims } from "../../support/claims.ts";
import {
  addConnection,
  CONNECTIONS,
  connectionTo,
  enabledConnection,
  MAPPINGS,
  SETUP_LINKS,
  startProvider,
} from "../../support/connections.ts";
import { createMachine } from "../../support/machines.ts";
import { createOrganization, roleId } from "../../support/organizations.ts";
import { outcome } from "../../support/outcomes.ts";
import { PLANS, planFiles, setPlanOverride } from "../../support/plans.ts";
import { expectStatus, startService, uniqueEmail } from "../../support/service.ts";
import { setPolicy } from "../../support/sign-on.ts";
import { POLICY } from "../../support/sign-on-policy.ts";

const [free] = PLANS.plans;
const t = await startService({
  BILLING_PLANS_FILE: planFiles()({
    ...PLANS,
    plans: [free, { key: "enterprise", limits: {}, features: ["sso"], paid: true }],
    trial: null,
  }),
});
const provider = await startProvider();
const platform = await t.platformAdmin();

async function withFeature() {
  const org = await createOrganization(t);
  await setPlanOverride(platform, org, "enterprise");
  return org;
}

test("without the plan feature nothing is added or changed, but a connection is turned off, listed and deleted", async () => {
  const org = await withFeature();
  const id = await enabledConnection(t, org, provider);
  const mapping = { connectionId: id, group: "staff", roleId: roleId("MEMBER") };
  const { id: mappingId } = expectStatus(await org.admin.post(MAPPINGS, mapping), 201).body;
  await setPlanOverride(platform, org, "free");
  const path = `${CONNECTIONS}/${id}`;
  for (const response of [
    await org.admin.post(CONNECTIONS, connectionTo(provider)),
    await org.admin.patch(path, { name: "Other" }),
    await org.admin.patch(path, { status: "DISABLED", name: "Other" }),
    await org.admin.post(MAPPINGS, { ...mapping, group: "other" }),
    await org.admin.post(SETUP_LINKS, { email: uniqueEmail(), what: ["domains"] }),
  ])
    expect(response.body.code).toBe("PLAN_FEATURE_REQUIRED");
  expectStatus(await org.admin.get(CONNECTIONS), 200);
  expect(expectStatus(await org.admin.patch(path, { status: "DISABLED" }), 200).body.status).toBe("DISABLED");
  expect((await org.admin.patch(path, { status: "ENABLED" })).body.code).toBe("PLAN_FEATURE_REQUIRED");
  expectStatus(await org.admin.delete(`${MAPPINGS}/${mappingId}`), 204);
  expectStatus(await org.admin.delete(path), 204);
});

test("a policy survives the end of the plan: it binds as before, is not tightened, and is loosened", async () => {
  const org = await withFeature();
  const [member, other] = [await org.member(), await createOrganization(t)];
  await other.add(member, { role: "MEMBER" });
  await setPolicy(t, org, { scope: "everyone" });
  await setPlanOverride(platform, org, "free");
  expectStatus(await member.refresh(), 200);
  expect(claims(member).organization?.id).toBe(other.id);
  await setPolicy(t, org);
  for (const tighter of [{ scope: "everyone" }, { requireTwoFactor: true }])
    expect((await org.admin.patch(POLICY, tighter)).body.code).toBe("PLAN_FEATURE_REQUIRED");
  await setPolicy(t, org, { scope: "domains", hours: 24 });
  expectStatus(await org.admin.patch(POLICY, { scope: "off", maxSessionHours: null }), 200);
});

test("a platform administrator reads, disables and deletes, and does nothing else", async () => {
  const org = await withFeature();
  const path = `${CONNECTIONS}/${await enabledConnection(t, org, provider)}`;
  const at = { headers: { "x-organization-id": org.id } };
  expectStatus(await platform.get(path, at), 200);
  for (const body of [{ name: "Other" }, { status: "ENABLED" }, { status: "DISABLED", name: "Other" }, {}])
    expect((await platform.patch(path, body, at)).body.code).toBe("FORBIDDEN");
  expect(expectStatus(await platform.patch(path, { status: "DISABLED" }, at), 200).body.status).toBe(
    "DISABLED",
  );
  expectStatus(await platform.delete(path, at), 204);
});

test("API keys read connections, mappings and setup links by their permission, and write none", async () => {
  const org = await withFeature();
  const id = await addConnection(org, provider);
  const { caller } = await createMachine(org, { role: "ORG_ADMIN" });
  for (const path of [
    CONNECTIONS,
    `${CONNECTIONS}/${id}`,
    `${CONNECTIONS}/${id}/groups`,
    MAPPINGS,
    SETUP_LINKS,
  ])
    expectStatus(await caller.get(path), 200);
  for (const response of [
    await caller.post(CONNECTIONS, connectionTo(provider)),
    await caller.patch(`${CONNECTIONS}/${id}`, { name: "Other" }),
    await caller.delete(`${CONNECTIONS}/${id}`),
    await caller.post(MAPPINGS, {}),
    await caller.post(SETUP_LINKS, {}),
  ])
    expect(response.body.code).toBe("API_KEY_NOT_ALLOWED");
});

test("a repeated creation returns the first response, without the secret", async () => {
  const org = await withFeature();
  const headers = { "idempotency-key": crypto.randomUUID() };
  const [first, second] = [
    await org.admin.post(CONNECTIONS, connectionTo(provider), { headers }),
    await org.admin.post(CONNECTIONS, connectionTo(provider), { headers }),
  ];
  expect(expectStatus(second, 201).body).toEqual(expectStatus(first, 201).body);
  expect((await org.admin.get(CONNECTIONS)).body.total).toBe(1);
  const stored = await t.sql("SELECT body FROM idempotency_keys WHERE organization_id = $1", [org.id]);
  expect(JSON.stringify(stored)).not.toContain("s3cret");
});

test("secrets of connections are encrypted again with the new key", async () => {
  const org = await withFeature();
  const id = await addConnection(org, provider);
  const secretOf = async () =>
    (await t.sql("SELECT client_secret FROM sso_connections WHERE id = $1", [id]))[0]?.client_secret;
  const before = await secretOf();
  const next = await startService({
    DATABASE_URL: t.environment.DATABASE_URL,
    CONNECTION_ENCRYPTION_KEY: "another key of connections, 32 characters",
    CONNECTION_ENCRYPTION_KEY_PREVIOUS: t.environment.CONNECTION_ENCRYPTION_KEY,
  });
  const done = await rekey(next.running);
  expect(done["connection secrets"]).toMatchObject({ unreadable: 0 });
  expect(done["connection secrets"]?.encrypted).toBeGreaterThan(0);
  expect(await secretOf()).not.toBe(before);
  expect((await rekey(next.running))["connection secrets"]).toEqual({ encrypted: 0, unreadable: 0 });
});

test("who has lost the permission makes the service send no request to a provider, with a token from before", async () => {
  const org = await withFeature();
  const id = await addConnection(org, provider);
  const held = await org.member({ role: "ORG_ADMIN" });
  const roles = { assignments: [{ roleId: roleId("MEMBER"), unitId: null }] };
  expectStatus(await org.admin.patch(`/api/members/${claims(held).sub}/roles`, roles), 200);
  const requested = provider.calls.length;
  const change = { oidc: { issuer: `${provider.issuer}/other` } };
  expect(outcome(await held.post(CONNECTIONS, connectionTo(provider)))).toBe("403 FORBIDDEN");
  expect(outcome(await held.patch(`${CONNECTIONS}/${id}`, change))).toBe("403 FORBIDDEN");
  expect(provider.calls.length).toBe(requested);
});
