import { expect, test } from "bun:test";
import {
  AUTHORIZATIONS,
  beginAs,
  CHALLENGE,
  insertClient,
  queryOf,
  REDIRECT,
  readersOf,
  toldBy,
} from "../../support/apps.ts";
import type { ApiResponse } from "../../support/caller.ts";
import { createOrganization } from "../../support/organizations.ts";
import { expectStatus, startService } from "../../support/service.ts";

/* What an app asks for, and what the page shows of it (rules 46.1 to 46.5). */

const API = "http://api.test";
const t = await startService({ OAUTH: "on", API_URL: API, OAUTH_GRANT_DAYS: "20" });
const organization = await createOrganization(t);
const person = organization.admin;
const client = await insertClient(t);
const reader = readersOf(t);
const begin = async (query: string) => (await reader()).post(AUTHORIZATIONS, { query });
const fault = ({ status, body }: ApiResponse) => {
  expect([status, body.code]).toEqual([400, "INVALID_AUTHORIZATION_REQUEST"]);
  return body.details;
};
type Changes = Record<string, string | null>;
const faultOf = async (changes: Changes) => fault(await begin(queryOf(client, changes)));

test("a request is shown with what the app is, where access goes, and what is offered (46.1)", async () => {
  const shown = await beginAs(person, queryOf(client, { prompt: "none", nonce: "x" }));
  expect(shown).toMatchObject({
    client: { id: client, name: "Agent", host: null, source: "operator" },
    redirectHost: "agent.example.com",
    loopback: false,
    otherSite: false,
    resource: "mcp",
    maxDays: 20,
    days: 20,
    organizations: [
      {
        id: organization.id,
        name: "Acme",
        current: true,
        allowed: true,
        reason: null,
        scopes: expect.any(Array),
      },
    ],
  });
  const names = shown.scopes.map(({ name }: { name: string }) => name);
  expect(names).toContain("todos:read");
  expect(shown.organizations[0].scopes).toEqual(names);
  expect(shown.scopes.find(({ name }: { name: string }) => name === "todos:write").write).toBe(true);
  const minutes = (Date.parse(shown.expiresAt) - Date.now()) / 60_000;
  expect(Math.round(minutes)).toBe(10);
});

test("without a good client or redirect the app is told nothing, whatever else is wrong (46.2, AP07)", async () => {
  const disabled = await insertClient(t, { enabled: false });
  const deleted = await insertClient(t);
  await t.sql("UPDATE oauth_clients SET is_deleted = true WHERE id = $1", [deleted]);
  const clients = [null, "", crypto.randomUUID(), client.toUpperCase(), disabled, deleted, "agent", "é"];
  for (const id of clients)
    for (const type of ["code", "token"])
      expect(await faultOf({ client_id: id, response_type: type })).toEqual({
        error: "invalid_client",
        parameter: "client_id",
        redirectTo: null,
      });
  for (const redirect of [null, "", "https://evil.example.com/callback"])
    for (const type of ["code", "token"])
      expect(await faultOf({ redirect_uri: redirect, response_type: type })).toEqual({
        error: "invalid_request",
        parameter: "redirect_uri",
        redirectTo: null,
      });
});

test("no parameter but the resource may be sent twice, others are ignored (46.2, AP07)", async () => {
  const good = queryOf(client, { resource: `${API}/api` });
  for (const name of ["client_id", "redirect_uri", "response_type", "response_mode", "code_challenge"])
    expect(fault(await begin(`${good}&${name}=a&${name}=b`))).toMatchObject({
      redirectTo: null,
      parameter: name,
    });
  for (const name of ["code_challenge_method", "state", "scope", "request", "request_uri"])
    expect(fault(await begin(`${good}&${name}=a&${name}=a&client_id=&response_type=`))).toMatchObject({
      error: "invalid_request",
      redirectTo: null,
    });
  expectStatus(await begin(`?${good}&prompt=a&prompt=b&__proto__=x&constructor=y`), 200);
});

const FAULTS: [parameter: string, error: string, values: (string | null)[]][] = [
  ["response_type", "unsupported_response_type", [null, "", "token", "code token", "CODE"]],
  ["response_mode", "invalid_request", ["fragment", "form_post"]],
  [
    "code_challenge",
    "invalid_request",
    [null, "", CHALLENGE.slice(1), `${CHALLENGE}a`, `${CHALLENGE.slice(1)}=`],
  ],
  ["code_challenge_method", "invalid_request", [null, "plain", "s256"]],
  ["request", "request_not_supported", ["eyJ"]],
  ["request_uri", "request_uri_not_supported", ["urn:example:x"]],
  ["resource", "invalid_target", ["https://evil.example/mcp", `${API}/MCP`, `${API}/mcp//`, API, "mcp"]],
];

test("every other fault is shown, and leads back to the app with its state (46.3, AP06, AP11)", async () => {
  for (const [parameter, error, values] of FAULTS)
    for (const value of values) {
      const details = await faultOf({ [parameter]: value });
      expect([parameter, value, details]).toEqual([parameter, value, { ...details, error, parameter }]);
      expect(details.redirectTo.startsWith(`${REDIRECT}?`)).toBe(true);
      expect(toldBy(details.redirectTo)).toEqual({ error, state: "a state", iss: API });
    }
});

test("the first fault decides (46.3)", async () => {
  const all: Changes = {
    response_type: "token",
    response_mode: "fragment",
    code_challenge: "short",
    code_challenge_method: "plain",
    state: "s".repeat(2_049),
    request: "x",
    request_uri: "x",
    resource: "x",
  };
  for (const parameter of Object.keys(all)) {
    const details = await faultOf(all);
    expect([parameter, details.parameter]).toEqual([parameter, parameter]);
    // A state that is too long is not returned.
    expect("state" in toldBy(details.redirectTo)).toBe(!("state" in all) || all.state !== "s".repeat(2_049));
    delete all[parameter];
  }
});

test("a state is returned as it was sent, up to 2,048 characters (46.3)", async () => {
  const kept = ["s".repeat(2_048), "a&b=c#d +%é\u{1F600}\n\0"];
  for (const state of kept)
    expect(toldBy((await faultOf({ state, response_type: "x" })).redirectTo).state).toBe(state);
  const withoutState = toldBy((await faultOf({ state: null, response_type: "x" })).redirectTo);
  expect(withoutState).toEqual({ error: "unsupported_response_type", iss: API });
  // Bytes that are no UTF-8 could not be returned.
  const bare = queryOf(client, { state: null });
  expect(fault(await begin(`${bare}&state=%ff`))).toMatchObject({ parameter: "state" });
});

test("a redirect keeps its own query (46.3)", async () => {
  const redirect = "https://agent.example.com/callback?tenant=a%20b&x=";
  const other = await insertClient(t, { redirectUris: [redirect] });
  const details = fault(
    await begin(queryOf(other, { redirect_uri: redirect, response_type: "x", state: null })),
  );
  expect(details.redirectTo).toBe(
    `${redirect}&error=unsupported_response_type&iss=${encodeURIComponent(API)}`,
  );
});

test("the resource is that of MCP, or one of the two in any case of scheme and host (46.4, AP11)", async () => {
  const good: [string | null, string][] = [
    [null, "mcp"],
    ["", "mcp"],
    [`${API}/mcp`, "mcp"],
    ["HTTP://API.TEST/mcp/", "mcp"],
    [`${API}/api`, "api"],
    [`${API}/api/`, "api"],
  ];
  for (const [resource, expected] of good)
    expect(expectStatus(await begin(queryOf(client, { resource })), 200).body.resource).toBe(expected);
  const twice = `${queryOf(client, { resource: `${API}/mcp` })}&resource=${encodeURIComponent(`${API}/mcp`)}`;
  expect(fault(await begin(twice)).error).toBe("invalid_target");
});

test("with MCP off, only the API is a resource (46.4)", async () => {
  const off = await startService({ OAUTH: "on", API_URL: API, MCP: "off" }, { databaseUrl: t.databaseUrl });
  const ask = (resource: string | null) =>
    person.at(off.url).post(AUTHORIZATIONS, { query: queryOf(client, { resource }) });
  for (const resource of [null, `${API}/mcp`])
    expect(fault(await ask(resource)).error).toBe("invalid_target");
  expectStatus(await ask(`${API}/api`), 200);
});

test("what is offered is what was asked for; all, if nothing known was (46.4, AP10)", async () => {
  const offered = async (scope: string | null) =>
    expectStatus(await begin(queryOf(client, { scope })), 200).body.scopes.map(
      ({ name }: { name: string }) => name,
    );
  const all = await offered(null);
  expect(all.length).toBeGreaterThan(10);
  for (const scope of ["", "   ", "nothing:known", "openid profile offline_access", "TODOS:READ"])
    expect(await offered(scope)).toEqual(all);
  expect(await offered("todos:read")).toEqual(["todos:read"]);
  expect(await offered("todos:write  openid todos:read todos:read ")).toEqual(["todos:read", "todos:write"]);
});

test("the query has 1 to 4,096 characters, and whatever is in it is never 500", async () => {
  for (const query of ["", "x".repeat(4_097), "\ud800", "\0"]) {
    const response = await begin(query);
    expect([response.status, response.body.code]).toEqual([400, "VALIDATION_FAILED"]);
  }
  const odd = ["%", "&&==", "%ff%fe", "?", "a=".repeat(2_048), "&".repeat(4_096), "é".repeat(4_096)];
  for (const query of odd) fault(await begin(query));
});

test("a name is shown without what cannot be seen (46.1)", async () => {
  const name = `  A\u202eg\u200be\u200dn\u00adt\u2066\u{e0041}\ufe0f${"e\u0301"}  `;
  const odd = await insertClient(t, { name });
  expect((await beginAs(person, queryOf(odd))).client.name).toBe("Agenté");
  const none = await insertClient(t, { name: "\u200b" });
  expect((await beginAs(person, queryOf(none))).client.name).toBe("?");
});

test("a person may read 30 requests a minute (46.9)", async () => {
  const other = await t.person();
  for (let count = 0; count < 30; count += 1)
    expectStatus(await other.post(AUTHORIZATIONS, { query: "x" }), 400);
  const response = expectStatus(await other.post(AUTHORIZATIONS, { query: "x" }), 429);
  expect(response.headers.get("retry-after")).toBeTruthy();
});
