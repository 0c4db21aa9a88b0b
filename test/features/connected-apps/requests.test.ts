import { expect, test } from "bun:test";
import { allowsApps } from "../../../src/core/access/access.ts";
import { connectApp, type Settings } from "../../support/apps.ts";
import { EVENTS } from "../../support/audit.ts";
import type { ApiResponse, Caller } from "../../support/caller.ts";
import { until } from "../../support/cluster.ts";
import { createCommitGate } from "../../support/commit-gate.ts";
import { isReplay, keyed, newKey } from "../../support/idempotency.ts";
import { holdOrganizationLock } from "../../support/locks.ts";
import { assignments, createOrganization, type Organization } from "../../support/organizations.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { isOfService } from "../../support/product-names.ts";
import { definitions } from "../../support/routes.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { setPolicy } from "../../support/sign-on.ts";
import { withTwoFactor } from "../../support/two-factor.ts";

/* What requests of connected apps may and may not do (rules 46.20 to 46.24, 46.74, 46.75). Grants are inserted. */

const t = await startService({ OAUTH_APPS: "any", OAUTH_RATE_LIMIT: "1000", TRUST_PROXY: "1" });

const connect = (org: Organization, person?: Caller, settings?: Settings) =>
  connectApp(t, org, person, settings);
const challenge = ({ headers }: ApiResponse) => headers.get("www-authenticate");

/** The operations of connected apps; of public ones, an app is anybody. */
const OPERATIONS =
  `createTodo createUnit deleteTodo deleteUnit downloadAttachment getBilling getEvent getHelpdeskOverview getMember
  getOrganization getOrganizationAuditHistogram getOrganizationOverview getOrganizationTicket getTodo listAllTodos listEvents
  listInvitations listMembers listOrganizationAuditEvents listOrganizationTicketMessages listOrganizationTickets listPermissions
  listRoleOptions listRoles listTodos listUnitOptions listUnits replyToOrganizationTicket setOrganizationTicketStatus updateTodo
  updateUnit`.split(/\s+/);
const notPublic = definitions.filter(({ access }) => access !== "public" && access !== "product");

test("apps may call exactly these operations; another one is a decision (rules 46.23)", () => {
  const names = notPublic
    .filter((route) => isOfService(route) && allowsApps(route))
    .map(({ operationId }) => operationId);
  expect(names.filter((name) => name !== "getOwnConnectedApp").sort()).toEqual([...OPERATIONS].sort());
});

test("an app with every scope of an administrator is refused by each other operation, and by these never", async () => {
  const org = await createOrganization(t);
  const { app } = await connect(org);
  const id = crypto.randomUUID();
  for (const route of notPublic) {
    const { method, path, operationId, existsIf } = route;
    if (existsIf && !existsIf(t.running.app.config)) continue;
    const body = method === "get" || method === "delete" ? undefined : {};
    const response = await app.send(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, id), body);
    const isRefused = response.body?.code === "APP_NOT_ALLOWED" && response.status === 403;
    expect([operationId, isRefused]).toEqual([operationId, !allowsApps(route)]);
  }
});

test("an app renames a unit and cannot move it; it neither leaves, exports nor reads keys, webhooks and apps", async () => {
  const org = await createOrganization(t);
  const { app } = await connect(org);
  const [unit, parent] = [await org.unit("Unit"), await org.unit("Parent")];
  expectStatus(await app.patch(`/api/units/${unit}`, { name: "Renamed" }), 200);
  for (const parentId of [parent, null])
    expect(outcome(await app.patch(`/api/units/${unit}`, { name: "Moved", parentId }))).toBe(
      "403 APP_NOT_ALLOWED",
    );
  const { body: refusal } = await app.patch(`/api/units/${unit}`, { parentId: parent });
  expect(refusal.message).toBe("Apps may not move a unit; without `parentId` it can be renamed");
  const { body } = expectStatus(await org.admin.get(`/api/units?search=Renamed`), 200);
  expect(body.data).toMatchObject([{ id: unit, parentId: null }]);
  const refused = [
    () => app.post("/api/organization/leave"),
    () => app.post("/api/profile/export"),
    () => app.get(`${EVENTS}/export?format=csv`),
    () => app.get(`${EVENTS}/proof`),
    () => app.get("/api/service-accounts"),
    () => app.get("/api/webhooks/endpoints"),
    () => app.get("/api/notifications"),
    () => app.get("/api/profile"),
  ];
  for (const call of refused) expect(outcome(await call())).toBe("403 APP_NOT_ALLOWED");
});

test("a demoted person's app loses with the next request; what a promotion adds is within the scopes (rules 46.21)", async () => {
  const org = await createOrganization(t);
  const person = await org.member({ role: "ORG_ADMIN" });
  const { app } = await connect(org, person, { scopes: ["units:read", "units:write"] });
  const give = async (role: string) =>
    expectStatus(await org.admin.patch(`/api/members/${idOf(person)}/roles`, assignments({ role })), 200);
  const create = (name: string) => app.post("/api/units", { name, parentId: null });
  expectStatus(await create("One"), 201);
  await give("MEMBER");
  expect(outcome(await create("Two"))).toBe("403 FORBIDDEN");
  await give("ORG_ADMIN");
  expectStatus(await create("Three"), 201);
  expect(outcome(await app.get("/api/members"))).toBe("403 INSUFFICIENT_SCOPE");
});

test("what is held and not granted names the missing scope; what is granted and not held does not (rules 46.22)", async () => {
  const org = await createOrganization(t);
  const { app } = await connect(org, org.admin, { scopes: ["todos:read"] });
  expectStatus(await app.get("/api/todos"), 200);
  const lacking = await app.post("/api/todos", { title: "One" });
  expect(outcome(lacking)).toBe("403 INSUFFICIENT_SCOPE");
  expect(challenge(lacking)).toBe(
    `Bearer error="insufficient_scope", scope="todos:write", resource_metadata="${t.running.app.config.apiUrl}/.well-known/oauth-protected-resource/api"`,
  );
  const member = await org.member({ role: "MEMBER" });
  const unheld = await (await connect(org, member)).app.get("/api/members/invitations");
  expect([outcome(unheld), challenge(unheld)]).toEqual(["403 FORBIDDEN", null]);
});

test("an organization that requires a second factor refuses what was approved with one, until its account has another (rules 46.22)", async () => {
  const org = await createOrganization(t);
  const { app } = await connect(org);
  const approvedWithTwo = await connect(org, org.admin, { acr: "2" });
  const status = async (caller: Caller) => outcome(await caller.get("/api/todos"));
  await setPolicy(t, org, { two_factor: true });
  expect(await status(app)).toBe("403 TWO_FACTOR_REQUIRED");
  expect(await status(approvedWithTwo.app)).toBe("200");
  await withTwoFactor(t, org.admin);
  expect(await status(app)).toBe("200");
});

test("a grant that ends while a write waits is 401 with the challenge, and nothing is written (rules 46.26)", async () => {
  const org = await createOrganization(t);
  const { grantId, app } = await connect(org);
  const lock = await holdOrganizationLock(t, org.id);
  const answered = app.post("/api/units", { name: "Never", parentId: null });
  await lock.waiting(1);
  expectStatus(await org.admin.delete(`/api/profile/connected-apps/${grantId}`), 204);
  await lock.release();
  const response = await answered;
  expect(outcome(response)).toBe("401 UNAUTHENTICATED");
  expect(challenge(response)).toContain("/.well-known/oauth-protected-resource/api");
  expect(challenge(response)).toContain('error="invalid_token"');
  expect((await t.sql("SELECT FROM units WHERE organization_id = $1", [org.id])).length).toBe(0);
});

test("a disconnection waits for a write that read the grant before; no write commits after its answer (rules 46.51)", async () => {
  const org = await createOrganization(t);
  const { grantId, app } = await connect(org);
  const gate = await (await createCommitGate(t, "units")).close();
  const created = app.post("/api/units", { name: "In time", parentId: null });
  await gate.waiting();
  const ended = org.admin.delete(`/api/profile/connected-apps/${grantId}`);
  const waiters = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await until(async () => ((await t.sql(waiters)).length === 2 ? true : null));
  await gate.open();
  expect([outcome(await created), outcome(await ended)]).toEqual(["201", "204"]);
  const late = await app.post("/api/units", { name: "Late", parentId: null });
  expect(outcome(late)).toBe("401 UNAUTHENTICATED");
});

test("an app is refused by each public route that reads the refresh cookie, which stays as it was (rules 46.23, 46.75)", async () => {
  const org = await createOrganization(t);
  const { app } = await connect(org);
  const headers = { cookie: `refresh_token=${org.admin.cookie}` };
  const withCookie = definitions.filter(
    ({ access, refreshCookie }) => access === "public" && refreshCookie !== undefined,
  );
  expect(withCookie.map(({ operationId }) => operationId)).toContain("refresh");
  for (const { operationId, method, path, existsIf } of withCookie) {
    if (existsIf && !existsIf(t.running.app.config)) continue;
    const body = method === "get" ? undefined : {};
    const response = await app.send(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, "acme"), body, {
      headers,
    });
    expect([operationId, outcome(response), response.cookie]).toEqual([
      operationId,
      "403 APP_NOT_ALLOWED",
      null,
    ]);
  }
  expectStatus(await org.admin.refresh(), 200);
});

test("an app's token is read in the header alone, names no organization, and touches no cookie (rules 46.75)", async () => {
  const org = await createOrganization(t);
  const { app, accessToken } = await connect(org);
  const nobody = t.anonymous();
  for (const response of [
    await nobody.get(`/api/units?access_token=${accessToken}`),
    await nobody.get("/api/units", {
      headers: { cookie: `access_token=${accessToken}; mosa=${accessToken}` },
    }),
    await nobody.post("/api/units", { name: "By body", parentId: null, access_token: accessToken }),
  ])
    expect(outcome(response)).toBe("401 UNAUTHENTICATED");
  for (const id of [org.id, crypto.randomUUID()]) {
    const response = await app.get("/api/units", { headers: { "x-organization-id": id } });
    expect(outcome(response)).toBe("403 ORGANIZATION_OVERRIDE_FORBIDDEN");
  }
  const headers = { cookie: `refresh_token=${org.admin.cookie}` };
  for (const path of ["/api/units", "/api/permissions", "/api/profile"])
    expect((await app.get(path, { headers })).cookie).toBeNull();
  expectStatus(await org.admin.refresh(), 200);
});

test("an idempotency key belongs to the grant; its person's of equal text is another (rules 46.74)", async () => {
  const org = await createOrganization(t);
  const [{ app: one }, { app: other }] = [await connect(org), await connect(org)];
  const key = newKey();
  const create = (who: Caller, title: string) => who.post("/api/todos", { title }, keyed(key));
  const first = expectStatus(await create(one, "By an app"), 201);
  const again = expectStatus(await create(one, "By an app"), 201);
  expect([isReplay(again), again.body]).toEqual([true, first.body]);
  expect(outcome(await create(one, "Another"))).toBe("422 IDEMPOTENCY_KEY_REUSED");
  for (const who of [other, org.admin]) {
    const theirs = expectStatus(await create(who, "By somebody else"), 201);
    expect([isReplay(theirs), theirs.body.id === first.body.id]).toEqual([false, false]);
  }
});

test("the stored responses of a person's apps are deleted with the account", async () => {
  const org = await createOrganization(t);
  const person = await org.member();
  const { grantId, app } = await connect(org, person);
  expectStatus(await app.post("/api/todos", { title: "One" }, keyed(newKey())), 201);
  const stored = () => t.sql("SELECT FROM idempotency_keys WHERE caller_id = $1", [grantId]);
  expect(await stored()).toHaveLength(1);
  expectStatus(await person.post("/api/profile/delete", { password: person.account.password }), 204);
  expect(await stored()).toEqual([]);
});
