import { expect, test } from "bun:test";
import { systemCall } from "../../../src/core/context.ts";
import { hashOfKey } from "../../../src/core/idempotency/key.ts";
import { respondOnce } from "../../../src/core/idempotency/responses.ts";
import type { Caller } from "../../support/caller.ts";
import { OWN_TICKETS, reportBody } from "../../support/helpdesk.ts";
import { isReplay, keyed, newKey, postBytes } from "../../support/idempotency.ts";
import { createOrganization } from "../../support/organizations.ts";
import { actingIn, idOf, messages, outcome } from "../../support/outcomes.ts";
import { request, sendRaw } from "../../support/raw.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

const t = await sharedService();
const org = await createOrganization(t);
const { admin } = org;

const postTodo = (caller: Caller, title: string, key: string) =>
  caller.post("/api/todos", { title }, keyed(key));

async function titlesOf(caller: Caller): Promise<string[]> {
  const { body } = expectStatus(await caller.get("/api/todos?pageSize=100"), 200);
  return body.data.map(({ title }: { title: string }) => title);
}
const countOf = async (title: string) => (await titlesOf(admin)).filter((one) => one === title).length;

test("a repeated POST with the same idempotency key takes effect once and returns the same response, byte for byte", async () => {
  const key = newKey();
  const body = '{"title":"naïve \\"quoted\\" 😀"}';
  const first = await postBytes(admin, "/api/todos", body, key);
  const second = await postBytes(admin, "/api/todos", body, key);
  expect(first.status).toBe(201);
  expect([isReplay(first), isReplay(second)]).toEqual([false, true]);
  expect({ ...second, headers: null }).toEqual({ ...first, headers: null });
  expect(second.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
  expect(await countOf('naïve "quoted" 😀')).toBe(1);
});

test("a POST without a body that returns 204 is repeated as 204", async () => {
  const ticket = { subject: "Help", category: "BUG", message: "Please" };
  const { id } = expectStatus(await admin.post("/api/support/tickets", ticket), 201).body;
  const path = `/api/support/tickets/${id}/close`;
  const key = newKey();
  const first = await postBytes(admin, path, undefined, key);
  await t.sql("UPDATE tickets SET status = 'OPEN' WHERE id = $1", [id]);
  const second = await postBytes(admin, path, undefined, key);
  expect([first.status, isReplay(first), second.status, isReplay(second)]).toEqual([204, false, 204, true]);
  expect(second.bytes).toBe("");
  expect(await t.sql("SELECT status FROM tickets WHERE id = $1", [id])).toEqual([{ status: "OPEN" }]);
});

test("a POST without an idempotency key, or with an empty one, takes effect every time", async () => {
  for (const key of ["", '""']) {
    expect(isReplay(expectStatus(await postTodo(admin, "no key", key), 201))).toBe(false);
    expect(isReplay(expectStatus(await admin.post("/api/todos", { title: "no key" }), 201))).toBe(false);
  }
  expect(await countOf("no key")).toBe(4);
});

test("the same JSON with other whitespace, escapes or property order is the same request for an idempotency key", async () => {
  const key = newKey();
  const written = [
    '{"name":"Plants","description":"","permissions":["Todos.Read"]}',
    '\n{ "permissions": [ "Todos\\u002eRead" ], "description" : "", "name": "Plants" }',
  ];
  const [first, second] = [
    await postBytes(admin, "/api/roles", written[0], key),
    await postBytes(admin, "/api/roles", written[1], key),
  ];
  expect([first?.status, second?.status, second && isReplay(second)]).toEqual([201, 201, true]);
  expect(second?.bytes).toBe(first?.bytes);
});

test("another body, path or organization with a used idempotency key is 422 and changes nothing", async () => {
  const key = newKey();
  expectStatus(await postTodo(admin, "one", key), 201);
  expect(outcome(await postTodo(admin, "other", key))).toBe("422 IDEMPOTENCY_KEY_REUSED");
  expect(outcome(await admin.post("/api/units", { name: "other", parentId: null }, keyed(key)))).toBe(
    "422 IDEMPOTENCY_KEY_REUSED",
  );
  expect(await countOf("other")).toBe(0);

  const operator = await t.platformAdmin();
  const [one, two] = [await createOrganization(t), await createOrganization(t)];
  const inOne = actingIn(one);
  expectStatus(await operator.post("/api/units", { name: "unit", parentId: null }, keyed(key, inOne)), 201);
  expect(
    isReplay(await operator.post("/api/units", { name: "unit", parentId: null }, keyed(key, inOne))),
  ).toBe(true);
  const inTwo = await operator.post(
    "/api/units",
    { name: "unit", parentId: null },
    keyed(key, actingIn(two)),
  );
  expect(outcome(inTwo)).toBe("422 IDEMPOTENCY_KEY_REUSED");
});

test("the same ticket sent while another organization is active is another request for an idempotency key", async () => {
  const { admin: person } = await createOrganization(t);
  const key = newKey();
  const send = () => person.post(OWN_TICKETS, reportBody(), keyed(key));
  expectStatus(await send(), 201);
  const { id } = expectStatus(await person.post("/api/auth/organizations", { name: "Other" }), 201).body;
  expectStatus(await person.post("/api/auth/organization", { organizationId: id }), 200);
  expect(outcome(await send())).toBe("422 IDEMPOTENCY_KEY_REUSED");
});

test("an idempotency key belongs to one caller: another caller can use the same key", async () => {
  const key = newKey();
  const colleague = await org.member();
  const mine = expectStatus(await postTodo(admin, "mine", key), 201);
  const theirs = expectStatus(await postTodo(colleague, "mine", key), 201);
  expect(isReplay(theirs)).toBe(false);
  expect(theirs.body.id).not.toBe(mine.body.id);
});

test("quotes around an idempotency key are removed and do not count towards its length", async () => {
  const key = newKey();
  expectStatus(await postTodo(admin, "quoted", `"${key}"`), 201);
  expect(isReplay(expectStatus(await postTodo(admin, "quoted", key), 201))).toBe(true);
  const longest = "!".repeat(255);
  expectStatus(await postTodo(admin, "longest", `"${longest}"`), 201);
  expect(isReplay(expectStatus(await postTodo(admin, "longest", longest), 201))).toBe(true);
});

test("an idempotency key with invalid characters, over 255 characters, or sent in two headers is 400", async () => {
  const violation = "Idempotency-Key must be 1 to 255 visible ASCII characters";
  for (const key of ["a b", "é", "!".repeat(256), `"${"!".repeat(256)}"`])
    expect(messages(expectStatus(await postTodo(admin, "never", key), 400))).toEqual([violation]);
  const together = await admin.post("/api/todos", { title: "" }, keyed("a b"));
  expect(together.body.errors.map(({ path }: { path: string }) => path)).toEqual([
    "title",
    "Idempotency-Key",
  ]);

  const headers = {
    authorization: `Bearer ${admin.accessToken}`,
    "content-type": "application/json",
    "Idempotency-Key": "one",
    "idempotency-key": "one",
  };
  const [twice] = await sendRaw(t.url, request("POST /api/todos", headers, '{"title":"never"}'));
  expect([twice?.status, JSON.parse(twice?.body ?? "{}").errors]).toEqual([
    400,
    [{ path: "Idempotency-Key", message: violation }],
  ]);
  expect(await countOf("never")).toBe(0);
});

test("routes that do not support idempotency ignore the key", async () => {
  const key = newKey();
  const { id } = expectStatus(await admin.post("/api/todos", { title: "to change" }), 201).body;
  for (const completed of [true, false]) {
    const response = expectStatus(await admin.patch(`/api/todos/${id}`, { completed }, keyed(key)), 200);
    expect([response.body.completed, isReplay(response)]).toEqual([completed, false]);
  }
  expectStatus(await admin.post("/api/notifications/read-all", undefined, keyed("not a key")), 204);
  expect(await t.sql("SELECT FROM idempotency_keys WHERE key_hash = $1", [hashOf(key)])).toEqual([]);
});

test("after an error, the same request with the same idempotency key is executed again", async () => {
  const key = newKey();
  const role = { name: "Twice", permissions: ["Todos.Read"] };
  const { id } = expectStatus(await admin.post("/api/roles", role), 201).body;
  expect(outcome(await admin.post("/api/roles", role, keyed(key)))).toBe("409 CONFLICT");
  expectStatus(await admin.delete(`/api/roles/${id}`), 204);
  const worked = expectStatus(await admin.post("/api/roles", role, keyed(key)), 201);
  const repeated = expectStatus(await admin.post("/api/roles", role, keyed(key)), 201);
  expect([isReplay(worked), isReplay(repeated), repeated.body.id]).toEqual([false, true, worked.body.id]);
});

test("validation precedes the idempotency key: an invalid body is 400 even with a used key", async () => {
  const key = newKey();
  expectStatus(await postTodo(admin, "valid", key), 201);
  expect(outcome(await postTodo(admin, "", key))).toBe("400 VALIDATION_FAILED");
});

test("a caller who lost the permission gets 403 instead of the stored response of an idempotency key", async () => {
  const key = newKey();
  const member = await org.member();
  expectStatus(await postTodo(member, "lost", key), 201);
  const { id } = expectStatus(
    await admin.post("/api/roles", { name: "Reader", permissions: ["Todos.Read"] }),
    201,
  ).body;
  const path = `/api/members/${idOf(member)}/roles`;
  expectStatus(await admin.patch(path, { assignments: [{ roleId: id, unitId: null }] }), 200);
  expectStatus(await member.refresh(), 200);
  expect(outcome(await postTodo(member, "lost", key))).toBe("403 FORBIDDEN");
});

const hashOf = (key: string) => new Bun.CryptoHasher("sha256").update(key).digest("hex");

test("after 24 hours a stored response is ignored and its idempotency key can be used again", async () => {
  const key = newKey();
  expectStatus(await postTodo(admin, "old", key), 201);
  const place = { key_hash: hashOf(key) };
  await t.age("idempotency_keys", place, { hours: 23, minutes: 59 });
  expect(isReplay(expectStatus(await postTodo(admin, "old", key), 201))).toBe(true);
  await t.age("idempotency_keys", place, { minutes: 2 });
  expect(isReplay(expectStatus(await postTodo(admin, "new", key), 201))).toBe(false);
  expect(isReplay(expectStatus(await postTodo(admin, "new", key), 201))).toBe(true);
  expect([await countOf("old"), await countOf("new")]).toEqual([1, 1]);
});

test("an idempotency key is stored only as a hash", async () => {
  const key = `key-${newKey()}`;
  expectStatus(await postTodo(admin, "hidden", key), 201);
  const rows = await t.sql("SELECT k::text AS row FROM idempotency_keys k WHERE k::text LIKE $1", [
    `%${key}%`,
  ]);
  expect(rows).toEqual([]);
});

test("the largest ticket can be stored; a response above 64 KB is an error, and nothing is committed", async () => {
  const ticket = { subject: "😀".repeat(200), category: "BUG", message: "😀".repeat(10_000) };
  const key = newKey();
  expectStatus(await admin.post(OWN_TICKETS, ticket, keyed(key)), 201);
  expect(isReplay(expectStatus(await admin.post(OWN_TICKETS, ticket, keyed(key)), 201))).toBe(true);

  const callerId = idOf(admin);
  const idempotencyKey = {
    ...{ callerId, keyHash: hashOfKey(newKey()), fingerprint: "", organizationId: null, hours: 24 },
    ...{ shownOnce: [], isSecret: false },
  };
  const tooLarge = respondOnce({ ...systemCall(t.running), idempotencyKey }, 201, async (tx) => {
    await tx.db.query("UPDATE users SET first_name = 'Changed' WHERE id = $1", [callerId]);
    return { text: "x".repeat(65_536) };
  });
  await expect(tooLarge).rejects.toThrow("64 KB");
  expect((await admin.get("/api/profile")).body.firstName).not.toBe("Changed");
});
