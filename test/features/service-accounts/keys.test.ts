import { expect, test } from "bun:test";
import { newApiKey } from "../../../src/core/access/token-forms.ts";
import {
  ACCOUNTS,
  callerOf,
  createAccount,
  createKey,
  createMachine,
  keyPath,
} from "../../support/machines.ts";
import { createOrganization } from "../../support/organizations.ts";
import { eventsIn, idOf, outcome } from "../../support/outcomes.ts";
import { expectStatus, startService } from "../../support/service.ts";

const t = await startService();
const SELF = `${ACCOUNTS}/self`;
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();

test("an API key has the documented format, is shown once, and only its digest is stored", async () => {
  const org = await createOrganization(t);
  const { key, keyId, caller } = await createMachine(org, { role: "MEMBER" });
  expect(key).toMatch(/^mosk_[0-9A-Za-z]{46}$/);
  expectStatus(await caller.get("/api/organization"), 200);
  const listed = expectStatus(await org.admin.get(`${ACCOUNTS}?search=`), 200).body;
  expect(JSON.stringify(listed)).not.toContain(key.slice(9));
  const stored = await t.sql<Record<string, unknown>>("SELECT k::text FROM api_keys k WHERE id = $1", [
    keyId,
  ]);
  expect(JSON.stringify(stored)).not.toContain(key.slice(9));
  expect(JSON.stringify(stored)).toContain(new Bun.CryptoHasher("sha256").update(key).digest("hex"));
});

test("creating, renaming, rotating and revoking an API key write one audit event each", async () => {
  const org = await createOrganization(t);
  const id = await createAccount(org, { role: "MEMBER" });
  const body = { name: "CI", allowedIps: ["10.1.2.3/8", "::ffff:192.0.2.1", "2001:db8::1/32", "10.0.0.0/8"] };
  const { key, ...created } = expectStatus(await org.admin.post(`${ACCOUNTS}/${id}/keys`, body), 201).body;
  expect(created).toEqual({
    id: expect.any(String),
    name: "CI",
    start: key.slice(0, 9),
    status: "ACTIVE",
    allowedIps: ["10.0.0.0/8", "192.0.2.1/32", "2001:db8::/32"],
    expiresAt: null,
    lastUsedAt: null,
    lastUsedIp: null,
    replacedById: null,
    createdBy: { id: idOf(org.admin), email: org.admin.email, member: true },
    createdAt: expect.any(String),
    revokedAt: null,
  });
  const path = keyPath({ id, keyId: created.id });
  const list = async (query = "") =>
    expectStatus(await org.admin.get(`${ACCOUNTS}/${id}/keys?${query}`), 200).body;
  expect((await list()).data).toEqual([created]);
  const renamed = expectStatus(await org.admin.patch(path, { name: "Deploy", allowedIps: null }), 200).body;
  expect(renamed).toEqual({ ...created, name: "Deploy", allowedIps: null });

  const { key: second, ...successor } = expectStatus(await org.admin.post(`${path}/rotate`, {}), 201).body;
  expect(second).not.toBe(key);
  expect(successor).toMatchObject({ name: "Deploy", allowedIps: null, status: "ACTIVE", expiresAt: null });
  const [old] = (await list("status=ROTATED")).data;
  expect(old).toMatchObject({ id: created.id, status: "ROTATED", replacedById: successor.id });
  const day = Date.parse(old.expiresAt) - Date.now();
  expect(day).toBeGreaterThan(86_300_000);
  expect(day).toBeLessThanOrEqual(86_400_000);
  expect(outcome(await org.admin.post(`${path}/rotate`, {}))).toBe("409 CONFLICT");
  for (const one of [key, second]) expectStatus(await callerOf(t.url, one).get(SELF), 200);

  for (const _ of [1, 2]) expectStatus(await org.admin.delete(path), 204);
  expect(outcome(await callerOf(t.url, key).get(SELF))).toBe("401 UNAUTHENTICATED");
  expectStatus(await callerOf(t.url, second).get(SELF), 200);
  expect((await list("status=REVOKED&status=ACTIVE&sort=expiresAt&order=asc")).total).toBe(2);
  expect((await org.admin.get(`${ACCOUNTS}/${id}`)).body.keyCount).toBe(1);

  const about = { serviceAccountId: id, start: created.start };
  const event = { actor_id: idOf(org.admin), target_type: "api_key", target_id: created.id };
  expect(await eventsIn(t, org, "API_KEY_")).toEqual([
    {
      ...event,
      action: "API_KEY_CREATED",
      metadata: { ...about, name: "CI", expiresAt: null, allowedIps: created.allowedIps },
    },
    {
      ...event,
      action: "API_KEY_UPDATED",
      metadata: {
        serviceAccountId: id,
        from: { name: "CI", allowedIps: created.allowedIps },
        to: { name: "Deploy", allowedIps: null },
      },
    },
    {
      ...event,
      action: "API_KEY_ROTATED",
      metadata: { ...about, successorId: successor.id, endsAt: old.expiresAt },
    },
    { ...event, action: "API_KEY_REVOKED", metadata: { ...about, via: "member" } },
    // The event of the refused request after the revocation has no actor.
    {
      ...event,
      actor_id: null,
      action: "API_KEY_REFUSED",
      metadata: { ...about, reason: "revoked" },
    },
  ]);
});

test("rotation never extends the old API key, and the new key expires when the old one would have", async () => {
  const org = await createOrganization(t);
  const expiresAt = inSeconds(3_600);
  const machine = await createKey(org, await createAccount(org, { role: "MEMBER" }), { expiresAt });
  const rotated = await org.admin.post(`${keyPath(machine)}/rotate`, { overlapSeconds: 604_800 });
  const { id: keyId, ...successor } = expectStatus(rotated, 201).body;
  expect(successor.expiresAt).toBe(expiresAt);
  const keys = expectStatus(await org.admin.get(`${ACCOUNTS}/${machine.id}/keys`), 200).body.data;
  expect(keys.find(({ id }: { id: string }) => id === machine.keyId).expiresAt).toBe(expiresAt);
  const later = inSeconds(7_200);
  const again = await org.admin.post(`${keyPath({ id: machine.id, keyId })}/rotate`, {
    overlapSeconds: 0,
    expiresAt: later,
  });
  expect(expectStatus(again, 201).body.expiresAt).toBe(later);
  expect(outcome(await callerOf(t.url, successor.key).get(SELF))).toBe("401 UNAUTHENTICATED");
});

test("rotation ends the overlap of the key's own predecessor, so that at most two API keys of a line work", async () => {
  const org = await createOrganization(t);
  const id = await createAccount(org, { role: "MEMBER" });
  const [first, other] = [await createKey(org, id), await createKey(org, id)];
  const keys = [first.key];
  let keyId = first.keyId;
  const alive = async () => {
    const statuses = [];
    for (const key of keys) statuses.push((await callerOf(t.url, key).get(SELF)).status);
    return statuses;
  };
  const rotate = async () => {
    const rotated = await org.admin.post(`${keyPath({ id, keyId })}/rotate`, { overlapSeconds: 604_800 });
    keyId = expectStatus(rotated, 201).body.id;
    keys.push(rotated.body.key);
  };
  await rotate();
  expect(await alive()).toEqual([200, 200]);
  await rotate();
  expect(await alive()).toEqual([401, 200, 200]);
  await rotate();
  expect(await alive()).toEqual([401, 401, 200, 200]);
  // The overlap of another line of the same account goes on.
  const parallel = expectStatus(await org.admin.post(`${keyPath(other)}/rotate`, {}), 201).body;
  for (const key of [other.key, parallel.key]) expectStatus(await callerOf(t.url, key).get(SELF), 200);
  const statuses = expectStatus(await org.admin.get(`${ACCOUNTS}/${id}/keys?sort=createdAt&order=asc`), 200);
  expect(statuses.body.data.map(({ status }: { status: string }) => status)).toEqual([
    "EXPIRED",
    "ROTATED",
    "EXPIRED",
    "ROTATED",
    "ACTIVE",
    "ACTIVE",
  ]);
});

test("invalid input for an API key returns an error for each field", async () => {
  const org = await createOrganization(t);
  const machine = await createMachine(org, { role: "MEMBER" });
  const create = (body: object) => org.admin.post(`${ACCOUNTS}/${machine.id}/keys`, { name: "CI", ...body });
  const message = async (body: object) => (await create(body)).body.message;
  for (const range of ["10.0.0.0/0", "::/0", "::ffff:0:0/96", "10.0.0.0/33", "localhost", "10.0.0.1-9", ""])
    expect(await message({ allowedIps: [range] })).toBe("allowedIps.0 must be an IP address or a CIDR range");
  expect(await message({ allowedIps: [] })).toBe("allowedIps should not be empty");
  expect(await message({ allowedIps: Array(21).fill("10.0.0.1") })).toBe(
    "allowedIps must contain no more than 20 elements",
  );
  expect(await message({ expiresAt: inSeconds(-1) })).toBe("expiresAt must be in the future");
  expect(await message({ expiresAt: inSeconds(11 * 366 * 86_400) })).toBe(
    "expiresAt must be at most ten years ahead",
  );
  for (const overlapSeconds of [-1, 604_801, 0.5])
    expect((await org.admin.post(`${keyPath(machine)}/rotate`, { overlapSeconds })).body.message).toBe(
      "overlapSeconds must be between 0 and 604800",
    );
});

test("creating, changing or rotating an API key needs all permissions of its service account; revoking it does not", async () => {
  const org = await createOrganization(t);
  const role = await org.role("Keys", "ServiceAccounts.Read", "ApiKeys.Create", "ApiKeys.Delete");
  const keeper = await org.member({ role });
  const strong = await createMachine(org, { role: "ORG_ADMIN" });
  const refused = [
    await keeper.post(`${ACCOUNTS}/${strong.id}/keys`, { name: "Mine" }),
    await keeper.patch(keyPath(strong), { allowedIps: null }),
    await keeper.post(`${keyPath(strong)}/rotate`, {}),
  ];
  expect(refused.map(outcome)).toEqual(refused.map(() => "403 PERMISSION_NOT_HELD"));
  expectStatus(await keeper.delete(keyPath(strong)), 204);
  expect(outcome(await strong.caller.get(SELF))).toBe("401 UNAUTHENTICATED");
  const weak = await createMachine(org, { role });
  expectStatus(await keeper.post(`${keyPath(weak)}/rotate`, {}), 201);
});

test("a service account can have at most ten active API keys", async () => {
  const org = await createOrganization(t);
  const id = await createAccount(org, { role: "MEMBER" });
  const keys = [];
  for (let count = 0; count < 10; count += 1) keys.push(await createKey(org, id));
  const eleventh = await org.admin.post(`${ACCOUNTS}/${id}/keys`, { name: "CI" });
  expect([outcome(eleventh), eleventh.body.details]).toEqual(["409 CONFLICT", { max: 10 }]);
  expectStatus(await org.admin.post(`${keyPath(keys[0] as never)}/rotate`, {}), 201);
  expectStatus(await org.admin.delete(keyPath(keys[1] as never)), 204);
  await createKey(org, id);
});

test("an API key can read its own service account, organization and permissions at `/self`; a session gets 404", async () => {
  const org = await createOrganization(t);
  const unit = await org.unit("Sales");
  const machine = await createMachine(org, { role: "MEMBER" }, { role: "UNIT_ADMIN", unit });
  const self = expectStatus(await machine.caller.get(SELF), 200).body;
  expect(self).toMatchObject({
    serviceAccount: { id: machine.id },
    organization: { id: org.id, name: "Acme" },
    key: { id: machine.keyId, status: "ACTIVE", lastUsedIp: expect.any(String) },
  });
  expect(self.permissions).toContain("Todos.Read");
  const [grant] = self.unitGrants;
  expect(Buffer.from(grant.roots, "base64url").toString("hex")).toBe(unit.replaceAll("-", ""));
  expect([grant.units, grant.permissions.includes("Members.Read")]).toEqual([grant.roots, true]);
  expect(outcome(await org.admin.get(SELF))).toBe("404 NOT_FOUND");
  expect(outcome(await t.anonymous().get(SELF))).toBe("401 UNAUTHENTICATED");
});

test("after the creator of an API key left the organization, the key still works and `createdBy.member` is false", async () => {
  const org = await createOrganization(t);
  const creator = await org.member({ role: "ORG_ADMIN" });
  const machine = await createMachine({ admin: creator }, { role: "MEMBER" });
  expectStatus(await org.admin.delete(`/api/members/${idOf(creator)}`), 204);
  const [key] = expectStatus(await org.admin.get(`${ACCOUNTS}/${machine.id}/keys`), 200).body.data;
  expect(key.createdBy).toEqual({ id: idOf(creator), email: creator.email, member: false });
  expectStatus(await machine.caller.get(SELF), 200);
});

test("anyone who has an API key can revoke it without signing in; the response does not show whether the key exists", async () => {
  const org = await createOrganization(t);
  const { caller, key, ...machine } = await createMachine(org, { role: "MEMBER" });
  const report = (sent: unknown) => t.anonymous().post("/api/auth/revoke-key", { key: sent });
  // Another form, and the right form with a wrong checksum: a mistyped key is not reported as revoked.
  const mistyped = `${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`;
  for (const sent of ["mosk_short", `mosk_${"a".repeat(46)}`, mistyped, key.toUpperCase(), `${key} `, ""]) {
    const refused = expectStatus(await report(sent), 400);
    expect([sent, refused.body.message]).toEqual([sent, "key must be an API key"]);
  }
  expectStatus(await caller.get(SELF), 200);
  expectStatus(await report(newApiKey("mosk")), 204);
  expectStatus(await report(key), 204);
  expect(outcome(await caller.get(SELF))).toBe("401 UNAUTHENTICATED");
  expectStatus(await report(key), 204);
  const data = {
    ...{
      keyId: machine.keyId,
      serviceAccountId: machine.id,
      name: "CI",
      start: key.slice(0, 9),
      expiresAt: null,
    },
    organizationId: org.id,
  };
  const told = expectStatus(await org.admin.get("/api/notifications?search=API_KEY"), 200).body.data;
  expect(told).toMatchObject([{ type: "API_KEY_REPORTED", data }]);
  const [event] = await eventsIn(t, org, "API_KEY_REVOKED");
  expect(event).toMatchObject({ actor_id: null, metadata: { via: "reported" } });
});
