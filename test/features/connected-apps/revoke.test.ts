import { expect, test } from "bun:test";
import {
  deleteOldCodes,
  deleteOldTokens,
  deleteTokensOfEndedGrants,
} from "../../../sql/oauth-tokens.queries.ts";
import { appSecret } from "../../../src/core/access/token-forms.ts";
import {
  AGENT,
  basic,
  codeFields,
  connect,
  insertCode,
  insertConfidential,
  refreshFields,
  refusal,
  sendForm,
  statusOf,
  token,
} from "../../support/app-codes.ts";
import { endOfGrant } from "../../support/apps.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf } from "../../support/outcomes.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

/* Giving tokens back, leaked tokens, and what is left of codes and tokens (rules 46.16, 46.17). */

const t = await sharedService({ OAUTH_APPS: "any" });
const org = await createOrganization(t);
const revoke = (fields: Parameters<typeof sendForm>[2], headers: Record<string, string> = {}) =>
  sendForm(t, "/api/oauth/revoke", fields, { headers });
const revoked = async (refreshOrAccess: string, more: Record<string, string> = {}) =>
  expectStatus(await revoke({ client_id: AGENT, token: refreshOrAccess, ...more }), 200);
const auditOf = (grantId: string) =>
  t.sql(
    "SELECT actor_id, metadata FROM audit_events WHERE target_id = $1 AND action = 'CONNECTED_APP_REVOKED'",
    [grantId],
  );
const notificationsOf = (grantId: string) =>
  t.sql("SELECT data FROM notifications WHERE type = 'CONNECTED_APP_REVOKED' AND data->>'grantId' = $1", [
    grantId,
  ]);

test("a refresh token ends its grant, without an actor and without a notification (46.16)", async () => {
  const { tokens, grantId } = await connect(t, org);
  const { body, headers } = await revoked(tokens.refresh_token, { token_type_hint: "access_token" });
  expect([body, headers.get("cache-control")]).toEqual(["", "no-store"]);
  expect([await endOfGrant(t, { grantId }), await statusOf(t, tokens.access_token)]).toEqual(["app", 401]);
  expect(refusal(await token(t, refreshFields(tokens.refresh_token)))).toBe("400 invalid_grant");
  const metadata = { clientId: AGENT, name: "Agent", userId: idOf(org.admin), via: "app" };
  expect(await auditOf(grantId)).toEqual([{ actor_id: null, metadata }]);
  expect(await notificationsOf(grantId)).toEqual([]);
  await revoked(tokens.refresh_token);
  expect(await auditOf(grantId)).toHaveLength(1);
});

test("an access token ends only itself (46.16)", async () => {
  const { tokens, grantId } = await connect(t, org);
  await revoked(tokens.access_token);
  expect([await statusOf(t, tokens.access_token), await endOfGrant(t, { grantId })]).toEqual([401, null]);
  const next = expectStatus(await token(t, refreshFields(tokens.refresh_token)), 200).body;
  expect(await statusOf(t, next.access_token)).toBe(200);
  await revoked(tokens.access_token);
});

test("a refresh token that was replaced ends its grant, too (46.16)", async () => {
  const { tokens, grantId } = await connect(t, org);
  expectStatus(await token(t, refreshFields(tokens.refresh_token)), 200);
  await revoked(tokens.refresh_token);
  expect(await endOfGrant(t, { grantId })).toBe("app");
});

test("what is unknown, of another form or another client's is 200 and keeps working (46.16)", async () => {
  const { tokens, grantId } = await connect(t, org);
  const code = await insertCode(t, org);
  for (const sent of [appSecret("r"), appSecret("a"), code.code, "x", `${tokens.refresh_token}x`])
    await revoked(sent);
  for (const sent of [tokens.refresh_token, tokens.access_token])
    await revoked(sent, { client_id: "https://other.example.com/client.json" });
  expect([await statusOf(t, tokens.access_token), await endOfGrant(t, { grantId })]).toEqual([200, null]);
  expectStatus(await token(t, codeFields(code)), 200);
});

test("a client must prove itself, and send a token (46.16)", async () => {
  const client = await insertConfidential(t, org.id);
  const proof = { client_secret: client.secret };
  const code = codeFields(await insertCode(t, org, { oauthClientId: client.id }), proof);
  const { body: tokens } = expectStatus(await token(t, code), 200);
  const sent = { client_id: client.id, token: tokens.refresh_token };
  expect(refusal(await revoke(sent))).toBe("401 invalid_client");
  const wrong = await revoke(sent, basic(client.id, appSecret("s")));
  expect([refusal(wrong), wrong.headers.get("www-authenticate")?.split(" ")[0]]).toEqual([
    "401 invalid_client",
    "Basic",
  ]);
  expect(await statusOf(t, tokens.access_token)).toBe(200);
  expect(refusal(await revoke({ client_id: AGENT }))).toBe("400 invalid_request");
  expect(refusal(await revoke({ token: tokens.refresh_token }))).toBe("400 invalid_request");
  expect(refusal(await revoke("x".repeat(20_000)))).toBe("413 invalid_request");
  expectStatus(await revoke({ token: tokens.refresh_token }, basic(client.id, client.secret)), 200);
  expect(await statusOf(t, tokens.access_token)).toBe(401);
});

test.each(["access_token", "refresh_token"] as const)(
  "a leaked %s ends its grant, and its person is told (46.16)",
  async (kind) => {
    const { tokens, grantId } = await connect(t, org);
    const report = (key: string) => t.anonymous().post("/api/auth/revoke-key", { key });
    expectStatus(await report(appSecret(kind === "access_token" ? "a" : "r")), 204);
    expectStatus(await report(`${tokens[kind].slice(0, -1)}${tokens[kind].endsWith("0") ? "1" : "0"}`), 400);
    expectStatus(await report(appSecret("c")), 400);
    expect(await statusOf(t, tokens.access_token)).toBe(200);
    for (let count = 0; count < 2; count += 1) expectStatus(await report(tokens[kind]), 204);
    expect([await statusOf(t, tokens.access_token), await endOfGrant(t, { grantId })]).toEqual([
      401,
      "reported",
    ]);
    const metadata = { clientId: AGENT, name: "Agent", userId: idOf(org.admin), via: "reported" };
    expect(await auditOf(grantId)).toEqual([{ actor_id: null, metadata }]);
    expect(await notificationsOf(grantId)).toEqual([
      { data: { grantId, clientName: "Agent", organizationId: org.id } },
    ]);
  },
);

test("codes and tokens go a day after their end, replaced refresh tokens with their grant (46.17)", async () => {
  const { tokens, grantId } = await connect(t, org);
  expectStatus(await token(t, refreshFields(tokens.refresh_token)), 200);
  const ended = await connect(t, org);
  await revoked(ended.tokens.refresh_token);
  const clean = async () => {
    for (const query of [deleteOldCodes, deleteOldTokens, deleteTokensOfEndedGrants])
      await query.run({ max: 1_000 }, t.running.db.writes);
    const count = async (table: string, id: string) =>
      (await t.sql(`SELECT FROM ${table} WHERE grant_id = $1`, [id])).length;
    return [
      await count("oauth_codes", grantId),
      await count("oauth_tokens", grantId),
      await count("oauth_tokens", ended.grantId),
    ];
  };
  expect(await clean()).toEqual([1, 4, 2]);
  await t.sql("UPDATE oauth_codes SET expires_at = expires_at - interval '25 hours'");
  await t.sql("UPDATE oauth_tokens SET expires_at = expires_at - interval '25 hours'");
  await t.sql("UPDATE oauth_grants SET ended_at = ended_at - interval '25 hours'");
  // The replaced refresh token is still known.
  expect(await clean()).toEqual([0, 2, 0]);
  await t.sql("UPDATE oauth_tokens SET rotated_at = rotated_at - interval '1 day' WHERE grant_id = $1", [
    grantId,
  ]);
  expect(refusal(await token(t, refreshFields(tokens.refresh_token)))).toBe("400 invalid_grant");
  expect(await endOfGrant(t, { grantId })).toBe("reused");
});
