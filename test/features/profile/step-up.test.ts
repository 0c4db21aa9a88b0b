import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { ACCOUNTS, createMachine, keyPath } from "../../support/machines.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { isOfService } from "../../support/product-names.ts";
import { definitions } from "../../support/routes.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { stale } from "../../support/sessions.ts";

const t = await startService({
  REAUTHENTICATION_MINUTES: "10",
  REAUTHENTICATION_FOR: "authority,billing,platform",
});
const REAUTHENTICATE = "/api/profile/reauthenticate";
const REFUSED = "403 REAUTHENTICATION_REQUIRED";
const ANY = crypto.randomUUID();

/** Sends a write to a route with unknown ids and an invalid body. */
const attempt = (
  who: Caller,
  { method, path }: { method: string; path: string },
  body: unknown = { odd: 1 },
) => who.send(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, ANY), method === "delete" ? undefined : body);

const routesOf = (name: string) =>
  definitions.filter(({ reauthentication }) =>
    (reauthentication?.classes as readonly string[] | undefined)?.includes(name),
  );

test("routes of a configured class need a recent proof of identity, which is checked before the request is validated", async () => {
  const acme = await createOrganization(t);
  const admin = await stale(t, acme.admin);
  const root = await stale(t, await t.platformAdmin());
  const authority = routesOf("authority").filter(({ reauthentication }) => !reauthentication?.ifBodyHas);
  expect(authority.length).toBeGreaterThan(10);
  for (const route of [...authority, ...routesOf("billing")])
    expect([route.operationId, outcome(await attempt(admin, route))]).toEqual([route.operationId, REFUSED]);
  for (const route of authority)
    expect(outcome(await attempt(root, route))).toMatch(/REAUTHENTICATION_REQUIRED|ORGANIZATION_REQUIRED/);
  const platform = routesOf("platform");
  expect(platform.length).toBeGreaterThan(7);
  for (const route of platform)
    expect([route.operationId, outcome(await attempt(root, route))]).toEqual([route.operationId, REFUSED]);

  expectStatus(await admin.post(REAUTHENTICATE, { password: admin.account.password }), 204);
  for (const route of authority) expect(outcome(await attempt(admin, route))).not.toBe(REFUSED);
});

/** Writes that need a permission or a platform administrator, and no recent proof of identity, with the reason. */
const FREE: Record<string, string> = {
  createUnit: "a new unit has neither members nor roles",
  createUnits: "new units have neither members nor roles",
  deleteUnit: "only an empty unit is deleted",
  revokeApiKey: "a leaked key must be revoked at once; it gives nobody authority",
  deleteWebhookEndpoint: "ends a flow of data and starts none",
  testWebhookEndpoint: "sends no data to the address that is configured",
  resendWebhookDelivery: "sends again to the address that is configured",
  recoverWebhookDeliveries: "sends again to the address that is configured",
  verifyDomain: "asks DNS; the class stands where the domain is added",
  testConnection: "signs nobody in; a tested connection is enabled with a proof",
  previewSsoMapping: "writes nothing",
  revokeSetupLink: "a leaked link must be revoked at once; it gives nobody authority",
  disconnectApp: "ends at once what an app may do; nobody may be kept from it",
  createTodo: "content",
  updateTodo: "content",
  deleteTodo: "content",
  replyToOrganizationTicket: "content",
  setOrganizationTicketStatus: "content",
  replyToTicket: "content",
  setTicketStatus: "content",
  deleteTicket: "content",
};

test("every write that needs a permission or a platform administrator has a class, or a reason to have none", () => {
  const unproven = definitions.filter(
    ({ method, access, reauthentication, ...route }) =>
      isOfService(route) &&
      method !== "get" &&
      (typeof access === "object" || access === "platform-admin") &&
      reauthentication === undefined,
  );
  expect(unproven.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(FREE).sort());
});

test("a stale session gives machines no authority, and still changes what gives none", async () => {
  const acme = await createOrganization(t);
  const admin = acme.admin;
  const machine = await createMachine(acme, { role: "MEMBER" });
  const account = `${ACCOUNTS}/${machine.id}`;
  const endpoint = expectStatus(
    await admin.post("/api/webhooks/endpoints", { url: "https://hooks.example.com/", eventTypes: ["*"] }),
    201,
  ).body.id;
  const [unit, parent] = [await acme.unit("Sales"), await acme.unit("Europe")];
  await stale(t, admin);
  const free: [path: string, body: object][] = [
    [account, { name: "Renamed" }],
    [account, { enabled: false }],
    [keyPath(machine), { name: "Renamed" }],
    [`/api/units/${unit}`, { name: "Renamed" }],
  ];
  for (const [path, body] of free)
    expect([body, outcome(await admin.patch(path, body))]).toEqual([body, "200"]);
  const guarded: [path: string, body: object][] = [
    [account, { enabled: true }],
    [account, { name: "Again", enabled: true }],
    [keyPath(machine), { allowedIps: null }],
    [keyPath(machine), { name: "Again", allowedIps: ["10.0.0.1"] }],
    [`/api/units/${unit}`, { parentId: parent }],
    [`/api/units/${unit}`, { parentId: null }],
    [`/api/webhooks/endpoints/${endpoint}`, { url: "https://other.example.com/" }],
    [`/api/webhooks/endpoints/${endpoint}`, { enabled: true }],
  ];
  for (const [path, body] of guarded)
    expect([body, outcome(await admin.patch(path, body))]).toEqual([body, REFUSED]);
  expect(outcome(await admin.delete(account))).toBe(REFUSED);
  expect(outcome(await admin.post(`/api/webhooks/endpoints/${endpoint}/rotate-secret`, {}))).toBe(REFUSED);
  expectStatus(await admin.post(REAUTHENTICATE, { password: admin.account.password }), 204);
  for (const [path, body] of guarded)
    expect([body, outcome(await admin.patch(path, body))]).toEqual([body, "200"]);
});

test("changing an organization's default role belongs to the class `authority`, changing its other settings does not", async () => {
  const acme = await createOrganization(t);
  const admin = await stale(t, acme.admin);
  expect(outcome(await admin.patch("/api/organization", { defaultRoleId: null }))).toBe(REFUSED);
  expect(outcome(await admin.patch("/api/organization", { name: "Other" }))).toBe("200");
});

test("routes of a class that is not configured need no recent proof of identity", async () => {
  const person = await stale(t, await t.person());
  expect(outcome(await person.delete("/api/profile/sessions"))).toBe("204");
});

test("a caller without the permission gets 403 FORBIDDEN, not the error about a missing proof of identity", async () => {
  const acme = await createOrganization(t);
  const member = await stale(t, await acme.member());
  expect(outcome(await member.post("/api/roles", { odd: 1 }))).toBe("403 FORBIDDEN");
});

test("REAUTHENTICATION_REQUIRED lists the methods that the account can use, and the maximum age of the proof", async () => {
  const acme = await createOrganization(t);
  const admin = await stale(t, acme.admin);
  const refused = await admin.post("/api/roles", {});
  expect(refused.body.details).toEqual({ methods: ["password"], maxAgeSeconds: 600 });
  await t.sql("UPDATE users SET password_hash = NULL WHERE id = $1", [idOf(admin)]);
  expect((await admin.post("/api/roles", {})).body.details.methods).toEqual(["reset-mail"]);
});

test("on a route that needs a recent proof, the access token of an ended session is 401", async () => {
  const acme = await createOrganization(t);
  const admin = await stale(t, acme.admin);
  await t.sql("DELETE FROM refresh_tokens WHERE user_id = $1", [idOf(admin)]);
  expect(outcome(await admin.post("/api/roles", {}))).toBe("401 UNAUTHENTICATED");
});

test("a correct password in the body of an operation counts as the proof of identity, a wrong one does not", async () => {
  const { url } = await t.beside({ REAUTHENTICATION_FOR: "account" });
  const person = (await stale(t, await t.person())).at(url);
  const setUp = (body: object) => person.post("/api/profile/2fa/setup", body);
  expect(outcome(await setUp({}))).toBe(REFUSED);
  expect(outcome(await setUp({ password: "not this one" }))).toBe("400 INVALID_CREDENTIALS");
  expect(outcome(await setUp({ password: person.account.password }))).toBe("200");
  // For an account without a password, a password in the body is no proof.
  await stale(t, person);
  await t.sql("UPDATE users SET password_hash = NULL WHERE id = $1", [idOf(person)]);
  expect(outcome(await setUp({ password: "anything at all" }))).toBe(REFUSED);
});
