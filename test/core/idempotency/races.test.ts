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

/* Several processes on one database: which of two requests with a key works is decided by the key's lock. */
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

test("of a key sent twice at once one request works and the other is 409 without waiting; later it is a replay", async () => {
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

test("of two bodies with a key at once one works, the other is 409, then 422", async () => {
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

test("requests with a key in any number of processes have one effect", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const key = newKey();
    const answers = await race(12, (n) => postTodo(n % 2 ? admin : elsewhere, `many ${key}`, key));
    const outcomes = new Set(answers.map(outcome));
    outcomes.delete(IN_USE);
    expect([...outcomes]).toEqual(["201"]);
    expect(answers.filter((one) => one.status === 201 && !isReplay(one))).toHaveLength(1);
    expect(await countOf("todos", `many ${key}`)).toBe(1);
  }
});

test("a repeat that begins while the first commits is a replay or 409 in use, never refused for the effect of the first", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const key = newKey();
    const role = { name: key, permissions: ["Todos.Read"] };
    const answers = await race(14, async (n) => {
      await Bun.sleep(n * 1.5);
      return (n % 2 ? admin : elsewhere).post("/api/roles", role, keyed(key));
    });
    const outcomes = new Set(answers.map(outcome));
    outcomes.delete(IN_USE);
    expect([...outcomes]).toEqual(["201"]);
    expectStatus(await admin.delete(`/api/roles/${answers.find((one) => one.status === 201)?.body.id}`), 204);
  }
});

test("if the first fails, the next works afresh", async () => {
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

test("kill -9 before COMMIT leaves neither change nor record", async () => {
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

test("kill -9 in COMMIT leaves both change and record", async () => {
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

test("a connection lost in COMMIT is 503; the repeat is a replay if the commit took place", async () => {
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

test("a connection lost in COMMIT is 503; the repeat works if the commit did not take place", async () => {
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

test("repeats at the end of the retention are replays or have one effect, as the row says", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const key = newKey();
    const title = `expiring ${key}`;
    const { id } = expectStatus(await postTodo(admin, title, key), 201).body;
    await t.age("idempotency_keys", {}, { hours: 24 });
    const answers = await race(8, (n) => postTodo(n % 2 ? admin : elsewhere, title, key));
    const outcomes = new Set(answers.map(outcome));
    outcomes.delete(IN_USE);
    expect([...outcomes]).toEqual(["201"]);
    expect(answers.filter(({ body }) => body.id === id)).toEqual([]);
    expect(await countOf("todos", title)).toBe(2);
  }
});

/** Repeats a request, as a client does, while another one with its key runs. */
async function untilFree(send: () => ReturnType<Caller["post"]>) {
  for (;;) {
    const answer = await send();
    if (answer.status === 201) return answer;
    if (outcome(answer) !== IN_USE && answer.status !== 503) throw new Error(outcome(answer));
    await Bun.sleep(50);
  }
}
