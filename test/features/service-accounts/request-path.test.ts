import { expect, test } from "bun:test";
import { crc32 } from "node:zlib";
import { looksLikeApiKey } from "../../../src/core/access/token-forms.ts";
import type { ApiResponse } from "../../support/caller.ts";
import {
  ACCOUNTS,
  callerOf,
  createAccount,
  createKey,
  createMachine,
  keyPath,
} from "../../support/machines.ts";
import { createOrganization } from "../../support/organizations.ts";
import { actingIn, eventsIn, outcome } from "../../support/outcomes.ts";
import { expectStatus, startService } from "../../support/service.ts";

const t = await startService({ TRUST_PROXY: "127.0.0.1", JWT_ACCESS_TTL: "2h" });
const SELF = `${ACCOUNTS}/self`;
const from = (address: string) => ({ headers: { "x-forwarded-for": address } });

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** Returns an API key in the documented format that does not exist. */
function madeUpKey(): string {
  const random = Array.from({ length: 40 }, () => DIGITS[Math.floor(Math.random() * 62)]).join("");
  let rest = crc32(random);
  let checksum = "";
  for (let place = 0; place < 6; place += 1) {
    checksum = DIGITS[rest % 62] + checksum;
    rest = Math.floor(rest / 62);
  }
  return `mosk_${random}${checksum}`;
}

/** Runs `work`; returns the number of statements that the service sent to the database meanwhile. */
async function statementsDuring(work: () => Promise<unknown>): Promise<number> {
  const { db } = t.running;
  let count = 0;
  const { query } = db;
  db.query = (...given) => {
    count += 1;
    return query.apply(db, given);
  };
  try {
    await work();
  } finally {
    db.query = query;
  }
  return count;
}

test("an access token does not have the format of an API key", async () => {
  const { admin } = await createOrganization(t);
  expect(looksLikeApiKey(admin.accessToken ?? "")).toBe(false);
  expect(looksLikeApiKey(madeUpKey())).toBe(true);
});

test("an API key with a wrong format or checksum is 401 without a database query, as is an unknown key that was looked up before", async () => {
  const key = madeUpKey();
  const last = key.at(-1) === "0" ? "1" : "0";
  const malformed = [
    `${key.slice(0, -1)}${last}`,
    `${key}0`,
    key.slice(0, -1),
    "mosk_",
    `mosk_${"é".repeat(46)}`,
  ];
  const count = await statementsDuring(async () => {
    for (const sent of malformed.slice(0, 4))
      expect(outcome(await callerOf(t.url, sent).get("/api/members"))).toBe("401 UNAUTHENTICATED");
  });
  expect(count).toBe(0);
  const asked = () => callerOf(t.url, key).get("/api/members");
  expect(outcome(await asked())).toBe("401 UNAUTHENTICATED");
  expect(await statementsDuring(async () => expect(outcome(await asked())).toBe("401 UNAUTHENTICATED"))).toBe(
    0,
  );
});

test("an API key is accepted only in the Authorization header", async () => {
  const org = await createOrganization(t);
  const { key } = await createMachine(org, { role: "MEMBER" });
  const headers: Record<string, string>[] = [{ "x-api-key": key }, { cookie: `key=${key}` }, { apikey: key }];
  for (const sent of headers)
    expect(outcome(await t.anonymous().get("/api/organization", { headers: sent }))).toBe(
      "401 UNAUTHENTICATED",
    );
  expect((await t.anonymous().get(`/api/organization?key=${key}`)).status).toBe(401);
});

// Statements are counted in this process, so not those of the edge bundle.
test.skipIf(process.env.TEST_EDGE !== undefined)(
  "verifying an API key needs one database query, also with roles in units",
  async () => {
    const org = await createOrganization(t);
    const unit = await org.unit("Sales");
    await org.unit("North", unit);
    const { caller } = await createMachine(org, { role: "UNIT_ADMIN", unit });
    const permissions = () => caller.get("/api/permissions");
    expect(await statementsDuring(async () => expectStatus(await permissions(), 200))).toBe(1);
  },
);

test("a request with an API key is checked in this order: IP address, suspended organization, route, then everything else", async () => {
  const org = await createOrganization(t);
  const id = await createAccount(org, { role: "MEMBER" });
  const { caller } = await createKey(org, id, { allowedIps: ["192.0.2.0/24", "2001:db8::/32"] });
  const asked = async (path: string, options = {}) => outcome(await caller.get(path, options));
  // The header X-Organization-Id, which only platform administrators may send.
  const named = { "x-organization-id": org.id };
  const at = (address: string, more: Record<string, string> = {}) => ({
    headers: { "x-forwarded-for": address, ...more },
  });
  expect(await asked("/api/nothing", at("198.51.100.1"))).toBe("404 NOT_FOUND");
  expect(await asked("/api/profile", at("198.51.100.1"))).toBe("403 IP_NOT_ALLOWED");
  expect(await asked("/api/profile", at("192.0.2.9", named))).toBe("403 API_KEY_NOT_ALLOWED");
  expect(await asked("/api/units", at("::ffff:192.0.2.9", named))).toBe(
    "403 ORGANIZATION_OVERRIDE_FORBIDDEN",
  );
  expect(await asked("/api/units", at("2001:db8::7"))).toBe("200");
  expect(await asked("/api/members", at("192.0.2.9"))).toBe("403 FORBIDDEN");
  const [refused] = await eventsIn(t, org, "API_KEY_REFUSED");
  expect(refused).toMatchObject({ actor_id: null, metadata: { serviceAccountId: id, reason: "address" } });

  const platform = await t.platformAdmin();
  const status = (to: string) => platform.patch(`/api/organizations/${org.id}/status`, { status: to });
  expectStatus(await status("SUSPENDED"), 200);
  expect(await asked("/api/profile", at("198.51.100.1"))).toBe("403 IP_NOT_ALLOWED");
  expect(await asked("/api/profile", at("192.0.2.9"))).toBe("403 ORGANIZATION_SUSPENDED");
  expect(await asked("/api/units", at("192.0.2.9"))).toBe("403 ORGANIZATION_SUSPENDED");
  const malformed = { ...at("192.0.2.9"), raw: "{" };
  expect(outcome(await caller.patch(`/api/units/${id}`, undefined, malformed))).toBe(
    "403 ORGANIZATION_SUSPENDED",
  );
  expectStatus(await status("ACTIVE"), 200);
  expect(await asked("/api/units", at("192.0.2.9"))).toBe("200");
  expectStatus(await platform.delete(`/api/organizations/${org.id}`), 204);
  expect(await asked("/api/units", at("192.0.2.9"))).toBe("401 UNAUTHENTICATED");
});

test("in a suspended organization, service accounts can only be disabled or deleted, and API keys only revoked", async () => {
  const org = await createOrganization(t);
  const machine = await createMachine(org, { role: "MEMBER" });
  const other = await createMachine(org, { role: "MEMBER" });
  const off = await createAccount(org, { role: "MEMBER" });
  expectStatus(await org.admin.patch(`${ACCOUNTS}/${off}`, { enabled: false }), 200);
  const platform = await t.platformAdmin();
  expectStatus(await platform.patch(`/api/organizations/${org.id}/status`, { status: "SUSPENDED" }), 200);
  const path = `${ACCOUNTS}/${machine.id}`;
  const roles = { assignments: [] as unknown[] };
  const refused: ApiResponse[] = [
    await org.admin.post(ACCOUNTS, { name: "Late", assignments: [{ roleId: crypto.randomUUID() }] }),
    await org.admin.patch(`${ACCOUNTS}/${off}`, { enabled: true }),
    await org.admin.patch(`${path}/roles`, { assignments: [{ roleId: crypto.randomUUID() }] }),
    await org.admin.post(`${path}/keys`, { name: "Late" }),
    await org.admin.patch(keyPath(machine), { name: "Late" }),
    await org.admin.post(`${keyPath(machine)}/rotate`, {}),
  ];
  expect(roles.assignments).toEqual([]);
  expect(refused.map(outcome)).toEqual(refused.map(() => "400 ORGANIZATION_SUSPENDED"));
  expectStatus(await org.admin.delete(keyPath(machine)), 204);
  expectStatus(await org.admin.patch(path, { name: "Renamed", enabled: false }), 200);
  expectStatus(await org.admin.delete(`${ACCOUNTS}/${other.id}`), 204);
  expectStatus(await platform.get(path, actingIn(org)), 200);
});

test("API keys of a disabled service account are 401 until it is enabled again; those of a deleted one stay 401", async () => {
  const org = await createOrganization(t);
  const { id, caller } = await createMachine(org, { role: "MEMBER" });
  const enable = (enabled: boolean) => org.admin.patch(`${ACCOUNTS}/${id}`, { enabled });
  const asked = async () => outcome(await caller.get(SELF));
  expect(await asked()).toBe("200");
  expectStatus(await enable(false), 200);
  expect(await asked()).toBe("401 UNAUTHENTICATED");
  expectStatus(await enable(true), 200);
  expect(await asked()).toBe("200");
  expectStatus(await org.admin.delete(`${ACCOUNTS}/${id}`), 204);
  expect(await asked()).toBe("401 UNAUTHENTICATED");
});

test("an API key is 401 from `expiresAt` on", async () => {
  const org = await createOrganization(t);
  const id = await createAccount(org, { role: "MEMBER" });
  // The key is created and used once before this time, also on a busy machine.
  const end = Date.now() + 6_000;
  const { caller } = await createKey(org, id, { expiresAt: new Date(end).toISOString() });
  expectStatus(await caller.get(SELF), 200);
  while (Date.now() < end + 20) await Bun.sleep(end + 20 - Date.now());
  expect(outcome(await caller.get(SELF))).toBe("401 UNAUTHENTICATED");
  const [refused] = await eventsIn(t, org, "API_KEY_REFUSED");
  expect(refused).toMatchObject({ metadata: { reason: "expired" } });
});

test("a change of roles or allowed addresses is in effect before its response, on the instance that made it", async () => {
  const org = await createOrganization(t);
  const reader = await org.role("Reader", "Members.Read");
  const { id, keyId, caller } = await createMachine(org, { role: reader });
  expectStatus(await caller.get("/api/members"), 200);
  const roles = { assignments: [{ roleId: await org.role("Other", "Units.Read") }] };
  expectStatus(await org.admin.patch(`${ACCOUNTS}/${id}/roles`, roles), 200);
  expect(outcome(await caller.get("/api/members"))).toBe("403 FORBIDDEN");
  expectStatus(await caller.get("/api/units"), 200);
  expectStatus(await org.admin.patch(keyPath({ id, keyId }), { allowedIps: ["198.51.100.1"] }), 200);
  expect(outcome(await caller.get("/api/units"))).toBe("403 IP_NOT_ALLOWED");
  expectStatus(await caller.get("/api/units", from("198.51.100.1")), 200);
});

test("the last use of an API key is recorded with its IP address, at most every ten minutes", async () => {
  const org = await createOrganization(t);
  const { id, keyId, caller } = await createMachine(org, { role: "MEMBER" });
  expectStatus(await caller.get("/api/units", from("198.51.100.7")), 200);
  const used = async () => {
    const [key] = expectStatus(await org.admin.get(`${ACCOUNTS}/${id}/keys`), 200).body.data;
    const account = expectStatus(await org.admin.get(`${ACCOUNTS}/${id}`), 200).body;
    expect(account.lastUsedAt).toBe(key.lastUsedAt);
    return [key.lastUsedAt, key.lastUsedIp];
  };
  const first = await used();
  expect(first).toEqual([expect.any(String), "198.51.100.7"]);
  const usedAgain = async () => {
    expectStatus(await caller.get("/api/units", from("198.51.100.8")), 200);
    return used();
  };
  expect(await usedAgain()).toEqual(first);
  const ago = "last_used_at = last_used_at - interval '10 minutes'";
  await t.sql(`UPDATE api_keys SET ${ago} WHERE id = $1`, [keyId]);
  expect((await usedAgain())[1]).toBe("198.51.100.8");
});

test("a required second factor does not apply to API keys", async () => {
  const strict = await startService({ REQUIRE_TWO_FACTOR: "all" }, { databaseUrl: t.databaseUrl });
  const org = await createOrganization(t);
  const { key } = await createMachine(org, { role: "MEMBER" });
  expectStatus(await callerOf(strict.url, key).get("/api/units"), 200);
});

test("with REAUTHENTICATION_MINUTES, creating and rotating API keys need a recent sign-in; with API_KEY_MAX_DAYS keys must expire", async () => {
  const strict = await startService(
    { REAUTHENTICATION_MINUTES: "10", API_KEY_MAX_DAYS: "30", API_KEY_PREFIX: "acme1" },
    { databaseUrl: t.databaseUrl },
  );
  const org = await createOrganization(strict);
  const id = await createAccount(org, { role: "MEMBER" });
  const create = (days: number | null) =>
    org.admin.post(`${ACCOUNTS}/${id}/keys`, {
      name: "CI",
      expiresAt: days && new Date(Date.now() + days * 86_400_000).toISOString(),
    });
  expect((await create(null)).body.message).toBe("expiresAt is required");
  expect((await create(31)).body.message).toBe("expiresAt must be at most 30 days ahead");
  const { key, id: keyId } = expectStatus(await create(29), 201).body;
  expect(key).toMatch(/^acme1_[0-9A-Za-z]{46}$/);
  // Keys with another prefix are accepted by a service whose API_KEY_PREFIX differs.
  expectStatus(await callerOf(t.url, key).get(SELF), 200);
  await t.sql("UPDATE session_proofs SET proved_at = now() - interval '11 minutes'");
  expectStatus(await org.admin.refresh(), 200);
  expect(outcome(await create(29))).toBe("403 REAUTHENTICATION_REQUIRED");
  const rotated = await org.admin.post(`${keyPath({ id, keyId })}/rotate`, {});
  expect(outcome(rotated)).toBe("403 REAUTHENTICATION_REQUIRED");
  expectStatus(await org.admin.delete(keyPath({ id, keyId })), 204);
});
