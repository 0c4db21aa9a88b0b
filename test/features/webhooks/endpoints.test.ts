import { expect, test } from "bun:test";
import { createOrganization } from "../../support/organizations.ts";
import { expectStatus, sharedService, startService } from "../../support/service.ts";
import { createEndpoint, ENDPOINTS } from "../../support/webhooks.ts";

const t = await sharedService();
const url = "https://hooks.example.com/a";

test("an endpoint is created with a secret that is shown once, listed and read without it", async () => {
  const org = await createOrganization(t);
  const { body } = expectStatus(
    await org.admin.post(ENDPOINTS, {
      url,
      eventTypes: ["todo.created", "todo.created"],
      description: "Warehouse",
    }),
    201,
  );
  const { secret, ...shown } = body;
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(shown).toMatchObject({
    url,
    eventTypes: ["todo.created"],
    enabled: true,
    pendingCount: 0,
    createdBy: { type: "user" },
  });
  expect(expectStatus(await org.admin.get(`${ENDPOINTS}/${body.id}`), 200).body).toEqual(shown);
  expect((await org.admin.get(`${ENDPOINTS}?search=WAREHOUSE`)).body).toMatchObject({
    data: [shown],
    total: 1,
  });
  expect((await org.admin.get(`${ENDPOINTS}?search=nothing`)).body.total).toBe(0);
});

test("naming a type needs its permission for the whole organization, and `*` needs all", async () => {
  const org = await createOrganization(t);
  const role = await org.role("Hooks", "Webhooks.Create", "Webhooks.Update", "Webhooks.Read", "Units.Read");
  const person = await org.member({ role });
  const post = (eventTypes: string[]) => person.post(ENDPOINTS, { url, eventTypes });
  expectStatus(await post(["unit.created"]), 201);
  for (const eventTypes of [["todo.created"], ["unit.created", "member.created"], ["*"]])
    expect((await post(eventTypes)).body.code).toBe("PERMISSION_NOT_HELD");
  const endpoint = await createEndpoint(org.admin, url);
  for (const change of [{ url: "https://mine.example.com/" }, { eventTypes: ["todo.created"] }])
    expect((await person.patch(endpoint.path, change)).body.code).toBe("PERMISSION_NOT_HELD");
  expect((await person.post(`${endpoint.path}/rotate-secret`, {})).body.code).toBe("PERMISSION_NOT_HELD");
  expectStatus(await person.patch(endpoint.path, { description: "Mine" }), 200);
  expectStatus(await post(["unit.sold"]), 400);
  expectStatus(await post(["webhook.test"]), 400);
  expectStatus(await post([]), 400);
});

test("an endpoint of another organization is 404 for every route", async () => {
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const { path } = await createEndpoint(org.admin, url);
  const { admin } = other;
  expectStatus(await admin.get(path), 404);
  expectStatus(await admin.patch(path, { enabled: false }), 404);
  expectStatus(await admin.delete(path), 404);
  expectStatus(await admin.get(`${path}/deliveries`), 404);
  for (const route of ["rotate-secret", "test"]) expectStatus(await admin.post(`${path}/${route}`, {}), 404);
  expectStatus(await admin.post(`${path}/recover`, { from: new Date().toISOString() }), 404);
  expectStatus(await org.admin.get(path), 200);
});

test("changes are audited with the host alone, and disabling by hand has its reason", async () => {
  const org = await createOrganization(t);
  const { path, id } = await createEndpoint(org.admin, url);
  expectStatus(await org.admin.patch(path, { url: "https://b.example.com/x" }), 200);
  expect(expectStatus(await org.admin.patch(path, { enabled: false }), 200).body).toMatchObject({
    enabled: false,
    disabledReason: "MANUAL",
    disabledAt: expect.any(String),
  });
  expectStatus(await org.admin.delete(path), 204);
  const { data } = (await org.admin.get(`/api/organization/audit-events?targetId=${id}&order=asc`)).body;
  expect(
    data.map(({ action, metadata }: { action: string; metadata: object }) => [action, metadata]),
  ).toEqual([
    ["WEBHOOK_ENDPOINT_CREATED", { host: "hooks.example.com", eventTypes: ["todo.created"] }],
    ["WEBHOOK_ENDPOINT_UPDATED", { from: { host: "hooks.example.com" }, to: { host: "b.example.com" } }],
    ["WEBHOOK_ENDPOINT_UPDATED", { from: { enabled: true }, to: { enabled: false } }],
    ["WEBHOOK_ENDPOINT_DELETED", { host: "b.example.com" }],
  ]);
});

test("an organization has at most 50 endpoints, and of two at once for the last one is refused", async () => {
  const org = await createOrganization(t);
  for (let at = 0; at < 49; at += 1) await createEndpoint(org.admin, url);
  const body = { url, eventTypes: ["todo.created"] };
  const both = await Promise.all([org.admin.post(ENDPOINTS, body), org.admin.post(ENDPOINTS, body)]);
  expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
});

test("the catalogue has every type with its permission and an example; the test has none", async () => {
  const org = await createOrganization(t);
  const { body } = expectStatus(await org.admin.get("/api/webhooks/event-types"), 200);
  const byType = new Map(body.map((one: { type: string }) => [one.type, one]));
  expect(byType.get("unit.created")).toMatchObject({
    version: 1,
    permission: "Units.Read",
    example: { type: "unit.created", data: { object: { name: expect.any(String) } } },
  });
  expect(byType.get("webhook.test")).toMatchObject({ permission: null });
});

test("repeated with its Idempotency-Key, a creation returns no secret", async () => {
  const org = await createOrganization(t);
  const headers = { "idempotency-key": crypto.randomUUID() };
  const body = { url, eventTypes: ["todo.created"] };
  expect((await org.admin.post(ENDPOINTS, body, { headers })).body.secret).toStartWith("whsec_");
  const again = expectStatus(await org.admin.post(ENDPOINTS, body, { headers }), 201);
  expect([again.body.secret, again.headers.get("idempotent-replayed")]).toEqual([null, "true"]);
});

test("with EVENTS=off the routes of webhooks are 404", async () => {
  const off = await startService({ EVENTS: "off" });
  const org = await createOrganization(off);
  expectStatus(await org.admin.get(ENDPOINTS), 404);
  expectStatus(await org.admin.post(ENDPOINTS, { url, eventTypes: ["*"] }), 404);
  expectStatus(await org.admin.get("/api/webhooks/event-types"), 404);
});
