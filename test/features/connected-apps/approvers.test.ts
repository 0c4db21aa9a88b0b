import { expect, test } from "bun:test";
import {
  AUTHORIZATIONS,
  approveAs,
  approvedBy,
  askedFounder,
  beginAs,
  connectApp,
  grantsOf,
  insertClient,
  insertGrant,
  queryOf,
} from "../../support/apps.ts";
import { createMachine } from "../../support/machines.ts";
import { createOrganization } from "../../support/organizations.ts";
import { eventsIn, idOf, outcome } from "../../support/outcomes.ts";
import { statementsOf } from "../../support/pool-statements.ts";
import { expectStatus, sharedService, startService } from "../../support/service.ts";
import { inAnotherBrowser } from "../../support/sessions.ts";
import { confine, insertConnection, setPolicy } from "../../support/sign-on.ts";
import { challenge, withTwoFactor } from "../../support/two-factor.ts";

/* Who may allow an app something, and how many apps act for an account (rules 46.6, 46.9). */

const t = await sharedService();
const instance = (overrides: Record<string, string>) =>
  startService({ OAUTH: "on", ...overrides }, { databaseUrl: t.databaseUrl });
const client = await insertClient(t);

test("neither API keys nor people without their factor come here, nor the first step of a sign-in (46.6, AP13)", async () => {
  const strict = await instance({ REQUIRE_TWO_FACTOR: "all" });
  const { organization, person } = await askedFounder(t, client);
  const without = await inAnotherBrowser(person, strict.url);
  const { key } = await createMachine(organization, { role: "ORG_ADMIN" });
  const { person: protectedPerson } = await withTwoFactor(t);
  const { challengeToken } = await challenge(protectedPerson);
  const grant = await connectApp(t, organization, person, { oauthClientId: client });
  const callers: [string, string, string][] = [
    [strict.url, without.accessToken ?? "", "403 TWO_FACTOR_REQUIRED"],
    [t.url, key, "403 API_KEY_NOT_ALLOWED"],
    [t.url, grant.accessToken, "403 APP_NOT_ALLOWED"],
    [t.url, challengeToken, "401 UNAUTHENTICATED"],
  ];
  for (const [url, token, expected] of callers) {
    const caller = t.anonymous(url);
    caller.accessToken = token;
    const responses = [
      await caller.post(AUTHORIZATIONS, { query: queryOf(client) }),
      await caller.get(`/api/oauth/unit-options?organizationId=${organization.id}`),
      await caller.post(`${AUTHORIZATIONS}/approve`, {}),
      await caller.post(`${AUTHORIZATIONS}/deny`, {}),
    ];
    expect([token, responses.map(outcome)]).toEqual([token, Array(4).fill(expected)]);
  }
});

test("a platform administrator approves nothing, also one who became it a moment ago (46.6, AP14)", async () => {
  const { organization, person, shown } = await askedFounder(t, client);
  const admin = await t.platformAdmin();
  const asAdmin = await approveAs(admin, await beginAs(admin, queryOf(client)), {
    organizationId: organization.id,
  });
  expect(outcome(asAdmin)).toBe("403 FORBIDDEN");
  await t.sql("UPDATE users SET is_platform_admin = true WHERE id = $1", [idOf(person)]);
  expect(outcome(await approveAs(person, shown, { organizationId: organization.id }))).toBe("403 FORBIDDEN");
});

test("an approval needs a live session and a live membership (46.6)", async () => {
  const { organization, person, shown } = await askedFounder(t, client);
  const elsewhere = await createOrganization(t);
  for (const organizationId of [elsewhere.id, crypto.randomUUID()])
    expect(outcome(await approveAs(person, shown, { organizationId }))).toBe("403 NOT_A_MEMBER");
  await t.sql("UPDATE organizations SET status = 'SUSPENDED' WHERE id = $1", [organization.id]);
  const suspended = await beginAs(person, queryOf(client));
  expect(suspended.organizations).toMatchObject([{ allowed: false, reason: "suspended" }]);
  expect(outcome(await approveAs(person, shown, { organizationId: organization.id }))).toBe(
    "400 ORGANIZATION_SUSPENDED",
  );
  await t.sql("UPDATE organizations SET status = 'ACTIVE' WHERE id = $1", [organization.id]);
  const access = person.accessToken;
  expectStatus(await person.post("/api/auth/logout"), 204);
  person.accessToken = access;
  expect(outcome(await approveAs(person, shown, { organizationId: organization.id }))).toBe(
    "401 UNAUTHENTICATED",
  );
});

test("a session that was only proven by a connection does not come here (46.6)", async () => {
  const organization = await createOrganization(t);
  const member = await organization.member();
  await confine(t, member, await insertConnection(t, organization));
  await member.refresh();
  const responses = [
    await member.post(AUTHORIZATIONS, { query: queryOf(client) }),
    await member.get(`/api/oauth/unit-options?organizationId=${organization.id}`),
    await member.post(`${AUTHORIZATIONS}/approve`, {}),
    await member.post(`${AUTHORIZATIONS}/deny`, {}),
  ];
  expect(responses.map(outcome)).toEqual(Array(4).fill("403 REAUTHENTICATION_REQUIRED"));
});

test("an approval is for an organization in which the session may act, with its authentication there (46.6)", async () => {
  const organization = await createOrganization(t);
  const member = await organization.member();
  const shown = await beginAs(member, queryOf(client));
  await setPolicy(t, organization, { two_factor: true });
  const units = () => member.get(`/api/oauth/unit-options?organizationId=${organization.id}`);
  expect(outcome(await approveAs(member, shown, { organizationId: organization.id }))).toBe(
    "403 TWO_FACTOR_REQUIRED",
  );
  expect(outcome(await units())).toBe("403 TWO_FACTOR_REQUIRED");
  const { code } = await withTwoFactor(t, member);
  const proof = { password: member.account.password, code: code() };
  expectStatus(await member.post("/api/profile/reauthenticate", proof), 204);
  expectStatus(await units(), 200);
  await approvedBy(member, shown, { organizationId: organization.id });
  expect(await grantsOf(t, member)).toMatchObject([{ acr: "2" }]);
});

test("a sixth grant of an app ends the one that was not used for longest (46.9)", async () => {
  const { organization, person } = await askedFounder(t, client);
  const organizationId = organization.id;
  const place = { userId: idOf(person), organizationId, oauthClientId: client, resource: "mcp" as const };
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000);
  const given = [];
  for (const days of [1, 5, 2, 3])
    given.push(await insertGrant(t, { ...place, redeemedAt: ago(9), lastUsedAt: ago(days) }));
  given.push(await insertGrant(t, { ...place, redeemedAt: ago(4) }));
  // Neither another resource nor another organization or app counts, nor what has ended, expired or idled.
  await insertGrant(t, { ...place, resource: "api", redeemedAt: ago(20) });
  await insertGrant(t, { ...place, oauthClientId: await insertClient(t), redeemedAt: ago(20) });
  await insertGrant(t, { ...place, redeemedAt: ago(31) });
  await insertGrant(t, { ...place, redeemedAt: ago(20), expiresAt: ago(1) });
  await approvedBy(person, await beginAs(person, queryOf(client)), { organizationId });
  const ended = await t.sql(
    "SELECT id, end_reason FROM oauth_grants WHERE user_id = $1 AND ended_at IS NOT NULL",
    [idOf(person)],
  );
  expect(ended).toEqual([{ id: given[1]?.grantId, end_reason: "replaced" }]);
  const events = await eventsIn(t, organization, "CONNECTED_APP_REVOKED");
  expect(events).toMatchObject([
    { actor_id: null, target_id: given[1]?.grantId, metadata: { via: "replaced", userId: idOf(person) } },
  ]);
  // Those whose code may still be redeemed count.
  for (let count = 0; count < 7; count += 1)
    await approvedBy(person, await beginAs(person, queryOf(client)), { organizationId });
  const live = await t.sql(
    "SELECT id FROM oauth_grants WHERE user_id = $1 AND client_id = $2 AND resource = 'mcp' AND redeemed_at IS NULL AND ended_at IS NULL",
    [idOf(person), client],
  );
  expect(live).toHaveLength(5);
});

test("an account has at most 50 live grants (46.9)", async () => {
  const { organization, person, shown } = await askedFounder(t, client);
  const place = { userId: idOf(person), organizationId: organization.id };
  const first = await insertGrant(t, { ...place, clientId: "https://agent-0.example.com/a" });
  for (let count = 1; count < 50; count += 1)
    await insertGrant(t, { ...place, clientId: `https://agent-${count}.example.com/a` });
  const refused = expectStatus(await approveAs(person, shown, { organizationId: organization.id }), 409);
  expect(refused.body).toMatchObject({ code: "CONFLICT", details: { max: 50 } });
  await t.sql("UPDATE oauth_grants SET ended_at = now(), end_reason = 'person' WHERE id = $1", [
    first.grantId,
  ]);
  await approvedBy(person, shown, { organizationId: organization.id });
});

test("the page of a person with 50 organizations costs as many statements as that of one (46.7)", async () => {
  const { person } = await askedFounder(t, client);
  const count = async () => {
    const statements = await statementsOf(t, () => beginAs(person, queryOf(client)));
    return statements.length;
  };
  const ofOne = await count();
  await t.sql(
    `WITH made AS (INSERT INTO organizations (name, slug) SELECT 'Org ' || n, gen_random_uuid()::text FROM generate_series(1, 49) n RETURNING id)
     INSERT INTO memberships (organization_id, user_id) SELECT id, $1 FROM made`,
    [idOf(person)],
  );
  const { organizations } = await beginAs(person, queryOf(client));
  expect(organizations).toHaveLength(50);
  expect(organizations[9]).toMatchObject({ name: "Org 9", allowed: true, scopes: [] });
  expect(await count()).toBe(ofOne);
  expect(ofOne).toBeLessThan(4);
});
