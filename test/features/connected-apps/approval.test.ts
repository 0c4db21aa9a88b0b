import { expect, test } from "bun:test";
import { decodeJwt, SignJWT } from "jose";
import { isAppSecret } from "../../../src/core/access/token-forms.ts";
import { tokenHash } from "../../../src/kit/secrets.ts";
import {
  AUTHORIZATIONS,
  approveAs,
  approvedBy,
  askedFounder,
  beginAs,
  CHALLENGE,
  grantsOf,
  insertClient,
  queryOf,
  REDIRECT,
  toldBy,
} from "../../support/apps.ts";
import { eventsIn, idOf, messages, outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService, startService } from "../../support/service.ts";
import { inAnotherBrowser, stale } from "../../support/sessions.ts";

/* What a person allows an app (rules 46.5, 46.6). */

const t = await sharedService();
const instance = (overrides: Record<string, string>) =>
  startService({ OAUTH: "on", ...overrides }, { databaseUrl: t.databaseUrl });
const client = await insertClient(t);

test("an approval gives the app a code for what was chosen (46.6)", async () => {
  const { organization, person, shown } = await askedFounder(t, client, { state: "x&y" });
  const choice = { organizationId: organization.id, scopes: ["todos:write", "todos:read", "todos:read"] };
  const { redirectTo } = expectStatus(await approveAs(person, shown, choice), 200).body;
  expect(redirectTo.startsWith(`${REDIRECT}?code=mosc_`)).toBe(true);
  const { code = "", ...told } = toldBy(redirectTo);
  expect(told).toEqual({ state: "x&y", iss: "http://app.test" });
  expect(isAppSecret("c", code)).toBe(true);

  const [grant, ...others] = await grantsOf(t, person);
  expect(others).toEqual([]);
  expect(grant).toMatchObject({
    organization_id: organization.id,
    unit_id: null,
    client_id: client,
    oauth_client_id: client,
    client_name: "Agent",
    client_host: null,
    redirect_uri: REDIRECT,
    resource: "mcp",
    scopes: ["todos:read", "todos:write"],
    acr: "1",
    redeemed_at: null,
    ended_at: null,
  });
  const [row] = await t.sql(
    `SELECT *, extract(epoch FROM expires_at - now())::int AS seconds FROM oauth_codes WHERE grant_id = $1`,
    [grant?.id],
  );
  expect(row).toMatchObject({ token_hash: tokenHash(code), code_challenge: CHALLENGE, spent_at: null });
  expect(row?.seconds).toBeGreaterThan(50);
  expect(row?.seconds).toBeLessThanOrEqual(60);
  const events = await eventsIn(t, organization, "CONNECTED_APP");
  expect(events).toMatchObject([
    {
      action: "CONNECTED_APP_APPROVED",
      actor_id: idOf(person),
      target_type: "connected_app",
      target_id: grant?.id,
      metadata: {
        clientId: client,
        name: "Agent",
        host: null,
        resource: "mcp",
        unitId: null,
        unitName: null,
        scopes: ["todos:read", "todos:write"],
      },
    },
  ]);
  const told2 = await t.sql(
    "SELECT data FROM notifications WHERE user_id = $1 AND type = 'CONNECTED_APP_APPROVED'",
    [idOf(person)],
  );
  expect(told2).toMatchObject([{ data: { grantId: grant?.id, clientName: "Agent" } }]);
  const mails = await t.mailTo(person.email);
  expect(mails.filter(({ text }) => text.includes("Agent"))).toHaveLength(1);
});

test("a denial tells the app and writes nothing (46.6, AP15)", async () => {
  const { person, shown } = await askedFounder(t, client);
  const { requestToken } = shown;
  const { redirectTo } = expectStatus(
    await person.post(`${AUTHORIZATIONS}/deny`, { requestToken }),
    200,
  ).body;
  expect(toldBy(redirectTo)).toEqual({ error: "access_denied", state: "a state", iss: "http://app.test" });
  expect(await grantsOf(t, person)).toEqual([]);
  // A denial does not use up the request.
  expectStatus(await person.post(`${AUTHORIZATIONS}/deny`, { requestToken }), 200);
});

test("an approval needs a proof of ten minutes; after it the same request works (46.6, AP12)", async () => {
  const { organization, person, shown } = await askedFounder(t, client);
  await stale(t, person);
  const refused = await approveAs(person, shown, { organizationId: organization.id });
  expect(outcome(refused)).toBe("403 REAUTHENTICATION_REQUIRED");
  // Reading and denying need none.
  await beginAs(person, queryOf(client));
  const { password } = person.account;
  expectStatus(await person.post("/api/profile/reauthenticate", { password }), 204);
  await approvedBy(person, shown, { organizationId: organization.id });
});

test("the token of a request is of this person and session, signed, and ten minutes old at most (46.5, AP15)", async () => {
  const { organization, person, shown } = await askedFounder(t, client);
  const { requestToken } = shown;
  const claims = decodeJwt(requestToken);
  const signed = (changes: Record<string, unknown>, secret = t.environment.JWT_SECRET) =>
    new SignJWT({ ...claims, ...changes })
      .setProtectedHeader({ alg: "HS256" })
      .sign(new TextEncoder().encode(secret));
  const now = Math.floor(Date.now() / 1000);
  const [head, body, signature] = requestToken.split(".");
  const altered = Buffer.from(JSON.stringify({ ...claims, sub: crypto.randomUUID() })).toString("base64url");
  const bad = [
    "x",
    person.accessToken ?? "",
    `${head}.${altered}.${signature}`,
    `${Buffer.from('{"alg":"none"}').toString("base64url")}.${body}.`,
    await signed({ iat: now - 660, exp: now - 60 }),
    await signed({ aud: "api" }),
    await signed({ iss: "http://else.test" }),
    await signed({ exp: undefined }),
    await signed({}, "another-secret-that-is-long-enough-0123456789"),
    (await beginAs(await inAnotherBrowser(person), queryOf(client))).requestToken,
    (await beginAs(await t.person(), queryOf(client))).requestToken,
  ];
  for (const token of bad) {
    const request = { ...shown, requestToken: token };
    const refused = [
      await approveAs(person, request, { organizationId: organization.id }),
      await person.post(`${AUTHORIZATIONS}/deny`, { requestToken: token }),
    ];
    expect(refused.map(outcome)).toEqual(Array(2).fill("400 INVALID_OR_EXPIRED_TOKEN"));
  }
  expect(await grantsOf(t, person)).toEqual([]);
  // No token of a request opens the API.
  person.accessToken = await signed({});
  expectStatus(await person.get("/api/profile"), 401);
});

test("a request is approved by the previous secret, too (46.5)", async () => {
  const { organization, person, shown } = await askedFounder(t, client);
  const next = await instance({
    JWT_SECRET: "the-next-secret-that-only-tests-know-0123456789",
    JWT_SECRET_PREVIOUS: t.environment.JWT_SECRET ?? "",
  });
  await approvedBy(person.at(next.url), shown, { organizationId: organization.id });
});

test("scopes are some of those that were offered, days at most those of the service (46.6, AP10, AP24)", async () => {
  const { organization, person, shown } = await askedFounder(t, client, { scope: "todos:read units:read" });
  const organizationId = organization.id;
  const more = await approveAs(person, shown, {
    organizationId,
    scopes: ["todos:read", "todos:write", "x"],
  });
  const rule = "must be one of the following values: units:read, todos:read";
  expect(messages(more)).toEqual([`scopes.1 ${rule}`, `scopes.2 ${rule}`]);
  for (const scopes of [[], Array(51).fill("todos:read")])
    expect(outcome(await approveAs(person, shown, { organizationId, scopes }))).toBe("400 VALIDATION_FAILED");
  const long = await approveAs(person, shown, { organizationId, days: 91 });
  expect(messages(long)).toEqual(["days must not be greater than 90"]);
  for (const days of [0, 366, 1.5])
    expect(outcome(await approveAs(person, shown, { organizationId, days }))).toBe("400 VALIDATION_FAILED");
  expect(await grantsOf(t, person)).toEqual([]);

  await approvedBy(person, shown, { organizationId, days: 90 });
  await approvedBy(person, await beginAs(person, queryOf(client)), { organizationId });
  const lengths = (await grantsOf(t, person)).map(
    ({ expires_at, created_at }) => (Number(expires_at) - Number(created_at)) / 86_400_000,
  );
  expect(lengths).toEqual([90, 30]);
});
