import { expect, test } from "bun:test";
import {
  AGENT,
  basic,
  codeFields,
  insertClient,
  insertCode,
  refusal,
  startTokenEndpoint,
  statusOf,
  token,
  unknownSecret,
} from "../../support/app-codes.ts";
import { createOrganization } from "../../support/organizations.ts";
import { expectStatus } from "../../support/service.ts";

/* How a client proves itself at the token endpoint (rules 46.12). */

const { t, org, instance, refused } = await startTokenEndpoint();

const GOOD = { grant_type: "refresh_token", client_id: AGENT, refresh_token: "x" };

test("a confidential client proves itself by header or parameter, with one way only (46.12)", async () => {
  const client = await insertClient(t, org.id, { confidential: true });
  const settings = { oauthClientId: client.id };
  const post = { client_secret: client.secret };
  expectStatus(await token(t, codeFields(await insertCode(t, org, settings), post)), 200);
  const code = await insertCode(t, org, settings);
  const { client_id: _, ...fields } = codeFields(code);
  const header = basic(client.id, client.secret);
  expect(await refused(codeFields(code, post), header)).toBe("400 invalid_request");
  expect(await refused(codeFields(code, { client_id: AGENT }), header)).toBe("400 invalid_request");
  for (const authorization of [
    "Basic",
    "Basic a",
    "Basic !!",
    "Bearer x",
    `Basic ${btoa("no colon")}`,
    `Basic ${btoa("%:x")}`,
  ])
    expect(await refused(fields, { authorization })).toBe("400 invalid_request");
  expectStatus(await token(t, fields, { headers: header }), 200);
  expectStatus(await token(t, codeFields(await insertCode(t, org, settings)), { headers: header }), 200);
});

test("a wrong or missing secret is 401, with WWW-Authenticate only after Basic (46.12)", async () => {
  const client = await insertClient(t, org.id, { confidential: true });
  const code = await insertCode(t, org, { oauthClientId: client.id });
  const fields = codeFields(code);
  const challenge = async (sent: Record<string, string>, headers: Record<string, string>) => {
    const response = await token(t, { ...fields, ...sent }, { headers });
    return [refusal(response), response.headers.get("www-authenticate")?.split(" ")[0] ?? null];
  };
  const wrong = unknownSecret("s");
  expect(await challenge({}, {})).toEqual(["401 invalid_client", null]);
  expect(await challenge({ client_secret: wrong }, {})).toEqual(["401 invalid_client", null]);
  expect(await challenge({}, basic(client.id, wrong))).toEqual(["401 invalid_client", "Basic"]);
  expect(await challenge({}, basic(client.id, ""))).toEqual(["401 invalid_client", "Basic"]);
  expectStatus(await token(t, codeFields(code, { client_secret: client.secret })), 200);
});

test("both secrets work in the overlap, the old one not after it (46.12)", async () => {
  const client = await insertClient(t, null, { confidential: true });
  const { id, secret: old } = client;
  const { secret } = await insertClient(t, null, { confidential: true });
  await t.sql(
    `UPDATE oauth_clients SET previous_secret_hash = secret_hash, previous_secret_ends_at = now() + interval '1 day',
       secret_hash = encode(sha256($2::text::bytea), 'hex') WHERE id = $1`,
    [id, secret],
  );
  const code = async () => codeFields(await insertCode(t, org, { oauthClientId: id }));
  for (const each of [old, secret])
    expectStatus(await token(t, { ...(await code()), client_secret: each }), 200);
  await t.sql(
    "UPDATE oauth_clients SET previous_secret_ends_at = now() - interval '1 second' WHERE id = $1",
    [id],
  );
  expect(await refused({ ...(await code()), client_secret: old })).toBe("401 invalid_client");
  expectStatus(await token(t, { ...(await code()), client_secret: secret }), 200);
});

test("a disabled, deleted or blocked client is invalid_client, and nothing is spent (46.12)", async () => {
  const { id } = await insertClient(t, org.id);
  const code = await insertCode(t, org, { oauthClientId: id });
  await t.sql("UPDATE oauth_clients SET is_enabled = false WHERE id = $1", [id]);
  expect(await refused(codeFields(code))).toBe("401 invalid_client");
  await t.sql("UPDATE oauth_clients SET is_enabled = true WHERE id = $1", [id]);
  expectStatus(await token(t, codeFields(code)), 200);
  await t.sql("UPDATE oauth_clients SET is_deleted = true, deleted_at = now() WHERE id = $1", [id]);
  expect(await refused({ ...GOOD, client_id: id })).toBe("401 invalid_client");
  const registered = await insertClient(t, org.id);
  const blocking = await instance({ OAUTH_BLOCKED_APPS: `agent.example.com,${registered.id}` });
  for (const settings of [{}, { oauthClientId: registered.id }]) {
    const other = await insertCode(t, org, settings);
    expect(refusal(await token(blocking, codeFields(other)))).toBe("401 invalid_client");
    const { access_token: accessToken } = expectStatus(await token(t, codeFields(other)), 200).body;
    expect([await statusOf(t, accessToken), await statusOf(blocking, accessToken)]).toEqual([200, 401]);
  }
});

test("the clients of a deleted organization are deleted with it: invalid_client, also with their secret (46.12)", async () => {
  const other = await createOrganization(t);
  const client = await insertClient(t, other.id, { confidential: true });
  const sent = { ...GOOD, client_id: client.id, client_secret: client.secret };
  expect(await refused(sent)).toBe("400 invalid_grant");
  expectStatus(await (await t.platformAdmin()).delete(`/api/organizations/${other.id}`), 204);
  expect(await refused(sent)).toBe("401 invalid_client");
  const query = `response_type=code&client_id=${client.id}`;
  const person = await t.person();
  const begun = expectStatus(await person.post("/api/oauth/authorizations", { query }), 400).body;
  expect(begun.details).toMatchObject({ error: "invalid_client", parameter: "client_id" });
});
