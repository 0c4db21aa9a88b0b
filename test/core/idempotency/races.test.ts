import { expect, test } from "bun:test";
import type { Caller } from "../../support/caller.ts";
import { createCommitGate, untilGone } from "../../support/commit-gate.ts";
import { isReplay, keyed, newKey } from "../../support/idempotency.ts";
import { holdOrganizationLock } from "../../support/locks.ts";
import { createOrganization } from "../../support/organizations.ts";
import { outcome } from "../../support/outcomes.ts";
import { TestProxy } from "../../support/proxy.ts";
import { ROUNDS, race } from "../../support/race.ts";
import { expectStatus, startService } from "../../support/service.ts";

/*
 * Several processes share one database. Of concurrent requests with the same idempotency key, the one that gets the
 * key's lock is executed.
 */
const t = await startService({ JWT_ACCESS_TTL: "2h" });
const [near] = await t.cluster(1);
const gate = await createCommitGate(t);
const org = await createOrganization(t);
const { admin } = org;
const elsewhere = admin.at(near?.url ?? "");

const IN_USE = "409 IDEMPOTENCY_KEY_IN_USE";
const REUSED = "422 IDEMPOTENCY_KEY_REUSED";

const postTodo = (caller: Caller, title: string, key: string) =>
  caller.post("/api/todos", { title }, keyed(key));
const postUnit = (caller: Caller, name: string, key: string) =>
  caller.post("/api/units", { name, parentId: null }, keyed(key));
const countOf = async (table: "todos" | "units", name: string) =>
  (await t.sql(`SELECT FROM ${table} WHERE ${table === "todos" ? "title" : "name"} = $1`, [name])).length;

test("of two concurrent requests with one idempotency key one succeeds and the other is 409 without waiting; a later repeat is a replay", async () => {
  const key = newKey();
  const lock = await holdOrganizationLock(t, org.id);
  const first = postUnit(admin, "twice", key);
  await lock.waiting(1);
  const second = await postUnit(elsewhere, "twice", key);
  expect([outcome(second), second.headers.get("retry-after")]).toEqual([IN_USE, "1"]);
  await lock.release();
  expectStatus(await first, 201);
  const repeated = expectStatus(await postUnit(elsewhere, "twice", key), 201);
  expect([isReplay(repeated), repeated.body]).toEqual([true, (await first).body]);
  expect(await countOf("units", "twice")).toBe(1);
});

test("of two concurrent requests with one idempotency key and different bodies one succeeds; the other is 409, and 422 when repeated later", async () => {
  const key = newKey();
  const lock = await holdOrganizationLock(t, org.id);
  const first = postUnit(admin, "one body", key);
  await lock.waiting(1);
  expect(outcome(await postUnit(elsewhere, "another body", key))).toBe(IN_USE);
  await lock.release();
  expectStatus(await first, 201);
  expect(outcome(await postUnit(elsewhere, "another body", key))).toBe(REUSED);
  expect(await countOf("units", "another body")).toBe(0);
});

test("concurrent requests with one idempotency key, over several processes, take effect once", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const key = newKey();
    const responses = await race(12, (n) => postTodo(n % 2 ? admin : elsewhere, `many ${key}`, key));
    const outcomes = new Set(responses.map(outcome));
    outcomes.delete(IN_USE);
    expect([...outcomes]).toEqual(["201"]);
    expect(responses.filter((one) => one.status === 201 && !isReplay(one))).toHaveLength(1);
    expect(await countOf("todos", `many ${key}`)).toBe(1);
  }
});

test("a repeat that begins while the first request commits is a replay or 409 IDEMPOTENCY_KEY_IN_USE, never a conflict with the first request's effect", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const key = newKey();
    const role = { name: key, permissions: ["Todos.Read"] };
    const responses = await race(14, async (n) => {
      await Bun.sleep(n * 1.5);
      return (n % 2 ? admin : elsewhere).post("/api/roles", role, keyed(key));
    });
    const outcomes = new Set(responses.map(outcome));
    outcomes.delete(IN_USE);
    expect([...outcomes]).toEqual(["201"]);
    expectStatus(
      await admin.delete(`/api/roles/${responses.find((one) => one.status === 201)?.body.id}`),
      204,
    );
  }
});

test("if the first request with an idempotency key fails, the next one is executed", async () => {
  const key = newKey();
  const role = { name: "Taken", permissions: ["Todos.Read"] };
  const { id } = expectStatus(await admin.post("/api/roles", role), 201).body;
  const lock = await holdOrganizationLock(t, org.id);
  const first = admin.post("/api/roles", role, keyed(key));
  await lock.waiting(1);
  expect(outcome(await elsewhere.post("/api/roles", role, keyed(key)))).toBe(IN_USE);
  await lock.release();
  expect(outcome(await first)).toBe("409 CONFLICT");
  expectStatus(await admin.delete(`/api/roles/${id}`), 204);
  const next = expectStatus(await elsewhere.post("/api/roles", role, keyed(key)), 201);
  expect(isReplay(next)).toBe(false);
});

test("kill -9 before COMMIT leaves neither the change nor the stored response", async () => {
  const [doomed] = await t.cluster(1);
  const key = newKey();
  const lock = await holdOrganizationLock(t, org.id);
  const first = postUnit(admin.at(doomed?.url ?? ""), "killed before", key).catch(() => null);
  await lock.waiting(1);
  await doomed?.kill();
  await lock.release();
  expect(await first).toBeNull();
  const next = await untilFree(() => postUnit(admin, "killed before", key));
  expect(isReplay(next)).toBe(false);
  expect(await countOf("units", "killed before")).toBe(1);
});

test("kill -9 during COMMIT leaves both the change and the stored response", async () => {
  const [doomed] = await t.cluster(1);
  const key = newKey();
  const closed = await gate.close();
  const first = postTodo(admin.at(doomed?.url ?? ""), "killed in", key).catch(() => null);
  await closed.waiting();
  await doomed?.kill();
  expect(await first).toBeNull();
  expect(outcome(await postTodo(admin, "killed in", key))).toBe(IN_USE);
  await closed.open();
  expect(isReplay(await untilFree(() => postTodo(admin, "killed in", key)))).toBe(true);
  expect(await countOf("todos", "killed in")).toBe(1);
});

test("a connection lost during COMMIT is 503; if the commit succeeded, the repeat is a replay", async () => {
  const url = new URL(t.databaseUrl);
  const proxy = await TestProxy.start(`http://${url.host}`);
  url.host = new URL(proxy.url).host;
  const [behind] = await t.cluster(1, { DATABASE_URL: url.href });
  const key = newKey();
  const closed = await gate.close();
  const first = postTodo(admin.at(behind?.url ?? ""), "cut in", key);
  await closed.waiting();
  proxy.cut();
  expect(outcome(await first)).toBe("503 SERVICE_UNAVAILABLE");
  await closed.open();
  expect(isReplay(await untilFree(() => postTodo(admin.at(behind?.url ?? ""), "cut in", key)))).toBe(true);
  expect(await countOf("todos", "cut in")).toBe(1);
});

test("a connection lost during COMMIT is 503; if the commit failed, the repeat is executed", async () => {
  const key = newKey();
  const closed = await gate.close();
  const first = postTodo(admin, "terminated in", key);
  const pid = await closed.waiting();
  await t.sql("SELECT pg_terminate_backend($1)", [pid]);
  expect(outcome(await first)).toBe("503 SERVICE_UNAVAILABLE");
  await untilGone(t, pid);
  await closed.open();
  expect(isReplay(expectStatus(await postTodo(admin, "terminated in", key), 201))).toBe(false);
  expect(await countOf("todos", "terminated in")).toBe(1);
});

test("of concurrent repeats after the retention of an idempotency key exactly one is executed again", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const key = newKey();
    const title = `expiring ${key}`;
    const { id } = expectStatus(await postTodo(admin, title, key), 201).body;
    await t.age("idempotency_keys", {}, { hours: 24 });
    const responses = await race(8, (n) => postTodo(n % 2 ? admin : elsewhere, title, key));
    const outcomes = new Set(responses.map(outcome));
    outcomes.delete(IN_USE);
    expect([...outcomes]).toEqual(["201"]);
    expect(responses.filter(({ body }) => body.id === id)).toEqual([]);
    expect(await countOf("todos", title)).toBe(2);
  }
});

/** Repeats a request, as a client would, until no other request with its idempotency key is running. */
async function untilFree(send: () => ReturnType<Caller["post"]>) {
  for (;;) {
    const response = await send();
    if (response.status === 201) return response;
    if (outcome(response) !== IN_USE && response.status !== 503) throw new Error(outcome(response));
    await Bun.sleep(50);
  }
}
