import { expect, test } from "bun:test";
import { appSecret } from "../../../src/core/access/token-forms.ts";
import {
  AGENT,
  basic,
  codeFields,
  insertCode,
  insertConfidential,
  refusal,
  startTokenEndpoint,
  statusOf,
  token,
} from "../../support/app-codes.ts";
import { insertClient } from "../../support/apps.ts";
import { createOrganization } from "../../support/organizations.ts";
import { expectStatus } from "../../support/service.ts";

/* How a client proves itself at the token endpoint (rules 46.12). */

const { t, org, instance, refused } = await startTokenEndpoint();

const GOOD = { grant_type: "refresh_token", client_id: AGENT, refresh_token: "x" };

test("a confidential client proves itself by header or parameter, with one way only (46.12)", async () => {
  const client = await insertConfidential(t, org.id);
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
  const client = await insertConfidential(t, org.id);
  const code = await insertCode(t, org, { oauthClientId: client.id });
  const fields = codeFields(code);
  const challenge = async (sent: Record<string, string>, headers: Record<string, string>) => {
    const response = await token(t, { ...fields, ...sent }, { headers });
    return [refusal(response), response.headers.get("www-authenticate")?.split(" ")[0] ?? null];
  };
  const wrong = appSecret("s");
  expect(await challenge({}, {})).toEqual(["401 invalid_client", null]);
  expect(await challenge({ client_secret: wrong }, {})).toEqual(["401 invalid_client", null]);
  expect(await challenge({}, basic(client.id, wrong))).toEqual(["401 invalid_client", "Basic"]);
  expect(await challenge({}, basic(client.id, ""))).toEqual(["401 invalid_client", "Basic"]);
  expectStatus(await token(t, codeFields(code, { client_secret: client.secret })), 200);
});

test("a disabled, deleted or blocked client is invalid_client, and nothing is spent (46.12)", async () => {
  const id = await insertClient(t, { organizationId: org.id });
  const code = await insertCode(t, org, { oauthClientId: id });
  await t.sql("UPDATE oauth_clients SET is_enabled = false WHERE id = $1", [id]);
  expect(await refused(codeFields(code))).toBe("401 invalid_client");
  await t.sql("UPDATE oauth_clients SET is_enabled = true WHERE id = $1", [id]);
  expectStatus(await token(t, codeFields(code)), 200);
  await t.sql("UPDATE oauth_clients SET is_deleted = true, deleted_at = now() WHERE id = $1", [id]);
  expect(await refused({ ...GOOD, client_id: id })).toBe("401 invalid_client");
  const registered = await insertClient(t, { organizationId: org.id });
  const blocking = await instance({ OAUTH_BLOCKED_APPS: `agent.example.com,${registered}` });
  for (const settings of [{}, { oauthClientId: registered }]) {
    const other = await insertCode(t, org, settings);
    expect(refusal(await token(blocking, codeFields(other)))).toBe("401 invalid_client");
    const { access_token: accessToken } = expectStatus(await token(t, codeFields(other)), 200).body;
    expect([await statusOf(t, accessToken), await statusOf(blocking, accessToken)]).toEqual([200, 401]);
  }
});

test("the clients of a deleted organization are deleted with it: invalid_client, also with their secret (46.12)", async () => {
  const other = await createOrganization(t);
  const client = await insertConfidential(t, other.id);
  const sent = { ...GOOD, client_id: client.id, client_secret: client.secret };
  expect(await refused(sent)).toBe("400 invalid_grant");
  expectStatus(await (await t.platformAdmin()).delete(`/api/organizations/${other.id}`), 204);
  expect(await refused(sent)).toBe("401 invalid_client");
  const query = `response_type=code&client_id=${client.id}`;
  const person = await t.person();
  const begun = expectStatus(await person.post("/api/oauth/authorizations", { query }), 400).body;
  expect(begun.details).toMatchObject({ error: "invalid_client", parameter: "client_id" });
});
