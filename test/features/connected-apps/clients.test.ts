import { describe, expect, test } from "bun:test";
import { isAppSecret } from "../../../src/core/access/token-forms.ts";
import { tokenHash } from "../../../src/kit/secrets.ts";
import { connectApp, endOfGrant, works } from "../../support/apps.ts";
import { EVENTS } from "../../support/audit.ts";
import type { Caller } from "../../support/caller.ts";
import { createMachine } from "../../support/machines.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { actingIn, idOf, messages, outcome } from "../../support/outcomes.ts";
import { expectStatus, startService } from "../../support/service.ts";

/* Grants are inserted: what ends them is tested here, how people approve them elsewhere. */

const t = await startService();
const other = await startService({}, { databaseUrl: t.databaseUrl });
const CLIENTS = "/api/organization/oauth-clients";
const PLATFORM = "/api/oauth-clients";
const REDIRECT = "https://app.example.com/oauth/callback";
const BODY = { name: "Reporting", redirectUris: [REDIRECT] };

const register = async (who: Caller, body: object = {}, path = CLIENTS) =>
  expectStatus(await who.post(path, { ...BODY, ...body }), 201).body;
const hashes = async (id: string) =>
  (
    await t.sql(
      "SELECT secret_hash, previous_secret_hash, previous_secret_ends_at FROM oauth_clients WHERE id = $1",
      [id],
    )
  )[0];

const grantOf = async (organization: Organization, oauthClientId: string) =>
  connectApp(t, organization, await organization.member(), { oauthClientId });

describe("clients of an organization", () => {
  test("one is registered, listed, found by name, read, changed and deleted (46.30)", async () => {
    const { admin, id: organizationId } = await createOrganization(t);
    const { clientSecret, ...client } = await register(admin);
    expect(clientSecret).toBeNull();
    expect(client).toEqual({
      id: expect.any(String),
      ...BODY,
      confidential: false,
      enabled: true,
      organizationId,
      grantCount: 0,
      previousSecretEndsAt: null,
      createdBy: { id: idOf(admin), email: admin.email },
      createdAt: expect.any(String),
    });
    const path = `${CLIENTS}/${client.id}`;
    const second = await register(admin, { name: "Another" });
    expect((await admin.get(`${CLIENTS}?search=REPORT`)).body).toMatchObject({ data: [client], total: 1 });
    const names = async (query: string) =>
      (await admin.get(`${CLIENTS}?${query}`)).body.data.map(({ name }: { name: string }) => name);
    expect(await names("")).toEqual(["Another", "Reporting"]);
    expect(await names("sort=name&order=desc")).toEqual(["Reporting", "Another"]);
    expect((await admin.get(path)).body).toEqual(client);

    const change = { name: "Reports", redirectUris: ["http://localhost/callback"], enabled: false };
    expect(expectStatus(await admin.patch(path, change), 200).body).toEqual({ ...client, ...change });
    expectStatus(await admin.patch(path, {}), 200);
    expectStatus(await admin.delete(path), 204);
    expectStatus(await admin.delete(path), 404);
    expectStatus(await admin.get(path), 404);
    expect((await admin.get(CLIENTS)).body.data.map(({ id }: { id: string }) => id)).toEqual([second.id]);

    const { data } = (await admin.get(`${EVENTS}?targetId=${client.id}&order=asc`)).body;
    expect(data.map((event: { action: string; metadata: object }) => [event.action, event.metadata])).toEqual(
      [
        [
          "OAUTH_CLIENT_CREATED",
          { name: "Reporting", redirectHosts: ["app.example.com"], confidential: false },
        ],
        [
          "OAUTH_CLIENT_UPDATED",
          {
            from: { name: "Reporting", redirectHosts: ["app.example.com"], enabled: true },
            to: { name: "Reports", redirectHosts: ["localhost"], enabled: false },
          },
        ],
        ["OAUTH_CLIENT_DELETED", { name: "Reports" }],
      ],
    );
  });

  test("nobody else sees or changes it (46.38)", async () => {
    const org = await createOrganization(t);
    const unit = await org.unit("Sales");
    const { id } = await register(org.admin);
    const path = `${CLIENTS}/${id}`;
    const stranger = (await createOrganization(t)).admin;
    const platform = await t.platformAdmin();
    for (const [who, at] of [
      [stranger, path],
      [platform, `${PLATFORM}/${id}`],
    ] as const) {
      expectStatus(await who.get(at), 404);
      expectStatus(await who.patch(at, { enabled: false }), 404);
      expectStatus(await who.delete(at), 404);
      expectStatus(await who.post(`${at}/rotate-secret`, {}), 404);
    }
    // Reading needs the permission in the whole organization, writing that to change the organization.
    const inUnit = await org.member({ role: "UNIT_ADMIN", unit });
    const member = await org.member();
    expect(outcome(await inUnit.get(CLIENTS))).toBe("403 FORBIDDEN");
    expect(outcome(await inUnit.get(path))).toBe("403 FORBIDDEN");
    expectStatus(await member.get(path), 200);
    expect(outcome(await member.post(CLIENTS, BODY))).toBe("403 FORBIDDEN");
    expect(outcome(await member.patch(path, { enabled: false }))).toBe("403 FORBIDDEN");
    expect(outcome(await member.delete(path))).toBe("403 FORBIDDEN");
    expect(outcome(await member.post(`${path}/rotate-secret`, {}))).toBe("403 FORBIDDEN");
    const { caller: machine } = await createMachine(org, { role: "ORG_ADMIN" });
    expectStatus(await machine.get(path), 200);
    expect(outcome(await machine.post(CLIENTS, BODY))).toBe("403 API_KEY_NOT_ALLOWED");
    expect(outcome(await member.get(PLATFORM))).toBe("403 PLATFORM_ADMIN_REQUIRED");
    expect((await org.admin.get(path)).body.enabled).toBe(true);
  });

  test("a platform administrator names exactly one organization", async () => {
    const [org, second] = [await createOrganization(t), await createOrganization(t)];
    const platform = await t.platformAdmin();
    const { id } = expectStatus(await platform.post(CLIENTS, BODY, actingIn(org)), 201).body;
    expect((await org.admin.get(`${CLIENTS}/${id}`)).body).toMatchObject({
      organizationId: org.id,
      createdBy: { email: platform.email },
    });
    expect(outcome(await platform.get(CLIENTS))).toBe("400 ORGANIZATION_REQUIRED");
    const both = { headers: { "x-organization-id": `${org.id},${second.id}` } };
    expect(outcome(await platform.get(CLIENTS, both))).toBe("400 ORGANIZATION_REQUIRED");
    expectStatus(await platform.get(`${CLIENTS}/${id}`, actingIn(second)), 404);
    expectStatus(await platform.delete(`${CLIENTS}/${id}`, actingIn(org)), 204);
  });

  test("there are at most 50", async () => {
    const { admin, id } = await createOrganization(t);
    await t.sql(
      `INSERT INTO oauth_clients (organization_id, name, redirect_uris, is_confidential)
       SELECT $1, 'App ' || n, ARRAY['https://app.example.com/'], false FROM generate_series(1, 49) n`,
      [id],
    );
    const attempts = await Promise.all(Array.from({ length: 3 }, () => admin.post(CLIENTS, BODY)));
    expect(attempts.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const refused = attempts.find(({ status }) => status === 409);
    expect(refused?.body).toMatchObject({ code: "CONFLICT", details: { max: 50 } });
  });

  test("bad input is refused with every violation (46.33)", async () => {
    const { admin } = await createOrganization(t);
    const post = (body: object) => admin.post(CLIENTS, { ...BODY, ...body });
    expect(messages(await post({ name: "", redirectUris: ["data:x"], enabled: true })).length).toBe(3);
    expectStatus(await post({ redirectUris: [] }), 400);
    expectStatus(await post({ redirectUris: Array.from({ length: 11 }, (_, n) => `${REDIRECT}/${n}`) }), 400);
    expectStatus(await post({ name: "a".repeat(101) }), 400);
    expectStatus(await post({ name: "a\u202eb" }), 400);
    const HTTPS = "must be an https address, because the app has a secret";
    expect(
      messages(await post({ confidential: true, redirectUris: [REDIRECT, "http://localhost/cb"] })),
    ).toEqual([`redirectUris.1 ${HTTPS}`]);
    const { id } = await register(admin, { confidential: true, redirectUris: [REDIRECT, REDIRECT] });
    const path = `${CLIENTS}/${id}`;
    expect((await admin.get(path)).body.redirectUris).toEqual([REDIRECT]);
    expect(messages(await admin.patch(path, { redirectUris: ["http://[::1]/cb"] }))).toEqual([
      `redirectUris.0 ${HTTPS}`,
    ]);
    expectStatus(await admin.patch(path, { confidential: false }), 400);
    for (const overlapSeconds of [-1, 604_801, 1.5])
      expectStatus(await admin.post(`${path}/rotate-secret`, { overlapSeconds }), 400);
  });
});

describe("secrets", () => {
  test("only a digest is stored, and a repeated request does not show the secret again (46.31)", async () => {
    const { admin } = await createOrganization(t);
    const key = { headers: { "idempotency-key": crypto.randomUUID() } };
    const body = { ...BODY, confidential: true };
    const { clientSecret, id } = expectStatus(await admin.post(CLIENTS, body, key), 201).body;
    expect(isAppSecret("s", clientSecret)).toBe(true);
    expect(clientSecret).toMatch(/^moss_[0-9A-Za-z]{46}$/);
    expect(await hashes(id)).toEqual({
      secret_hash: tokenHash(clientSecret),
      previous_secret_hash: null,
      previous_secret_ends_at: null,
    });
    const replay = expectStatus(await admin.post(CLIENTS, body, key), 201);
    expect(replay.headers.get("idempotent-replayed")).toBe("true");
    expect(replay.body).toMatchObject({ id, clientSecret: null });
    expect((await admin.get(`${CLIENTS}/${id}`)).body.clientSecret).toBeUndefined();
    const dump = await t.sql(
      "SELECT (SELECT json_agg(a) FROM audit_events a)::text AS a, (SELECT json_agg(i) FROM idempotency_keys i)::text AS i",
    );
    expect(JSON.stringify(dump)).not.toContain(clientSecret);
  });

  test("during the overlap two secrets count, and never a third", async () => {
    const { admin } = await createOrganization(t);
    const { clientSecret: first, id } = await register(admin, { confidential: true });
    const path = `${CLIENTS}/${id}`;
    const rotate = async (body: object = {}) =>
      expectStatus(await admin.post(`${path}/rotate-secret`, body), 200).body;
    const { clientSecret: second, previousSecretEndsAt } = await rotate();
    const ends = Date.parse(previousSecretEndsAt) - Date.now();
    expect(ends).toBeGreaterThan(86_300_000);
    expect(ends).toBeLessThan(86_500_000);
    expect(await hashes(id)).toMatchObject({
      secret_hash: tokenHash(second),
      previous_secret_hash: tokenHash(first),
    });
    expect((await admin.get(path)).body.previousSecretEndsAt).toBe(previousSecretEndsAt);

    const { clientSecret: third } = await rotate({ overlapSeconds: 0 });
    expect(await hashes(id)).toMatchObject({
      secret_hash: tokenHash(third),
      previous_secret_hash: tokenHash(second),
    });
    expect((await admin.get(path)).body.previousSecretEndsAt).toBeNull();
    const { data } = (await admin.get(`${EVENTS}?targetId=${id}&action=OAUTH_CLIENT_SECRET_ROTATED`)).body;
    expect(data.map(({ metadata }: { metadata: object }) => metadata)).toEqual([
      { endsAt: expect.any(String) },
      { endsAt: previousSecretEndsAt },
    ]);
  });

  test("the token endpoint takes both secrets during the overlap, and the old one not after it (46.31, AP20)", async () => {
    const org = await createOrganization(t);
    const { clientSecret: old, id } = await register(org.admin, { confidential: true });
    let { refreshToken } = await grantOf(org, id);
    const refresh = async (secret: string) => {
      const authorization = `Basic ${btoa(`${id}:${secret}`)}`;
      const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token: refreshToken });
      const response = await fetch(`${t.url}/api/oauth/token`, {
        method: "POST",
        headers: { authorization },
        body,
      });
      const answer = (await response.json()) as { refresh_token?: string; error?: string };
      refreshToken = answer.refresh_token ?? refreshToken;
      return answer.error ?? response.status;
    };
    const rotate = async (overlapSeconds: number): Promise<string> =>
      expectStatus(await org.admin.post(`${CLIENTS}/${id}/rotate-secret`, { overlapSeconds }), 200).body
        .clientSecret;
    expect(await refresh(old)).toBe(200);
    const second = await rotate(60);
    expect([await refresh(old), await refresh(second)]).toEqual([200, 200]);
    await t.sql("UPDATE oauth_clients SET previous_secret_ends_at = now() WHERE id = $1", [id]);
    expect([await refresh(old), await refresh(second)]).toEqual(["invalid_client", 200]);
    const third = await rotate(0);
    expect([await refresh(second), await refresh(third)]).toEqual(["invalid_client", 200]);
    expectStatus(await org.admin.patch(`${CLIENTS}/${id}`, { enabled: false }), 200);
    expect(await refresh(third)).toBe("invalid_client");
    expectStatus(await org.admin.patch(`${CLIENTS}/${id}`, { enabled: true }), 200);
    expect(await refresh(third)).toBe(200);
  });

  test("a repeated rotation rotates once and shows nothing again", async () => {
    const { admin } = await createOrganization(t);
    const { id } = await register(admin, { confidential: true });
    const key = { headers: { "idempotency-key": crypto.randomUUID() } };
    const rotate = () => admin.post(`${CLIENTS}/${id}/rotate-secret`, { overlapSeconds: 60 }, key);
    const { clientSecret, previousSecretEndsAt } = expectStatus(await rotate(), 200).body;
    expect(expectStatus(await rotate(), 200).body).toEqual({ clientSecret: null, previousSecretEndsAt });
    expect(await hashes(id)).toMatchObject({ secret_hash: tokenHash(clientSecret) });
  });

  test("a public client has none to rotate", async () => {
    const { admin } = await createOrganization(t);
    const { id } = await register(admin);
    expect(outcome(await admin.post(`${CLIENTS}/${id}/rotate-secret`, {}))).toBe("409 CONFLICT");
  });
});

describe("clients and what people allowed them", () => {
  test("a disabled client's tokens are refused at once on every instance, and work again when it is enabled (46.32, AP31)", async () => {
    const org = await createOrganization(t);
    const { id } = await register(org.admin);
    const grant = await grantOf(org, id);
    const path = `${CLIENTS}/${id}`;
    expect((await org.admin.get(path)).body.grantCount).toBe(1);
    expect([await works(t, grant), await works(other, grant)]).toEqual([true, true]);
    expectStatus(await org.admin.patch(path, { enabled: false }), 200);
    expect([await works(t, grant), await works(other, grant)]).toEqual([false, false]);
    expect((await org.admin.get(path)).body.grantCount).toBe(1);
    expect(await endOfGrant(t, grant)).toBeNull();
    expectStatus(await org.admin.at(other.url).patch(path, { enabled: true }), 200);
    expect([await works(t, grant), await works(other, grant)]).toEqual([true, true]);
  });

  test("a deleted client's grants end at once on every instance, also before their code is redeemed (46.32, AP31)", async () => {
    const org = await createOrganization(t);
    const [{ id }, kept] = [await register(org.admin), await register(org.admin)];
    const [first, second, of] = [await grantOf(org, id), await grantOf(org, id), await grantOf(org, kept.id)];
    const ofAdmin = (redeemedAt: Date | null) =>
      connectApp(t, org, org.admin, { oauthClientId: id, redeemedAt });
    const unredeemed = await ofAdmin(null);
    const idle = await ofAdmin(new Date(Date.now() - 31 * 86_400_000));
    expect((await org.admin.get(`${CLIENTS}/${id}`)).body.grantCount).toBe(2);
    expectStatus(await org.admin.delete(`${CLIENTS}/${id}`), 204);
    for (const grant of [first, second]) {
      expect([await works(t, grant), await works(other, grant)]).toEqual([false, false]);
      expect(await endOfGrant(t, grant)).toBe("client");
    }
    expect([await endOfGrant(t, unredeemed), await endOfGrant(t, idle)]).toEqual(["client", "client"]);
    expect(await works(t, of)).toBe(true);
    const { data } = (await org.admin.get(`${EVENTS}?action=OAUTH_CLIENT_DELETED`)).body;
    expect(data[0].metadata).toEqual({ name: "Reporting", endedApps: 2 });
  });
});

test("in a suspended organization clients may be disabled and deleted, and approvals taken back; nothing else", async () => {
  const org = await createOrganization(t);
  const { id } = await register(org.admin, { confidential: true });
  const approved = "/api/organization/approved-apps";
  const approval = expectStatus(await org.admin.post(approved, { app: "claude.ai" }), 201).body.id;
  const platform = await t.platformAdmin();
  const status = { status: "SUSPENDED" };
  expectStatus(await platform.patch(`/api/organizations/${org.id}/status`, status), 200);
  const path = `${CLIENTS}/${id}`;
  for (const refused of [
    org.admin.post(CLIENTS, BODY),
    org.admin.patch(path, { name: "Reports" }),
    org.admin.patch(path, { enabled: true }),
    org.admin.post(`${path}/rotate-secret`, {}),
    org.admin.post(approved, { app: "chatgpt.com" }),
    org.admin.patch("/api/organization", { connectedApps: "off" }),
  ])
    expect(outcome(await refused)).toBe("400 ORGANIZATION_SUSPENDED");
  expectStatus(await org.admin.get(path), 200);
  expectStatus(await org.admin.patch(path, { enabled: false }), 200);
  expectStatus(await org.admin.delete(`${approved}/${approval}`), 204);
  expectStatus(await org.admin.delete(path), 204);
});

describe("clients of the operator", () => {
  test("platform administrators register them, and they work in every organization", async () => {
    const platform = await t.platformAdmin();
    const client = await register(platform, { confidential: true }, PLATFORM);
    expect(client).toMatchObject({ organizationId: null, clientSecret: expect.stringMatching(/^moss_/) });
    const path = `${PLATFORM}/${client.id}`;
    const [org, second] = [await createOrganization(t), await createOrganization(t)];
    expectStatus(await org.admin.get(`${CLIENTS}/${client.id}`), 404);
    expect((await org.admin.get(CLIENTS)).body.total).toBe(0);
    expect((await platform.get(`${PLATFORM}?search=report`)).body.data[0]).toMatchObject({ id: client.id });
    const grants = [await grantOf(org, client.id), await grantOf(second, client.id)];
    for (const grant of grants) expect(await works(t, grant)).toBe(true);
    expect((await platform.get(path)).body.grantCount).toBe(2);
    expectStatus(await platform.patch(path, { enabled: false }), 200);
    for (const grant of grants) expect(await works(t, grant)).toBe(false);
    expectStatus(await platform.patch(path, { enabled: true, name: "Reports" }), 200);
    expectStatus(await platform.post(`${path}/rotate-secret`, {}), 200);
    expectStatus(await platform.delete(path), 204);
    for (const grant of grants)
      expect([await works(other, grant), await endOfGrant(t, grant)]).toEqual([false, "client"]);
    const rows = await t.sql(
      "SELECT action, organization_id, metadata FROM audit_events WHERE target_id = $1 ORDER BY id",
      [client.id],
    );
    expect(rows.map(({ action }) => action)).toEqual([
      "OAUTH_CLIENT_CREATED",
      "OAUTH_CLIENT_UPDATED",
      "OAUTH_CLIENT_UPDATED",
      "OAUTH_CLIENT_SECRET_ROTATED",
      "OAUTH_CLIENT_DELETED",
    ]);
    expect(rows.every(({ organization_id }) => organization_id === null)).toBe(true);
    expect(rows.at(-1)?.metadata).toEqual({ name: "Reports", endedApps: 2 });
  });

  test("there are at most 200", async () => {
    const platform = await t.platformAdmin();
    const [{ count } = { count: 0 }] = await t.sql<{ count: number }>(
      "SELECT count(*)::int AS count FROM oauth_clients WHERE organization_id IS NULL AND NOT is_deleted",
    );
    await t.sql(
      `INSERT INTO oauth_clients (name, redirect_uris, is_confidential)
       SELECT 'App ' || n, ARRAY['https://app.example.com/'], false FROM generate_series(1, $1::int) n`,
      [199 - count],
    );
    await register(platform, {}, PLATFORM);
    const refused = await platform.post(PLATFORM, BODY);
    expect([refused.status, refused.body.details]).toEqual([409, { max: 200 }]);
  });
});
