import { expect, test } from "bun:test";
import {
  codeFields,
  connect,
  insertCode,
  refreshFields,
  refusal,
  startTokenEndpoint,
  statusOf,
  token,
} from "../../support/app-codes.ts";
import { endOfGrant, REDIRECT } from "../../support/apps.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf } from "../../support/outcomes.ts";
import { eventsOf } from "../../support/outgoing-events.ts";
import { race } from "../../support/race.ts";
import { raceCluster } from "../../support/race-cluster.ts";
import { expectStatus } from "../../support/service.ts";

/* Redeeming a code at the token endpoint (rules 46.13). */

const { t, org, instance, refused } = await startTokenEndpoint();

test("a code gets an access token for 15 minutes, and a refresh token (46.13)", async () => {
  const code = await insertCode(t, org, { scopes: ["todos:read", "units:read"] });
  const { body, headers } = expectStatus(await token(t, codeFields(code)), 200);
  expect(body).toEqual({
    access_token: expect.stringMatching(/^mosa_[0-9A-Za-z]{46}$/),
    token_type: "Bearer",
    expires_in: 900,
    refresh_token: expect.stringMatching(/^mosr_[0-9A-Za-z]{46}$/),
    scope: "todos:read units:read",
  });
  expect([headers.get("cache-control"), headers.get("set-cookie")]).toEqual(["no-store", null]);
  expect(await statusOf(t, body.access_token)).toBe(200);
  expect(await statusOf(t, body.access_token, "/api/members")).toBe(403);
});

test("no text of a code or token is stored (46.13)", async () => {
  const { code, tokens } = await connect(t, org);
  const rows = await t.sql("SELECT * FROM oauth_codes");
  const stored = JSON.stringify([rows, await t.sql("SELECT * FROM oauth_tokens")]);
  for (const secret of [code, tokens.access_token, tokens.refresh_token])
    expect(stored.includes(secret.slice(5, 45))).toBe(false);
});

test("an access token never outlives its grant (46.13)", async () => {
  const code = await insertCode(t, org);
  await t.sql("UPDATE oauth_grants SET expires_at = now() + interval '2 minutes' WHERE id = $1", [
    code.grantId,
  ]);
  const { body } = expectStatus(await token(t, codeFields(code)), 200);
  expect(body.expires_in).toBeWithin(100, 121);
});

test("resource: none, the grant's in any case and with a slash; others are invalid_target and spend nothing (46.13)", async () => {
  const { APP_URL: api = "" } = t.environment;
  const code = await insertCode(t, org);
  const fields = Object.entries(codeFields(code));
  for (const resources of [
    [`${api}/mcp`],
    ["https://other.example/api"],
    [`${api}/api`, `${api}/mcp`],
    [`${api}/API`],
  ]) {
    const sent = resources.map((one): [string, string] => ["resource", one]);
    expect(await refused([...fields, ...sent])).toBe("400 invalid_target");
  }
  const same = [`${api}/api`, `${api.toUpperCase()}/api/`].map((one): [string, string] => ["resource", one]);
  expectStatus(await token(t, [...fields, ...same]), 200);
  const withoutMcp = await instance({ MCP: "off" });
  const ofMcp = await insertCode(t, org, { resource: "mcp" });
  expect(refusal(await token(withoutMcp, codeFields(ofMcp)))).toBe("400 invalid_target");
  expectStatus(await token(t, codeFields(ofMcp)), 200);
});

test("a wrong verifier of its client spends a code; a malformed one and another client do not (46.13)", async () => {
  const code = await insertCode(t, org);
  expect(await refused(codeFields(code, { code_verifier: code.verifier.slice(0, 42) }))).toBe(
    "400 invalid_request",
  );
  expect(await refused(codeFields(code, { code_verifier: `${code.verifier}+` }))).toBe("400 invalid_request");
  const other = "https://other.example.com/client.json";
  expect(await refused(codeFields(code, { client_id: other }))).toBe("400 invalid_grant");
  expect(await refused(codeFields(code, { client_id: other, code_verifier: "a".repeat(43) }))).toBe(
    "400 invalid_grant",
  );
  expect(await refused(codeFields(code, { redirect_uri: `${REDIRECT}/` }))).toBe("400 invalid_grant");
  expect(await refused(codeFields(code, { grant_type: "password" }))).toBe("400 unsupported_grant_type");
  const second = await insertCode(t, org);
  expectStatus(await token(t, codeFields(code)), 200);
  expect(await refused(codeFields(second, { code_verifier: "a".repeat(43) }))).toBe("400 invalid_grant");
  expect(await refused(codeFields(second))).toBe("400 invalid_grant");
  expect(await endOfGrant(t, second)).toBeNull();
});

test("without redirect_uri a code is redeemed, too; after 60 seconds it is not (46.13)", async () => {
  const { redirect_uri: _, ...fields } = codeFields(await insertCode(t, org));
  expectStatus(await token(t, fields), 200);
  const late = await insertCode(t, org);
  await t.age("oauth_codes", { grant_id: late.grantId }, { seconds: 61 });
  expect(await refused(codeFields(late))).toBe("400 invalid_grant");
  expect(await endOfGrant(t, late)).toBeNull();
});

test("a later redemption by the same client ends the grant; by another or with a wrong verifier it does not (46.13)", async () => {
  const connected = await connect(t, org);
  const { code, verifier, tokens } = connected;
  const other = { client_id: "https://other.example.com/client.json" };
  expect(await refused(codeFields(connected, other))).toBe("400 invalid_grant");
  expect(await refused(codeFields(connected, { code_verifier: "b".repeat(43) }))).toBe("400 invalid_grant");
  expect(await refused(codeFields(connected, { redirect_uri: "https://other.example.com/" }))).toBe(
    "400 invalid_grant",
  );
  expect([await statusOf(t, tokens.access_token), await endOfGrant(t, connected)]).toEqual([200, null]);
  expect(await refused(codeFields({ ...connected, code, verifier }))).toBe("400 invalid_grant");
  expect([await statusOf(t, tokens.access_token), await endOfGrant(t, connected)]).toEqual([401, "reused"]);
  expect(await refused(refreshFields(tokens.refresh_token))).toBe("400 invalid_grant");
  const events = await t.sql(
    "SELECT action, actor_id, metadata->>'kind' AS kind FROM audit_events WHERE target_id = $1",
    [connected.grantId],
  );
  expect(events).toEqual([{ action: "CONNECTED_APP_TOKEN_REUSED", actor_id: null, kind: "code" }]);
});

test("other systems are told of an app when its code is redeemed (46.13)", async () => {
  const own = await createOrganization(t);
  const code = await insertCode(t, own);
  const events = await eventsOf(t, own.admin, async () =>
    expectStatus(await token(t, codeFields(code)), 200),
  );
  const userId = idOf(own.admin);
  expect(events).toMatchObject([
    {
      type: "connected_app.created",
      actor: { type: "user", id: userId },
      data: { object: { id: code.grantId, member: { userId } } },
    },
  ]);
});

test("a suspended organization's codes are redeemed (46.13)", async () => {
  const own = await createOrganization(t);
  const code = await insertCode(t, own);
  await t.sql("UPDATE organizations SET status = 'SUSPENDED' WHERE id = $1", [own.id]);
  const { body } = expectStatus(await token(t, codeFields(code)), 200);
  expect(await statusOf(t, body.access_token)).toBe(403);
});

// The test fails if a redemption does not depend on the row that it changes (`spendCode`).
test("of 100 redemptions of a code at two instances one gets tokens, and the grant is dead (46.13)", async () => {
  const cluster = await raceCluster();
  const own = await createOrganization(cluster.t);
  const code = await insertCode(cluster.t, own);
  const answers = await race(100, (index) => token(cluster.t, codeFields(code), { url: cluster.url(index) }));
  const good = answers.filter(({ status }) => status === 200);
  expect([good.length, await endOfGrant(cluster.t, code)]).toEqual([1, "reused"]);
  expect(answers.filter(({ status }) => status !== 200).map(refusal)).toEqual(
    Array(99).fill("400 invalid_grant"),
  );
  expect(await statusOf(cluster.t, good[0]?.body.access_token)).toBe(401);
});
