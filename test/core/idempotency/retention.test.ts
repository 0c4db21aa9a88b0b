import { expect, test } from "bun:test";
import { z } from "zod";
import { idempotent } from "../../../src/core/api/idempotent.ts";
import { route } from "../../../src/core/api/route.ts";
import { json } from "../../../src/core/api/route-parts.ts";
import { Router } from "../../../src/core/api/router.ts";
import { newToken } from "../../../src/platform/crypto.ts";
import { until } from "../../support/cluster.ts";
import { createCommitGate } from "../../support/commit-gate.ts";
import { OWN_TICKETS, withImages } from "../../support/helpdesk.ts";
import { isReplay, keyed, newKey, postBytes } from "../../support/idempotency.ts";
import { pngWith } from "../../support/images.ts";
import { createMachine } from "../../support/machines.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf, outcome } from "../../support/outcomes.ts";
import { barrier } from "../../support/payments.ts";
import { race } from "../../support/race.ts";
import { serveRoutes } from "../../support/routes.ts";
import { expectStatus, startService } from "../../support/service.ts";

/* The retention, content and rate limit of responses stored for idempotency keys. */
const t = await startService({ METRICS_PORT: "0", IDEMPOTENCY_HOURS: "2" });
const { admin } = await createOrganization(t);

const postTodo = (title: string, key: string) => admin.post("/api/todos", { title }, keyed(key));
const rows = async () =>
  (await t.sql<{ count: number }>("SELECT count(*)::int AS count FROM idempotency_keys"))[0]?.count;

test("the hourly job deletes stored responses older than IDEMPOTENCY_HOURS", async () => {
  await t.sql("DELETE FROM idempotency_keys");
  expectStatus(await postTodo("old", newKey()), 201);
  await t.age("idempotency_keys", {}, { hours: 2 });
  expectStatus(await postTodo("young", newKey()), 201);
  expect(await rows()).toBe(2);
  await t.sql("INSERT INTO pgboss.job (name) VALUES ('idempotency.clean-up')");
  await t.drain();
  expect(await rows()).toBe(1);
});

test("deleting an account deletes its stored responses", async () => {
  const person = await t.person();
  const key = newKey();
  expectStatus(await person.post("/api/auth/organizations", { name: "Acme" }, keyed(key)), 201);
  const stored = () => t.sql("SELECT FROM idempotency_keys WHERE caller_id = $1", [idOf(person)]);
  expect(await stored()).toHaveLength(1);
  expectStatus(await person.post("/api/profile/delete", { password: person.account.password }), 204);
  expect(await stored()).toEqual([]);
});

test("a response that is stored while its account is being deleted is deleted by the hourly job", async () => {
  const gate = await createCommitGate(t);
  const person = await (await createOrganization(t)).member();
  const closed = await gate.close();
  const sent = person.post("/api/todos", { title: "late" }, keyed(newKey()));
  await closed.waiting();
  expectStatus(await person.post("/api/profile/delete", { password: person.account.password }), 204);
  await closed.open();
  expectStatus(await sent, 201);
  await t.sql("INSERT INTO pgboss.job (name) VALUES ('idempotency.clean-up')");
  await t.drain();
  expect(await t.sql("SELECT FROM idempotency_keys WHERE caller_id = $1", [idOf(person)])).toEqual([]);
});

test("deleting an organization deletes its stored responses, of members, platform administrators and service accounts (rules 27.8)", async () => {
  const platform = await t.platformAdmin();
  const [org, other] = [await createOrganization(t), await createOrganization(t)];
  const machine = await createMachine(org, { role: "ORG_ADMIN" });
  const inOrganization = { headers: { "x-organization-id": org.id, "idempotency-key": newKey() } };
  expectStatus(await platform.post("/api/units", { name: "One", parentId: null }, inOrganization), 201);
  for (const caller of [org.admin, machine.caller, other.admin])
    expectStatus(await caller.post("/api/units", { name: "Two", parentId: null }, keyed(newKey())), 201);
  const stored = (ids: string[]) =>
    t.sql("SELECT FROM idempotency_keys WHERE caller_id = ANY ($1) OR organization_id = ANY ($1)", [ids]);
  expect(await stored([org.id, machine.id])).toHaveLength(3);
  expectStatus(await platform.delete(`/api/organizations/${org.id}`), 204);
  expect(await stored([org.id, machine.id])).toEqual([]);
  expect(await stored([other.id])).toHaveLength(1);
  // As if a request had been running meanwhile.
  for (const [caller, place] of [
    [machine.id, null],
    [idOf(other.admin), org.id],
  ])
    await t.sql(
      "INSERT INTO idempotency_keys (caller_id, key_hash, fingerprint, organization_id, status) VALUES ($1, 'late', '', $2, 204)",
      [caller, place],
    );
  await t.sql("INSERT INTO pgboss.job (name) VALUES ('idempotency.clean-up')");
  await t.drain();
  expect(await t.sql("SELECT FROM idempotency_keys WHERE key_hash = 'late'")).toEqual([]);
  expect(await stored([other.id])).toHaveLength(1);
});

test("a value that is shown only once is null in a replay, and is not stored", async () => {
  const issueSecret = route({
    operationId: "issueSecret",
    method: "post",
    path: "/api/tests/secrets",
    summary: "Issue a secret",
    access: "signed-in",
    responses: { 201: json(z.object({ secret: z.string().nullable(), name: z.string() }), "The secret") },
    idempotent: true,
    shownOnce: ["secret"],
  });
  const secret = newToken();
  const router = new Router().openapi(issueSecret, (c) =>
    idempotent(c, 201, async () => ({ secret, name: "key" })),
  );
  const caller = admin.at(serveRoutes(t.running, router));
  const key = newKey();
  const bodies = [];
  for (let sent = 0; sent < 2; sent += 1)
    bodies.push(atob((await postBytes(caller, issueSecret.path, undefined, key)).bytes));
  expect(bodies).toEqual([`{"secret":"${secret}","name":"key"}`, '{"secret":null,"name":"key"}']);
  expect(await t.sql("SELECT FROM idempotency_keys k WHERE strpos(k::text, $1) > 0", [secret])).toEqual([]);
});

test("requests with an idempotency key are counted in a metric by outcome", async () => {
  const counted = async () => {
    const text = await (await fetch(t.running.metricsUrl ?? "")).text();
    const lines = text.matchAll(/idempotent_requests_total\{outcome="(\w+)"\} (\d+)/g);
    return Object.fromEntries([...lines].map(([, name = "", count]) => [name, Number(count)]));
  };
  const before = await counted();
  const key = newKey();
  for (const title of ["counted", "counted", "other"]) await postTodo(title, key);
  await admin.post("/api/todos", { title: "without" });
  const after = await counted();
  const added = Object.keys(after).map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)]);
  expect(Object.fromEntries(added)).toEqual({ first: 1, replayed: 1, in_use: 0, reused: 1 });
});

test("the claim of an idempotency key is renewed as long as its request is running", async () => {
  const { storage } = t.running.app;
  const put = storage.put;
  const held = barrier();
  storage.put = async (...given) => {
    await held.pass();
    await put.apply(storage, given);
  };
  const ticket = { subject: "Slow", category: "BUG", message: "Storage" };
  const sent = admin.post(OWN_TICKETS, undefined, keyed(newKey(), withImages(ticket, [pngWith()])));
  await held.reached();
  storage.put = put;
  const ends = async () =>
    (await t.sql<{ at: Date }>("SELECT claimed_until AS at FROM idempotency_keys WHERE status IS NULL"))[0]
      ?.at ?? null;
  const first = await ends();
  await until(async () => ((await ends())?.getTime() !== first?.getTime() ? true : null));
  held.open();
  expectStatus(await sent, 201);
  expect(await ends()).toBeNull();
});

test("a user may send 1,000 requests with an idempotency key per hour, including replays and refused ones", async () => {
  const person = await t.person();
  const key = newKey();
  const send = () => person.post("/api/auth/organizations", { name: "Acme" }, keyed(key));
  // At most 50 at once, so that none is refused for too many waiting writes.
  for (let round = 0; round < 20; round += 1) {
    const responses = await race(50, send);
    for (const response of responses) expect([201, 409]).toContain(response.status);
  }
  const limited = await send();
  expect(outcome(limited)).toBe("429 TOO_MANY_REQUESTS");
  expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(60);
  expectStatus(await person.post("/api/auth/organizations", { name: "Without a key" }), 201);
  expect(isReplay(expectStatus(await postTodo("others", newKey()), 201))).toBe(false);
});
