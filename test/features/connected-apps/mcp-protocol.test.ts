import { expect, test } from "bun:test";
import { agentOf, RawAgent, type RpcAnswer } from "../../support/mcp.ts";
import { createOrganization } from "../../support/organizations.ts";
import { startService } from "../../support/service.ts";

/* What is checked in front of the tools: method, origin, token, body, message, scope (rules 46.60, 46.61, 46.68). */

const ORIGIN = "https://agents.example.com";
const t = await startService({
  OAUTH: "on",
  OAUTH_APPS: "any",
  MCP_ORIGINS: ORIGIN,
  CORS_ORIGIN: "https://web.test",
});
const acme = await createOrganization(t);
const { agent, accessToken } = await agentOf(t, acme);
const nobody = new RawAgent(t, null);
const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };

const codeOf = ({ body }: RpcAnswer) => body.error.data?.code ?? body.error.code;

test("other methods are 405 and name POST, before the origin (46.60)", async () => {
  for (const method of ["GET", "DELETE", "PUT"]) {
    const { status, headers, body } = await nobody.send(null, {
      method,
      headers: { origin: "https://evil.example" },
    });
    expect([status, headers.get("allow")]).toEqual([405, "POST"]);
    expect(body).toEqual({
      jsonrpc: "2.0",
      error: {
        code: -32000,
        message: "Send a POST request",
        data: { statusCode: 405, code: "METHOD_NOT_ALLOWED", requestId: headers.get("x-request-id") },
      },
    });
  }
});

test("a foreign origin is 403 before anything else; allowed ones get CORS without credentials (46.61)", async () => {
  for (const origin of [
    "https://evil.example",
    "null",
    "https://agents.example.com.evil.example",
    "http://app.test:81",
  ]) {
    const refused = await nobody.send("{", { headers: { origin } });
    expect([origin, refused.status, codeOf(refused)]).toEqual([origin, 403, "FORBIDDEN"]);
    expect(refused.headers.get("access-control-allow-origin")).toBeNull();
    expect((await nobody.send(null, { method: "OPTIONS", headers: { origin } })).status).toBe(403);
  }
  for (const origin of [
    "http://app.test",
    t.environment.API_URL ?? t.url,
    ORIGIN,
    "https://web.test",
    "http://localhost:5173",
    "http://127.0.0.1:1",
  ]) {
    const { status, headers } = await agent.send(LIST, { headers: { origin } });
    expect([origin, status]).toEqual([origin, 200]);
    expect(headers.get("access-control-allow-origin")).toBe(origin);
    expect(headers.get("access-control-allow-credentials")).toBeNull();
    expect(headers.get("access-control-expose-headers")).toBe(
      "WWW-Authenticate, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id",
    );
    const asked = await nobody.send(null, { method: "OPTIONS", headers: { origin } });
    expect([asked.status, asked.headers.get("access-control-allow-methods")]).toEqual([204, "POST"]);
    expect(asked.headers.get("access-control-allow-headers")).toContain("Mcp-Method");
  }
});

test("without a token of this resource it is 401 with the challenge (46.60)", async () => {
  const { accessToken: ofApi } = await agentOf(t, acme, acme.admin, { resource: "api" });
  const other = `mosa_${"0".repeat(46)}`;
  for (const [token, wasSent] of [
    [null, false],
    [acme.admin.accessToken, true],
    [ofApi, true],
    [other, true],
    ["mosk_nothing", true],
  ] as const) {
    const answer = await new RawAgent(t, token).send("{");
    expect([answer.status, codeOf(answer)]).toEqual([401, "UNAUTHENTICATED"]);
    const challenge = answer.headers.get("www-authenticate") ?? "";
    expect(challenge).toContain('/.well-known/oauth-protected-resource/mcp"');
    expect(challenge).toContain("todos:write");
    expect(challenge).not.toContain("offline_access");
    expect(challenge.includes('error="invalid_token"')).toBe(wasSent);
  }
  const atApi = await fetch(`${t.url}/api/units`, { headers: { authorization: `Bearer ${accessToken}` } });
  expect(atApi.status).toBe(401);
});

test("then type, size and Accept are checked, in this order (46.60)", async () => {
  const big = { raw: JSON.stringify({ big: "x".repeat(10_000_000) }) };
  const text = { "content-type": "text/plain" };
  const json = { accept: "application/json" };
  const cases: [object, number, string | number][] = [
    [{ ...big, headers: { ...text, ...json } }, 415, "UNSUPPORTED_MEDIA_TYPE"],
    [{ ...big, headers: json }, 413, "PAYLOAD_TOO_LARGE"],
    [{ raw: "{", headers: json }, 406, "NOT_ACCEPTABLE"],
    [{ raw: "{" }, 400, -32700],
    [{ raw: "" }, 400, -32700],
    [{ raw: "[]" }, 400, -32600],
    [{ raw: JSON.stringify([LIST, LIST]) }, 400, -32600],
    [{ raw: '"text"' }, 400, -32600],
    [{ raw: "{}" }, 400, -32600],
    [{ raw: `{"a":${"[".repeat(40_000)}${"]".repeat(40_000)}}` }, 400, -32600],
    [{ raw: `{"a":${"[".repeat(40_000)}` }, 400, -32700],
    [{ raw: '{"jsonrpc":"2.0","id":1,"method":7}' }, 400, -32600],
    [{ raw: "\ud800".repeat(10) }, 400, -32700],
  ];
  for (const [sent, status, code] of cases) {
    const answer = await agent.send(null, sent);
    expect([JSON.stringify(sent).slice(0, 60), answer.status, codeOf(answer)]).toEqual([
      JSON.stringify(sent).slice(0, 60),
      status,
      code,
    ]);
    if (status > 400) expect(answer.body).not.toHaveProperty("id");
    expect(answer.headers.get("mcp-session-id")).toBeNull();
  }
});

test("headers that differ from the body, unknown revisions and unknown methods are refused (46.68)", async () => {
  const method = await agent.request("tools/list", {}, { headers: { "mcp-method": "tools/call" } });
  expect([method.status, codeOf(method)]).toEqual([400, -32020]);
  const name = await agent.request(
    "tools/call",
    { name: "whoami", arguments: {} },
    { headers: { "mcp-name": "read" } },
  );
  expect([name.status, codeOf(name)]).toEqual([400, -32020]);
  const revision = "2027-01-01";
  const unknown = await agent.send(
    {
      ...LIST,
      params: {
        _meta: {
          "io.modelcontextprotocol/protocolVersion": revision,
          "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    },
    { headers: { "mcp-protocol-version": revision, "mcp-method": "tools/list" } },
  );
  expect([unknown.status, codeOf(unknown)]).toEqual([400, -32022]);
  const older = await agent.send(LIST, { headers: { "mcp-protocol-version": "1999-01-01" } });
  expect([older.status, codeOf(older), older.body.id]).toEqual([400, -32022, 1]);
  for (const unserved of ["resources/list", "prompts/list", "subscriptions/listen", "tools/forget"]) {
    const modern = await agent.request(unserved, { filter: {} });
    expect([unserved, modern.status, codeOf(modern)]).toEqual([unserved, 404, -32601]);
    const earlier = await agent.send({ ...LIST, method: unserved });
    expect([unserved, earlier.status, codeOf(earlier)]).toEqual([unserved, 404, -32601]);
  }
});

test("a client of 2025-06-18 is answered with JSON, without a session (46.68)", async () => {
  const version = { "mcp-protocol-version": "2025-06-18" };
  const started = await agent.send({
    ...LIST,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
  });
  expect(started.body.result).toMatchObject({ protocolVersion: "2025-06-18", capabilities: { tools: {} } });
  const noted = await agent.send(
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { headers: version },
  );
  expect([noted.status, noted.body]).toEqual([202, null]);
  const listed = await agent.send(LIST, { headers: version });
  expect(listed.headers.get("content-type")).toBe("application/json");
  expect(listed.headers.get("mcp-session-id")).toBeNull();
  expect(listed.body.result.tools).toHaveLength(4);
  const called = await agent.send(
    { ...LIST, method: "tools/call", params: { name: "read", arguments: { operationId: "listTodos" } } },
    { headers: version },
  );
  expect(called.body.result.structuredContent.status).toBe(200);
});

test("a call whose scope is missing while the person holds the permission is 403 and names it (46.60)", async () => {
  const { agent: limited } = await agentOf(t, acme, acme.admin, { scopes: ["units:read", "units:write"] });
  const read = await limited.request("tools/call", { name: "read", arguments: { operationId: "listTodos" } });
  expect([read.status, codeOf(read)]).toEqual([403, "INSUFFICIENT_SCOPE"]);
  expect(read.headers.get("www-authenticate")).toContain('error="insufficient_scope", scope="todos:read"');
  const input = { operationId: "createTodo", body: { title: "A" }, idempotencyKey: "12345678" };
  const write = await limited.request("tools/call", { name: "write", arguments: input });
  expect(write.headers.get("www-authenticate")).toContain('scope="todos:write"');
});

test("a suspended organization and a missing second factor are 403; the grant's limit is 429 (46.60)", async () => {
  const strict = await startService(
    { OAUTH: "on", OAUTH_APPS: "any", OAUTH_RATE_LIMIT: "2" },
    { databaseUrl: t.databaseUrl },
  );
  const { accessToken: token } = await agentOf(t, acme);
  const one = new RawAgent(strict, token);
  expect((await one.send(LIST)).status).toBe(200);
  expect((await one.tool("read", { operationId: "listTodos" })).isError).toBeUndefined();
  const limited = await one.send(LIST);
  expect([limited.status, codeOf(limited)]).toEqual([429, "TOO_MANY_REQUESTS"]);
  expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(limited.headers.get("ratelimit")).toContain('"grant"');

  const required = await startService(
    { OAUTH: "on", OAUTH_APPS: "any", REQUIRE_TWO_FACTOR: "all" },
    { databaseUrl: t.databaseUrl },
  );
  const factor = await new RawAgent(required, token).send(LIST);
  expect([factor.status, codeOf(factor)]).toEqual([403, "TWO_FACTOR_REQUIRED"]);
  await t.sql("UPDATE organizations SET status = 'SUSPENDED' WHERE id = $1", [acme.id]);
  const suspended = await agent.send(LIST);
  expect([suspended.status, codeOf(suspended)]).toEqual([403, "ORGANIZATION_SUSPENDED"]);
  await t.sql("UPDATE organizations SET status = 'ACTIVE' WHERE id = $1", [acme.id]);
});
