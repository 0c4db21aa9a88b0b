import { expect, test } from "bun:test";
import { connectApp, DOCUMENT_APP, endOfGrant, works } from "../../support/apps.ts";
import { EVENTS } from "../../support/audit.ts";
import { createMachine } from "../../support/machines.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { actingIn, idOf, messages, outcome } from "../../support/outcomes.ts";
import { expectStatus, startService } from "../../support/service.ts";

/* Grants are inserted: how people approve them is tested elsewhere. */

const BLOCKED = "https://blocked.example.com/client.json";
const OPERATORS = "https://operator.example.com/client.json";
const t = await startService({
  OAUTH_APPROVED_APPS: `operator.example.com,${BLOCKED},chatgpt.com`,
  OAUTH_BLOCKED_APPS: "blocked.example.com",
});
const own = await startService({ OAUTH_DOCUMENT_NETWORKS: "10.0.0.0/8" }, { databaseUrl: t.databaseUrl });
const APPS = "/api/organization/approved-apps";

const approve = async ({ admin }: Organization, app: string): Promise<string> =>
  expectStatus(await admin.post(APPS, { app }), 201).body.id;
const grantOf = async (org: Organization, clientId = DOCUMENT_APP) =>
  connectApp(t, org, await org.member(), { clientId });

test("an app is approved, listed with those of the operator, and taken back", async () => {
  const org = await createOrganization(t);
  const { admin } = org;
  const { body } = expectStatus(await admin.post(APPS, { app: "claude.ai" }), 201);
  expect(body).toEqual({
    id: expect.any(String),
    app: "claude.ai",
    addedBy: { id: idOf(admin), email: admin.email },
    createdAt: expect.any(String),
  });
  expect(outcome(await admin.post(APPS, { app: "claude.ai" }))).toBe("409 CONFLICT");
  const second = await approve(org, "agent.example.com");
  const { data, operator } = (await admin.get(APPS)).body;
  expect(data.map(({ app }: { app: string }) => app)).toEqual(["agent.example.com", "claude.ai"]);
  expect(data[1]).toEqual(body);
  expect(operator).toEqual(["chatgpt.com", BLOCKED, "operator.example.com"]);
  expectStatus(await admin.delete(`${APPS}/${second}`), 204);
  expectStatus(await admin.delete(`${APPS}/${second}`), 404);
  const events = (await admin.get(`${EVENTS}?targetId=${second}&order=asc`)).body.data;
  expect(events.map((event: { action: string; metadata: object }) => [event.action, event.metadata])).toEqual(
    [
      ["APPROVED_APP_ADDED", { app: "agent.example.com" }],
      ["APPROVED_APP_REMOVED", { app: "agent.example.com" }],
    ],
  );
});

test("only a host of one party or a whole client id is an app (46.35, AP30)", async () => {
  const org = await createOrganization(t);
  for (const bad of [
    "",
    "github.io",
    "com",
    "co.uk",
    "127.0.0.1",
    "[::1]",
    "203.0.113.7",
    "claude.ai:8443",
    "Claude.ai",
    "claude.ai.",
    "*.claude.ai",
    "claude.ai/",
    "localhost",
    "https://claude.ai",
    "https://claude.ai/",
    "https://claude.ai/client.json?v=1",
    "https://claude.ai/client.json#x",
    "https://a@claude.ai/client.json",
    "https://claude.ai/x/../client.json",
    "https://CLAUDE.ai/client.json",
    "https://10.0.0.7/client.json",
    "https://claude.ai:22/client.json",
    "https://app.internal/client.json",
    "http://claude.ai/client.json",
    "javascript:alert(1)",
    `https://claude.ai/${"a".repeat(2_048)}`,
  ])
    expect([bad, messages(await org.admin.post(APPS, { app: bad }))]).toEqual([
      bad,
      ["app must be a host or a client id"],
    ]);
  for (const good of ["user.github.io", "mcp.claude.ai", "https://claude.ai/oauth/client.json"])
    await approve(org, good);
  for (const bad of [7, null, "claude.ai\u0000"]) expectStatus(await org.admin.post(APPS, { app: bad }), 400);
  expectStatus(await org.admin.post(APPS, {}), 400);
});

test("documents by http are apps only in networks of the operator", async () => {
  const { admin } = await createOrganization(t);
  const body = { app: "http://tools.intranet:8080/client.json" };
  const both = { ...body, odd: 1 };
  expect(messages(await admin.post(APPS, body))).toEqual(["app must be a host or a client id"]);
  expect(messages(await admin.post(APPS, both)).length).toBe(2);
  expectStatus(await admin.at(own.url).post(APPS, body), 201);
});

test("reading needs the permission in the whole organization, writing that to change the organization", async () => {
  const org = await createOrganization(t);
  const id = await approve(org, "claude.ai");
  const unit = await org.unit("Sales");
  const member = await org.member();
  expect(outcome(await (await org.member({ role: "UNIT_ADMIN", unit })).get(APPS))).toBe("403 FORBIDDEN");
  expectStatus(await member.get(APPS), 200);
  expect(outcome(await member.post(APPS, { app: "chatgpt.com" }))).toBe("403 FORBIDDEN");
  expect(outcome(await member.delete(`${APPS}/${id}`))).toBe("403 FORBIDDEN");
  const { caller: machine } = await createMachine(org, { role: "ORG_ADMIN" });
  expectStatus(await machine.get(APPS), 200);
  expect(outcome(await machine.post(APPS, { app: "chatgpt.com" }))).toBe("403 API_KEY_NOT_ALLOWED");
  const { admin: stranger } = await createOrganization(t);
  expectStatus(await stranger.delete(`${APPS}/${id}`), 404);

  const platform = await t.platformAdmin();
  expect((await platform.get(APPS, actingIn(org))).body.data[0].id).toBe(id);
  expect(outcome(await platform.get(APPS))).toBe("400 ORGANIZATION_REQUIRED");
  expectStatus(await platform.post(APPS, { app: "chatgpt.com" }, actingIn(org)), 201);
  expectStatus(await platform.delete(`${APPS}/${id}`, actingIn(org)), 204);
});

test("an organization has at most 200", async () => {
  const { admin, id } = await createOrganization(t);
  await t.sql(
    "INSERT INTO oauth_approved_apps (organization_id, app) SELECT $1, 'app' || n || '.example.com' FROM generate_series(1, 199) n",
    [id],
  );
  const attempts = await Promise.all(
    ["a.example.com", "b.example.com"].map((app) => admin.post(APPS, { app })),
  );
  expect(attempts.map(({ status }) => status).sort()).toEqual([201, 409]);
  expect(attempts.find(({ status }) => status === 409)?.body.details).toEqual({ max: 200 });
  expect((await admin.get(APPS)).body.data.length).toBe(200);
});

test("a host covers the apps at that host alone, and no subdomain (46.35, AP30)", async () => {
  const org = await createOrganization(t);
  await approve(org, "example.com");
  const [here, below, above] = [
    await grantOf(org, "https://example.com/client.json"),
    await grantOf(org, "https://app.example.com/client.json"),
    await grantOf(org, "https://notexample.com/client.json"),
  ];
  expect([await works(t, here), await works(t, below), await works(t, above)]).toEqual([true, false, false]);
  await approve(org, "https://app.example.com/client.json");
  expect(await works(t, below)).toBe(true);
});

test("what the operator blocks no approval covers, also for live grants; what the operator approves needs none (46.34, AP30)", async () => {
  const org = await createOrganization(t);
  const [blocked, approved] = [await grantOf(org, BLOCKED), await grantOf(org, OPERATORS)];
  await approve(org, "blocked.example.com");
  await approve(org, BLOCKED);
  expect([await works(t, blocked), await works(t, approved)]).toEqual([false, true]);
  expectStatus(await org.admin.patch("/api/organization", { connectedApps: "any" }), 200);
  expect(await works(t, blocked)).toBe(false);
  // Without the operator's word it works: nothing of it ended.
  expect([await works(own, blocked), await endOfGrant(t, blocked)]).toEqual([true, null]);
});

test("taking an approval back ends what nothing else covers, at once on every instance, and approving again revives nothing (46.36, AP31)", async () => {
  const org = await createOrganization(t);
  const [host, whole] = [await approve(org, "agent.example.com"), await approve(org, DOCUMENT_APP)];
  const grants = [await grantOf(org), await grantOf(org)];
  const elsewhere = await grantOf(org, "https://agent.example.com/other.json");
  expectStatus(await org.admin.delete(`${APPS}/${host}`), 204);
  expect([await works(t, elsewhere), await works(own, elsewhere)]).toEqual([false, false]);
  for (const grant of grants) expect(await works(own, grant)).toBe(true);
  expectStatus(await org.admin.delete(`${APPS}/${whole}`), 204);
  for (const grant of grants) {
    expect([await works(t, grant), await works(own, grant)]).toEqual([false, false]);
    expect(await endOfGrant(t, grant)).toBe("policy");
  }
  await approve(org, "agent.example.com");
  for (const grant of [...grants, elsewhere]) expect(await works(t, grant)).toBe(false);
  const { data } = (await org.admin.get(`${EVENTS}?action=APPROVED_APP_REMOVED&order=asc`)).body;
  expect(data.map(({ metadata }: { metadata: object }) => metadata)).toEqual([
    { app: "agent.example.com", endedApps: 1 },
    { app: DOCUMENT_APP, endedApps: 2 },
  ]);
});

test("under the policy `any` taking an approval back ends nothing", async () => {
  const org = await createOrganization(t);
  const id = await approve(org, "agent.example.com");
  expectStatus(await org.admin.patch("/api/organization", { connectedApps: "any" }), 200);
  const grant = await grantOf(org);
  expectStatus(await org.admin.delete(`${APPS}/${id}`), 204);
  expect([await works(t, grant), await endOfGrant(t, grant)]).toEqual([true, null]);
});
