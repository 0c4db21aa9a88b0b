import { expect, test } from "bun:test";
import { isReplay, keyed, newKey } from "../../support/idempotency.ts";
import { ACCOUNTS, createAccount, createKey } from "../../support/machines.ts";
import { createOrganization } from "../../support/organizations.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

/* Idempotency keys of requests from service accounts. */
const t = await sharedService();
const org = await createOrganization(t);
const unit = { name: "Made by a machine", parentId: null };

test("an idempotency key is shared by all API keys of a service account, and not with other service accounts", async () => {
  const account = await createAccount(org, { role: "ORG_ADMIN" });
  const [one, other] = [await createKey(org, account), await createKey(org, account)];
  const stranger = await createKey(org, await createAccount(org, { role: "ORG_ADMIN" }));
  const key = newKey();
  const first = expectStatus(await one.caller.post("/api/units", unit, keyed(key)), 201);
  const second = expectStatus(await other.caller.post("/api/units", unit, keyed(key)), 201);
  expect([isReplay(second), second.body]).toEqual([true, first.body]);
  const theirs = expectStatus(await stranger.caller.post("/api/units", unit, keyed(key)), 201);
  expect([isReplay(theirs), theirs.body.id === first.body.id]).toEqual([false, false]);
});

test("a repeated creation of an API key returns `key: null` and creates no second key", async () => {
  const path = `${ACCOUNTS}/${await createAccount(org, { role: "MEMBER" })}/keys`;
  const key = newKey();
  const { key: clear, ...first } = expectStatus(
    await org.admin.post(path, { name: "CI" }, keyed(key)),
    201,
  ).body;
  const second = expectStatus(await org.admin.post(path, { name: "CI" }, keyed(key)), 201);
  expect(clear).toStartWith("mosk_");
  expect([isReplay(second), second.body]).toEqual([true, { ...first, key: null }]);
  expect(await t.sql("SELECT FROM idempotency_keys k WHERE strpos(k::text, $1) > 0", [clear])).toEqual([]);
  expect((await org.admin.get(path)).body.total).toBe(1);
});

test("deleting a service account deletes its stored responses", async () => {
  const account = await createAccount(org, { role: "ORG_ADMIN" });
  const { caller } = await createKey(org, account);
  expectStatus(await caller.post("/api/units", { ...unit, name: "Left" }, keyed(newKey())), 201);
  const stored = () => t.sql("SELECT FROM idempotency_keys WHERE caller_id = $1", [account]);
  expect(await stored()).toHaveLength(1);
  expectStatus(await org.admin.delete(`${ACCOUNTS}/${account}`), 204);
  expect(await stored()).toEqual([]);
});
