import { expect, test } from "bun:test";
import { AGENT, connect, refreshFields, refusal, statusOf, token } from "../../support/app-codes.ts";
import { endOfGrant } from "../../support/apps.ts";
import { createOrganization } from "../../support/organizations.ts";
import { idOf } from "../../support/outcomes.ts";
import { race } from "../../support/race.ts";
import { raceCluster } from "../../support/race-cluster.ts";
import { expectStatus, startService } from "../../support/service.ts";

/* Refreshing, and the use of a refresh token that was replaced (rules 46.14, 46.15). */

const ON = { OAUTH: "on", OAUTH_APPS: "any" };
const t = await startService(ON);
const org = await createOrganization(t);
const instance = (overrides: Record<string, string>) =>
  startService({ ...ON, ...overrides }, { databaseUrl: t.databaseUrl });

const refresh = (refreshToken: string, more: Record<string, string> = {}, service: typeof t = t) =>
  token(service, refreshFields(refreshToken, more));
const good = async (...of: Parameters<typeof refresh>) => expectStatus(await refresh(...of), 200).body;
const refused = async (...of: Parameters<typeof refresh>) => refusal(await refresh(...of));
/** Moves what happened to the tokens of a grant into the past. */
const ageTokens = (grantId: string, seconds: number) =>
  t.sql("UPDATE oauth_tokens SET rotated_at = rotated_at - make_interval(secs => $2) WHERE grant_id = $1", [
    grantId,
    seconds,
  ]);
const unrotated = async (grantId: string, service = t) =>
  (
    await service.sql(
      "SELECT FROM oauth_tokens WHERE grant_id = $1 AND kind = 'refresh' AND rotated_at IS NULL",
      [grantId],
    )
  ).length;
const traces = async (grantId: string) => {
  const events = await t.sql(
    "SELECT actor_id, metadata FROM audit_events WHERE target_id = $1 AND action = 'CONNECTED_APP_TOKEN_REUSED'",
    [grantId],
  );
  const told = await t.sql(
    "SELECT FROM notifications WHERE type = 'CONNECTED_APP_TOKEN_REUSED' AND data->>'grantId' = $1",
    [grantId],
  );
  return { events, told: told.length };
};

test("a refresh token is replaced by a new pair; the old access token works on (46.14)", async () => {
  const { tokens, grantId } = await connect(t, org);
  const next = await good(tokens.refresh_token);
  expect(next).toEqual({
    access_token: expect.stringMatching(/^mosa_[0-9A-Za-z]{46}$/),
    token_type: "Bearer",
    expires_in: 900,
    refresh_token: expect.stringMatching(/^mosr_[0-9A-Za-z]{46}$/),
    scope: tokens.scope,
  });
  expect([next.access_token, next.refresh_token]).not.toContain(tokens.access_token);
  for (const each of [tokens.access_token, next.access_token]) expect(await statusOf(t, each)).toBe(200);
  expect(await unrotated(grantId)).toBe(1);
  const third = await good(next.refresh_token);
  expect(await statusOf(t, third.access_token)).toBe(200);
});

test("within 60 seconds the old token gets the identical pair, with what is left of it (46.14)", async () => {
  const { tokens, grantId } = await connect(t, org);
  const next = await good(tokens.refresh_token, { scope: "todos:read" });
  expect(await good(tokens.refresh_token)).toEqual(next);
  await ageTokens(grantId, 55);
  await t.sql(
    "UPDATE oauth_tokens SET expires_at = expires_at - interval '55 seconds' WHERE grant_id = $1 AND kind = 'access'",
    [grantId],
  );
  const again = await good(tokens.refresh_token);
  expect(again).toEqual({ ...next, expires_in: again.expires_in });
  expect(again.expires_in).toBeWithin(840, 846);
  expect([await endOfGrant(t, { grantId }), await unrotated(grantId)]).toEqual([null, 1]);
});

test("the old token after its successor was used ends the grant, once with an event, a notification and a mail (46.15)", async () => {
  const person = await org.member({ role: "MEMBER" });
  const { tokens, grantId } = await connect(t, org, {}, person);
  const next = await good(tokens.refresh_token);
  const last = await good(next.refresh_token);
  expect(await refused(tokens.refresh_token)).toBe("400 invalid_grant");
  expect(await endOfGrant(t, { grantId })).toBe("reused");
  expect(await statusOf(t, last.access_token)).toBe(401);
  for (const each of [tokens, next, last])
    expect(await refused(each.refresh_token)).toBe("400 invalid_grant");
  const { events, told } = await traces(grantId);
  const metadata = { clientId: AGENT, name: "Agent", userId: idOf(person), kind: "refresh" };
  expect([events, told]).toEqual([[{ actor_id: null, metadata }], 1]);
  const mails = await t.mailTo(person.email);
  expect(mails.filter(({ subject }) => subject?.startsWith("We disconnected an app"))).toHaveLength(1);
});

test("the old token after 60 seconds ends the grant with its successor (46.15)", async () => {
  const { tokens, grantId } = await connect(t, org);
  const next = await good(tokens.refresh_token);
  await ageTokens(grantId, 61);
  expect(await refused(tokens.refresh_token)).toBe("400 invalid_grant");
  expect([await endOfGrant(t, { grantId }), await statusOf(t, next.access_token)]).toEqual(["reused", 401]);
  expect(await refused(next.refresh_token)).toBe("400 invalid_grant");
});

test("another client changes nothing with a token, whether it was replaced or not (46.14)", async () => {
  const { tokens, grantId } = await connect(t, org);
  const other = { client_id: "https://other.example.com/client.json" };
  expect(await refused(tokens.refresh_token, other)).toBe("400 invalid_grant");
  const next = await good(tokens.refresh_token);
  await good(next.refresh_token);
  expect(await refused(tokens.refresh_token, other)).toBe("400 invalid_grant");
  expect([await endOfGrant(t, { grantId }), await unrotated(grantId)]).toEqual([null, 1]);
});

test("scope narrows the access token alone; beyond the grant it rotates nothing (46.14)", async () => {
  const { tokens, grantId } = await connect(t, org, { scopes: ["todos:read", "members:read"] });
  expect(await refused(tokens.refresh_token, { scope: "todos:read todos:write" })).toBe("400 invalid_scope");
  expect(await refused(tokens.refresh_token, { scope: "nothing" })).toBe("400 invalid_scope");
  expect(await refused(tokens.refresh_token, { resource: "https://other.example" })).toBe(
    "400 invalid_target",
  );
  expect(await t.sql("SELECT FROM oauth_tokens WHERE grant_id = $1", [grantId])).toHaveLength(2);
  const narrow = await good(tokens.refresh_token, { scope: "todos:read" });
  expect(narrow.scope).toBe("todos:read");
  expect(await statusOf(t, narrow.access_token)).toBe(200);
  expect(await statusOf(t, narrow.access_token, "/api/members")).toBe(403);
  const wide = await good(narrow.refresh_token, { scope: "offline_access" });
  expect(wide.scope).toBe(tokens.scope);
  expect(await statusOf(t, wide.access_token, "/api/members")).toBe(200);
});

test("a refresh is a use: 30 days count from it, and an end at its time stays (46.14)", async () => {
  const { tokens, grantId } = await connect(t, org);
  await t.sql(
    "UPDATE oauth_grants SET redeemed_at = now() - interval '29 days', expires_at = now() + interval '5 minutes' WHERE id = $1",
    [grantId],
  );
  const next = await good(tokens.refresh_token);
  expect(next.expires_in).toBeWithin(280, 301);
  const [grant] = await t.sql<{ isNew: boolean; ip: string }>(
    `SELECT last_used_at > now() - interval '1 minute' AS "isNew", last_used_ip AS ip FROM oauth_grants WHERE id = $1`,
    [grantId],
  );
  expect(grant).toEqual({ isNew: true, ip: "127.0.0.1" });
  await t.sql(
    "UPDATE oauth_grants SET last_used_at = now() - interval '31 days', redeemed_at = now() - interval '40 days', expires_at = now() + interval '50 days' WHERE id = $1",
    [grantId],
  );
  expect(await refused(next.refresh_token)).toBe("400 invalid_grant");
  expect(await endOfGrant(t, { grantId })).toBeNull();
});

test("a suspended organization refreshes, and an account that must set up its second factor; a deleted one does not (46.14)", async () => {
  const own = await createOrganization(t);
  const { tokens } = await connect(t, own);
  await t.sql("UPDATE organizations SET status = 'SUSPENDED' WHERE id = $1", [own.id]);
  const next = await good(tokens.refresh_token);
  expect(await statusOf(t, next.access_token)).toBe(403);
  const strict = await instance({ REQUIRE_TWO_FACTOR: "all" });
  const third = await good(next.refresh_token, {}, strict);
  await t.sql("UPDATE organizations SET is_deleted = true, deleted_at = now() WHERE id = $1", [own.id]);
  expect(await refused(third.refresh_token)).toBe("400 invalid_grant");
});

test("a policy of the operator that covers the app no more refuses without an end (46.14)", async () => {
  const { tokens, grantId } = await connect(t, org);
  const strict = await instance({ OAUTH_APPS: "approved" });
  expect(await refused(tokens.refresh_token, {}, strict)).toBe("400 invalid_grant");
  expect(await endOfGrant(t, { grantId })).toBeNull();
  await good(tokens.refresh_token);
});

test("a pair that was made with the previous key is found again (46.14)", async () => {
  const { tokens, grantId } = await connect(t, org);
  const next = await good(tokens.refresh_token);
  const renewed = await instance({
    JWT_SECRET: "another-secret-that-only-tests-know-0123456789",
    JWT_SECRET_PREVIOUS: t.environment.JWT_SECRET ?? "",
  });
  const again = await good(tokens.refresh_token, {}, renewed);
  expect({ ...again, expires_in: 0 }).toEqual({ ...next, expires_in: 0 });
  // An instance without the key cannot answer the same, and does not take it for theft.
  const foreign = await instance({ JWT_SECRET: "a-third-secret-that-only-tests-know-0123456789" });
  expect(await refused(tokens.refresh_token, {}, foreign)).toBe("400 invalid_grant");
  expect(await endOfGrant(t, { grantId })).toBeNull();
  await good(next.refresh_token, {}, renewed);
});

// The test fails if a rotation does not depend on the row that it changes (`rotateRefreshToken`).
test("200 refreshes at once at two instances get one pair, and leave one token that was not replaced (46.14)", async () => {
  const cluster = await raceCluster();
  const own = await createOrganization(cluster.t);
  const { tokens, grantId } = await connect(cluster.t, own);
  const answers = await race(200, (index) =>
    token(cluster.t, refreshFields(tokens.refresh_token), { url: cluster.url(index) }),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1);
  expect(new Set(answers.map(({ body }) => body.access_token)).size).toBe(1);
  expect([await unrotated(grantId, cluster.t), await endOfGrant(cluster.t, { grantId })]).toEqual([1, null]);
});
