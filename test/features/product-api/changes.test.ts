import { beforeAll, expect, test } from "bun:test";
import { seal, verify } from "../../support/audit-chains.ts";
import type { Caller } from "../../support/caller.ts";
import { createMachine } from "../../support/machines.ts";
import { createOrganization, type Organization, userIdOf } from "../../support/organizations.ts";
import { relay } from "../../support/outgoing-events.ts";
import { startProduct } from "../../support/product.ts";
import { expectStatus } from "../../support/service.ts";
import { createEndpoint, deliver, LOCAL, startReceiver } from "../../support/webhooks.ts";

const { t, product } = await startProduct(LOCAL);
let org: Organization;
let unit: string;
let person: Caller;
let personId: string;
beforeAll(async () => {
  org = await createOrganization(t);
  unit = await org.unit("Athens");
  person = await org.member({ role: "MEMBER", unit });
  personId = await userIdOf(t, person);
});

const TARGET = "0190c7a0-5b21-7c0b-9a77-5d1e2f3a4b5c";
const audit = (title: string, more: object = {}) => ({
  action: "INSPECTION_DELETED",
  targetId: TARGET,
  metadata: { title },
  ...more,
});
const completed = (more: object = {}) => ({
  type: "inspection.completed",
  objectId: TARGET,
  object: { id: 4711 },
  ...more,
});
const assigned = (more: object = {}) => ({
  type: "INSPECTION_ASSIGNED",
  userIds: [personId],
  data: { id: "4711", title: "Roof" },
  ...more,
});
const report = (body: object, key?: string) =>
  product.changes(
    { organizationId: org.id, actor: { userId: personId }, ...body },
    key === undefined ? {} : { headers: { "idempotency-key": key } },
  );
const usage = (id: string, amount = 1) => ({ limit: "inspections", id, amount });
const entries = async (caller: Caller, query = "action=INSPECTION_DELETED") =>
  expectStatus(await caller.get(`/api/organization/audit-events?${query}`), 200).body.data;
const faultsOf = async (body: object) =>
  expectStatus(await report(body), 400).body.errors.map(({ path }: { path: string }) => path);

test("usage, audit entry, event and notification commit together, and each shows person, product and text", async () => {
  const reach = { unitId: unit };
  const { body } = expectStatus(
    await report({
      ip: "::ffff:203.0.113.7",
      requestId: "r-1",
      usage: [usage("a")],
      audit: [audit("Roof", { reach })],
      events: [completed({ reach, previous: { done: false } })],
      notifications: [assigned()],
    }),
    200,
  );
  expect(body).toMatchObject({ usage: [{ limit: "inspections", used: 1, max: null }], notified: 1 });
  const [entry] = await entries(org.admin);
  expect(entry).toMatchObject({
    actor: { id: personId, email: person.email },
    targetType: "inspection",
    targetId: TARGET,
    ip: "203.0.113.7",
    requestId: "r-1",
    product: true,
    text: {
      en: `${person.email} deleted the inspection Roof`,
      el: `${person.email} deleted the inspection Roof`,
    },
  });
  await relay(t);
  const event = expectStatus(await org.admin.get(`/api/events/${body.eventIds[0]}`), 200).body;
  expect(event).toMatchObject({
    type: "inspection.completed",
    actor: { type: "user", id: personId },
    requestId: "r-1",
    data: { object: { id: 4711 }, previous: { done: false } },
  });
  const [notification] = expectStatus(await person.get("/api/notifications"), 200).body.data;
  expect(notification).toMatchObject({
    type: "INSPECTION_ASSIGNED",
    data: { id: "4711", title: "Roof" },
    text: { en: "“Roof” was assigned to you." },
    link: "https://app.example.com/inspections/4711",
  });
  const [mail] = await t.mailTo(person.email);
  expect(mail?.subject).toBe("“Roof” was assigned to you.");
  expect(mail?.links).toContain("https://app.example.com/inspections/4711");
});

test("a fault in the last entry, or in the database, leaves nothing behind, and every fault is named at once", async () => {
  const before = await entries(org.admin);
  const [other, foreign] = [crypto.randomUUID(), await createOrganization(t)];
  const paths = await faultsOf({
    usage: [{ limit: "members", id: "", amount: -1 }, usage("b"), usage("b", 2)],
    audit: [audit("x", { action: "UNIT_DELETED", metadata: { deep: {} } })],
    events: [completed({ object: { text: "x".repeat(20_500) } })],
    notifications: [assigned({ data: { title: 3 } }), assigned({ data: { id: "..", title: "x" } })],
  });
  expect(paths.sort()).toEqual([
    "audit.0.action",
    "audit.0.metadata.deep",
    "events.0.object",
    "notifications.0.data.id",
    "notifications.0.data.title",
    "notifications.1.data",
    "usage.0.amount",
    "usage.0.id",
    "usage.0.limit",
    "usage.2.id",
  ]);
  const unknown = {
    actor: { userId: await userIdOf(t, foreign.admin) },
    audit: [audit("a"), audit("b", { reach: { unitId: await foreign.unit("There") } })],
    events: [completed({ reach: { userId: other } })],
    usage: [usage("c", 5)],
  };
  expect(await faultsOf(unknown)).toEqual(["actor", "audit.1.reach.unitId", "events.0.reach.userId"]);
  expect(await entries(org.admin)).toEqual(before);
  const [{ used }] = expectStatus(await product.get(`/api/product/organizations/${org.id}/usage`), 200).body;
  expect(used).toBe(1);
});

test("a repetition with the same key gets the stored response for seven days, and another body 422", async () => {
  const key = crypto.randomUUID();
  const first = expectStatus(await report({ audit: [audit("Once")] }, key), 200);
  const again = expectStatus(await report({ audit: [audit("Once")] }, key), 200);
  expect([again.body, again.headers.get("idempotent-replayed")]).toEqual([first.body, "true"]);
  expect(await entries(org.admin, "search=INSPECTION&pageSize=100")).toHaveLength(2);
  expectStatus(await report({ audit: [audit("Twice")] }, key), 422);
  await t.age("idempotency_keys", {}, { days: 6 });
  expectStatus(await report({ audit: [audit("Once")] }, key), 200);
  await t.age("idempotency_keys", {}, { days: 1 });
  expectStatus(await report({ audit: [audit("Again")] }, key), 200);
  const without = { organizationId: org.id, audit: [audit("x")] };
  const refused = expectStatus(await product.post("/api/product/changes", without), 400);
  expect(refused.body.errors).toEqual([{ path: "Idempotency-Key", message: "Idempotency-Key is required" }]);
});

test("an administrator of the unit reads entry and event, another one does not, and the log stays sealed", async () => {
  const elsewhere = await org.unit("Berlin");
  const here = await org.member({ role: "UNIT_ADMIN", unit });
  const there = await org.member({ role: "UNIT_ADMIN", unit: elsewhere });
  const { body } = expectStatus(
    await report({
      audit: [audit("Here", { reach: { unitId: unit } }), audit("All")],
      events: [completed({ reach: { userId: personId } }), completed()],
    }),
    200,
  );
  await relay(t);
  const titles = async (caller: Caller) =>
    (await entries(caller)).map((entry: { metadata: { title: string } }) => entry.metadata.title);
  expect(await titles(here)).toContain("Here");
  expect(await titles(here)).not.toContain("All");
  expect(await titles(there)).toEqual([]);
  const [mine, wide] = body.eventIds;
  const statuses = await Promise.all(
    [here, there].flatMap((caller) =>
      [mine, wide].map(async (id) => (await caller.get(`/api/events/${id}`)).status),
    ),
  );
  expect(statuses).toEqual([200, 404, 404, 404]);
  await seal(t);
  expect((await verify(t, org)).code).toBe(0);
  const [{ time }] = await entries(org.admin);
  expect(time).toBeString();
});

test("events of a removed type stay readable for those who may read every type in the whole organization", async () => {
  const reach = { unitId: unit };
  const { eventIds } = expectStatus(await report({ events: [completed({ reach }), completed()] }), 200).body;
  await relay(t);
  const [removed, known] = eventIds;
  await t.sql("UPDATE events SET type = 'inspection.removed' WHERE id = $1", [removed]);
  const role = await org.role("Reader", "Events.Read", "Inspections.Read");
  const [reader, here] = [await org.member({ role }), await org.member({ role: "UNIT_ADMIN", unit })];
  const idsOf = async (caller: Caller, query = "") =>
    expectStatus(await caller.get(`/api/events?pageSize=100&objectId=${TARGET}${query}`), 200).body.data.map(
      ({ id }: { id: string }) => id,
    );
  expect(await idsOf(org.admin)).toEqual(expect.arrayContaining([removed, known]));
  expect(await idsOf(org.admin, "&type=inspection.completed")).not.toContain(removed);
  const { body } = expectStatus(await org.admin.get(`/api/events/${removed}`), 200);
  expect([body.type, body.actor.id, body.data.object]).toEqual([
    "inspection.removed",
    personId,
    { id: 4711 },
  ]);
  expect(await idsOf(reader)).toContain(known);
  for (const caller of [reader, here]) {
    expect(await idsOf(caller)).not.toContain(removed);
    expectStatus(await caller.get(`/api/events/${removed}`), 404);
  }
});

test("an endpoint of webhooks gets the product's events, also by `*`", async () => {
  const receiver = startReceiver();
  await createEndpoint(org.admin, receiver.url, ["inspection.completed"]);
  const all = startReceiver();
  await createEndpoint(org.admin, all.url, ["*"]);
  const { eventIds } = expectStatus(await report({ events: [completed()] }), 200).body;
  await deliver(t);
  expect(receiver.received.map(({ event }) => event.id)).toEqual(eventIds);
  expect(all.received.map(({ event }) => event.id)).toContain(eventIds[0]);
  await Promise.all([receiver.stop(), all.stop()]);
});

test("names that are no strings, and metadata with emails as names, are faults like others", async () => {
  const odd = { toString: 1, valueOf: 1 };
  const paths = await faultsOf({
    usage: [{ limit: odd, id: odd, amount: 1 }],
    audit: [audit("x", { metadata: { [person.email]: "x" } }), audit("x", { metadata: { "\0": "x" } })],
    notifications: [assigned({ type: odd })],
  });
  expect(paths.sort()).toEqual([
    "audit.0.metadata",
    "audit.1.metadata",
    "notifications.0.type",
    "usage.0.id",
    "usage.0.limit",
  ]);
});

test("the object of an event may have 20 KB of JSON, with its previous values, and not a byte more", async () => {
  // JSON adds eight characters: {"a":""}.
  const object = (bytes: number) => ({ a: "x".repeat(bytes - 8) });
  expectStatus(await report({ events: [completed({ object: object(20_480) })] }), 200);
  expectStatus(
    await report({ events: [completed({ object: object(10_240), previous: object(10_240) })] }),
    200,
  );
  expect(await faultsOf({ events: [completed({ object: object(20_481) })] })).toEqual(["events.0.object"]);
  const both = completed({ object: object(10_241), previous: object(10_240) });
  expect(await faultsOf({ events: [both] })).toEqual(["events.0.object"]);
});

test("a fault says what is expected, also for an actor or a reach of another form", async () => {
  const body = {
    actor: { type: "user", id: personId },
    ip: "here",
    requestId: "a b",
    usage: [usage("a b")],
    audit: [audit("x", { metadata: { deep: {} } }), audit("x", { reach: { unit } })],
  };
  const { errors } = expectStatus(await report(body), 400).body;
  expect(errors.map(({ message }: { message: string }) => message)).toEqual([
    "actor must be { userId }, { serviceAccountId } or null",
    "ip must be an IPv4 or IPv6 address",
    "requestId must have 1 to 64 visible ASCII characters",
    "usage.0.id must have 1 to 64 visible ASCII characters",
    "audit.0.metadata.deep must be a string, a number, true, false or null",
    "audit.1.reach must be organization, { unitId } or { userId }",
  ]);
});

test("the document says that a report needs an idempotency key", async () => {
  const { paths } = expectStatus(await t.anonymous().get("/api/docs-json"), 200).body;
  expect(paths["/api/product/changes"].post.parameters).toMatchObject([
    { name: "Idempotency-Key", in: "header", required: true },
  ]);
});

test("an entry without a value for its text shows the placeholder", async () => {
  expectStatus(await report({ audit: [audit("x", { metadata: {} })] }), 200);
  expect((await entries(org.admin))[0].text.en).toBe(`${person.email} deleted the inspection {title}`);
});

test("an entry of an actor who is not of the unit is for the whole organization, whatever its reach", async () => {
  const [here, above] = [await org.member({ role: "UNIT_ADMIN", unit }), await userIdOf(t, org.admin)];
  const own = audit("Above", { reach: { unitId: unit } });
  for (const actor of [{ userId: above }, null]) expectStatus(await report({ actor, audit: [own] }), 200);
  const shown = (await entries(here)).map((entry: { metadata: { title: string } }) => entry.metadata.title);
  expect(shown).not.toContain("Above");
  expect((await entries(org.admin))[0].metadata).toEqual({ title: "Above" });
});

test("all mails of one report count for the 20 of an hour", async () => {
  const busy = await org.member();
  const userIds = [await userIdOf(t, busy)];
  const before = (await t.mailTo(busy.email)).length;
  const notifications = Array.from({ length: 22 }, () => assigned({ userIds }));
  expect(expectStatus(await report({ notifications }), 200).body.notified).toBe(22);
  expect((await t.mailTo(busy.email)).length - before).toBe(20);
});

test("who is no live member is left out, and after 20 mails in an hour the notification alone remains", async () => {
  const greek = await t.person({ language: "el" });
  await org.add(greek, { role: "MEMBER" });
  const former = await org.member();
  const formerId = await userIdOf(t, former);
  expectStatus(await org.admin.delete(`/api/members/${formerId}`), 204);
  const userIds = [await userIdOf(t, greek), formerId, crypto.randomUUID(), await userIdOf(t, greek)];
  for (let nth = 1; nth <= 21; nth += 1)
    expect(expectStatus(await report({ notifications: [assigned({ userIds })] }), 200).body.notified).toBe(1);
  const mails = await t.mailTo(greek.email);
  expect(mails).toHaveLength(20);
  expect(mails[0]?.text).toContain("Άνοιγμα: Επιθεωρήσεις");
  expectStatus(await greek.login(), 200);
  expect(expectStatus(await greek.get("/api/notifications/unread-count"), 200).body.count).toBe(22);
});

test("the actor may have left up to seven days ago, be a service account, a platform administrator or the product", async () => {
  const machine = await createMachine(org, { role: "MEMBER" });
  const admin = await t.platformAdmin();
  const former = await org.member();
  const formerId = await userIdOf(t, former);
  expectStatus(await org.admin.delete(`/api/members/${formerId}`), 204);
  const write = (actor: object | null) => report({ actor, audit: [audit("Acted")] });
  expectStatus(await write({ userId: formerId }), 200);
  expectStatus(await write({ userId: await userIdOf(t, admin) }), 200);
  expectStatus(await write({ serviceAccountId: machine.id }), 200);
  expectStatus(await write(null), 200);
  const [byProduct, byMachine] = await entries(org.admin);
  expect(byProduct).toMatchObject({
    actor: null,
    actorType: null,
    text: { en: "Inspections deleted the inspection Acted" },
  });
  expect(byMachine).toMatchObject({
    actorType: "service_account",
    serviceAccount: { id: machine.id, keyId: null },
  });
  await t.sql("UPDATE memberships SET deleted_at = now() - interval '8 days' WHERE user_id = $1", [formerId]);
  expect(expectStatus(await write({ userId: formerId }), 400).body.errors[0].path).toBe("actor");
  expectStatus(await write({ serviceAccountId: crypto.randomUUID() }), 400);
});

test("a deleted unit and a former person are fine; a suspended organization is 403, a deleted one 404", async () => {
  const doomed = await createOrganization(t);
  const gone = await doomed.unit("Gone");
  const admin = await t.platformAdmin();
  const write = (body: object) => product.changes({ organizationId: doomed.id, actor: null, ...body });
  expectStatus(await write({ usage: [usage("kept", 3)] }), 200);
  expectStatus(await doomed.admin.delete(`/api/units/${gone}`), 204);
  expectStatus(await write({ audit: [audit("Late", { reach: { unitId: gone } })] }), 200);
  expectStatus(await admin.patch(`/api/organizations/${doomed.id}/status`, { status: "SUSPENDED" }), 200);
  expect(expectStatus(await write({ audit: [audit("x")] }), 403).body.code).toBe("ORGANIZATION_SUSPENDED");
  expectStatus(await write({ usage: [usage("kept", 4)] }), 403);
  expectStatus(await write({ usage: [usage("kept", 2)], audit: [audit("Lowered")] }), 200);
  expectStatus(await admin.delete(`/api/organizations/${doomed.id}`), 204);
  expectStatus(await write({ usage: [usage("kept", 0)] }), 404);
  expectStatus(await product.get(`/api/product/organizations/${doomed.id}/usage`), 404);
});

test("a report has 1 to 50 entries, at most 500 users and 256 KB", async () => {
  expect(await faultsOf({})).toEqual([""]);
  expect(
    await faultsOf({
      audit: Array.from({ length: 25 }, () => audit("x")),
      events: Array.from({ length: 26 }, () => completed()),
    }),
  ).toEqual([""]);
  const many = Array.from({ length: 300 }, () => crypto.randomUUID());
  expect(
    await faultsOf({ notifications: [assigned({ userIds: many }), assigned({ userIds: many })] }),
  ).toEqual(["notifications"]);
  const large = Array.from({ length: 12 }, () => completed({ object: { text: "x".repeat(20_000) } }));
  expectStatus(await report({ events: large }), 200);
  expectStatus(await report({ events: [...large, ...large.slice(0, 2)] }), 413);
});

test("hostile texts are values and nothing else, in lists, links and subjects", async () => {
  const title = "<b>{actor}</b> {__proto__} {constructor} & \u202e";
  const hostile = { id: "a/b?c#d&é", title };
  expectStatus(await report({ audit: [audit(title)], notifications: [assigned({ data: hostile })] }), 200);
  const [entry] = await entries(org.admin);
  expect(entry.text.en).toBe(`${person.email} deleted the inspection ${title.replace("\u202e", "")}`);
  const [notification] = expectStatus(await person.get("/api/notifications"), 200).body.data;
  expect(notification.link).toBe("https://app.example.com/inspections/a%2Fb%3Fc%23d%26%C3%A9");
  const mail = (await t.mailTo(person.email)).at(-1);
  expect(mail?.html).toContain("&lt;b&gt;{actor}&lt;/b&gt;");
  const broken = assigned({ data: { id: "1", title: "a\r\nBcc: x@example.com" } });
  expectStatus(await report({ notifications: [broken] }), 200);
  const [subject] = [(await t.mailTo(person.email)).at(-1)?.subject];
  expect(subject?.replaceAll("\u2060", "")).toBe("“aBcc: x@example.com” was assigned to you.");
  const phishing = assigned({ data: { id: "1", title: "Sign in at https://evil.example/login" } });
  expectStatus(await report({ notifications: [phishing] }), 200);
  const sent = (await t.mailTo(person.email)).at(-1);
  expect(sent?.subject).toBe("“Sign in at https[://]evil[.]example/login” was assigned to you.");
  for (const part of [sent?.subject, sent?.text, sent?.html]) expect(part).not.toContain("//evil.example");
});
