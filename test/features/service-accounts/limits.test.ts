import { expect, test } from "bun:test";
import { newApiKey } from "../../../src/core/access/token-forms.ts";
import type { Caller } from "../../support/caller.ts";
import { ACCOUNTS, callerOf, createAccount, createKey, createMachine } from "../../support/machines.ts";
import { assignments, createOrganization } from "../../support/organizations.ts";
import { outcome } from "../../support/outcomes.ts";
import { expectStatus, startService } from "../../support/service.ts";

const t = await startService({
  BILLING_PLANS_FILE: undefined,
  TRUST_PROXY: "127.0.0.1",
  API_KEY_RATE_LIMIT: "5",
  API_KEY_RATE_LIMIT_ORGANIZATION: "8",
});
const PATH = "/api/permissions";
const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
const limits = ({ headers }: { headers: Headers }) => [
  headers.get("ratelimit-policy"),
  headers.get("ratelimit"),
];
const POLICY = '"key";q=5;w=60, "organization";q=8;w=60';
const state = (key: number, organization: number) =>
  expect.stringMatching(new RegExp(`^"key";r=${key};t=\\d+, "organization";r=${organization};t=\\d+$`));

test("every response to a valid API key has RateLimit headers for key and organization, and beyond a limit it is 429 with Retry-After", async () => {
  const org = await createOrganization(t);
  const id = await createAccount(org, { role: "MEMBER" });
  const [one, two] = [(await createKey(org, id)).caller, (await createKey(org, id)).caller];
  expect(limits(await one.get(PATH))).toEqual([POLICY, state(4, 7)]);
  expect(limits(await one.get("/api/profile"))).toEqual([POLICY, state(3, 6)]);
  expect(limits(await one.get("/api/members"))).toEqual([POLICY, state(2, 5)]);
  expect(limits(await one.get("/api/units?page=x"))).toEqual([POLICY, state(1, 4)]);
  expect(limits(await one.get("/api/units"))).toEqual([POLICY, state(0, 3)]);
  const over = await one.get(PATH);
  expect([outcome(over), ...limits(over)]).toEqual(["429 TOO_MANY_REQUESTS", POLICY, state(0, 3)]);
  const seconds = Number(/^"key";r=0;t=(\d+)/.exec(over.headers.get("ratelimit") ?? "")?.[1]);
  expect(over.headers.get("retry-after")).toBe(String(seconds));
  expect(seconds).toBeWithin(1, 61);
  // Requests beyond the key's own limit do not count against the organization's limit.
  expect(limits(await two.get(PATH))).toEqual([POLICY, state(4, 2)]);
  await two.get(PATH);
  expect(limits(await two.get(PATH))).toEqual([POLICY, state(2, 0)]);
  const last = await two.get(PATH);
  expect([outcome(last), ...limits(last)]).toEqual(["429 TOO_MANY_REQUESTS", POLICY, state(1, 0)]);
});

test("responses to users, public routes and refused API keys have no RateLimit headers", async () => {
  const org = await createOrganization(t);
  expect(limits(await org.admin.get(PATH))).toEqual([null, null]);
  expect(limits(await t.anonymous().get("/api/health/live"))).toEqual([null, null]);
  const { caller } = await createMachine(org, { role: "MEMBER" });
  expect(limits(await callerOf(t.url, newApiKey("mosk")).get(PATH))).toEqual([null, null]);
  expect(limits(await caller.get("/api/health/live"))).toEqual([null, null]);
});

const unknown = (): Caller => callerOf(t.url, newApiKey("mosk"));

test("after 20 unknown API keys in a minute an IP address gets 429 for further unknown keys", async () => {
  const org = await createOrganization(t);
  const id = await createAccount(org, { role: "MEMBER" });
  const revoked = await createKey(org, id);
  expectStatus(await org.admin.delete(`${ACCOUNTS}/${id}/keys/${revoked.keyId}`), 204);
  const attacked = from("2001:db8:1:1::2");
  const same = unknown();
  for (let count = 0; count < 30; count += 1)
    expect(outcome(await same.get(PATH, attacked))).toBe("401 UNAUTHENTICATED");
  const responses = [];
  for (let count = 0; count < 20; count += 1) responses.push(outcome(await unknown().get(PATH, attacked)));
  expect(responses).toEqual([...Array(19).fill("401 UNAUTHENTICATED"), "429 TOO_MANY_REQUESTS"]);
  const over = await unknown().get(PATH, attacked);
  expect([outcome(over), Number(over.headers.get("retry-after"))]).toEqual([
    "429 TOO_MANY_REQUESTS",
    expect.any(Number),
  ]);
  expect(Number(over.headers.get("retry-after"))).toBeWithin(1, 61);
  // A revoked key exists, so it does not count, and other addresses are not affected.
  expect(outcome(await revoked.caller.get(PATH, attacked))).toBe("401 UNAUTHENTICATED");
  expect(outcome(await unknown().get(PATH, from("192.0.2.77")))).toBe("401 UNAUTHENTICATED");
});

test("valid API keys work from an IP address that is over the limit of unknown keys, also on an instance that has just started, during a flood", async () => {
  const org = await createOrganization(t);
  const id = await createAccount(org, { role: "MEMBER" });
  const [used, unused] = [await createKey(org, id), await createKey(org, id)];
  const attacked = from("2001:db8:1:2::2");
  const flood = (url: string) =>
    Promise.all(
      Array.from({ length: 60 }, async () =>
        outcome(await callerOf(url, newApiKey("mosk")).get(PATH, attacked)),
      ),
    );
  expectStatus(await used.caller.get(PATH, attacked), 200);
  await flood(t.url);
  for (const { caller } of [used, unused]) expectStatus(await caller.get(PATH, attacked), 200);

  const started = await startService({ TRUST_PROXY: "127.0.0.1" }, { databaseUrl: t.databaseUrl });
  await flood(started.url);
  const during = flood(started.url);
  for (const { key } of [used, unused])
    expectStatus(await callerOf(started.url, key).get(PATH, attacked), 200);
  expect(new Set(await during)).toEqual(new Set(["429 TOO_MANY_REQUESTS"]));
});

test("concurrent unknown API keys of one IP address cannot exceed the limit", async () => {
  const attacked = from("203.0.113.9");
  const responses = await Promise.all(
    Array.from({ length: 60 }, async () => outcome(await unknown().get(PATH, attacked))),
  );
  expect(responses.filter((response) => response === "401 UNAUTHENTICATED").length).toBe(20);
});

test("the plan limits service accounts, including disabled ones, except for platform administrators", async () => {
  const org = await createOrganization(t);
  const platform = await t.platformAdmin();
  expectStatus(await platform.patch(`/api/organizations/${org.id}/plan`, { planOverride: "free" }), 200);
  const create = (who: Caller, options = {}) =>
    who.post(ACCOUNTS, { name: crypto.randomUUID(), ...assignments({ role: "MEMBER" }) }, options);
  const { id } = expectStatus(await create(org.admin), 201).body;
  expectStatus(await org.admin.patch(`${ACCOUNTS}/${id}`, { enabled: false }), 200);
  expectStatus(await create(org.admin), 201);
  const third = await create(org.admin);
  expect([outcome(third), third.body.details]).toEqual([
    "403 PLAN_LIMIT_REACHED",
    { limit: "serviceAccounts", max: 2, used: 2 },
  ]);
  expectStatus(await create(platform, { headers: { "x-organization-id": org.id } }), 201);
  expectStatus(await org.admin.delete(`${ACCOUNTS}/${id}`), 204);
  expect(outcome(await create(org.admin))).toBe("403 PLAN_LIMIT_REACHED");
});
