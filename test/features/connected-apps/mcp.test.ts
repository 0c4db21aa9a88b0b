import { expect, test } from "bun:test";
import { api } from "../../../src/app/api.ts";
import { operationsOf } from "../../../src/features/connected-apps/mcp/operations.ts";
import { createKey, createMachine } from "../../support/machines.ts";
import { agentOf, RawAgent } from "../../support/mcp.ts";
import { createOrganization } from "../../support/organizations.ts";
import { expectStatus, sharedService, startService } from "../../support/service.ts";

/* What agents find at /mcp: the tools, and the operations that a grant or a key covers (rules 46.62 to 46.64). */

const t = await sharedService({ OAUTH_APPS: "any" });
const readOnly = await startService(
  { OAUTH: "on", OAUTH_APPS: "any", MCP: "read-only" },
  { databaseUrl: t.databaseUrl },
);
const acme = await createOrganization(t);

/** The agent of the founder, with these scopes or all. */
const founded = async (scopes?: string[]) =>
  (await agentOf(t, acme, acme.admin, { ...(scopes && { scopes }) })).agent;
const namesOf = async (agent: RawAgent) => (await agent.tools()).map(({ name }) => name);
const foundBy = async (agent: RawAgent): Promise<string[]> =>
  (await agent.tool("search_operations")).structuredContent.operations.map(
    ({ operationId }: { operationId: string }) => operationId,
  );

test("there are four tools in a fixed order, in at most 6,000 bytes, for this caller alone (46.62)", async () => {
  const agent = await founded();
  const { status, body } = await agent.request("tools/list");
  expect(status).toBe(200);
  const { tools, ttlMs, cacheScope } = body.result;
  expect(tools.map(({ name }: { name: string }) => name)).toEqual([
    "whoami",
    "search_operations",
    "read",
    "write",
  ]);
  expect([ttlMs, cacheScope]).toEqual([300_000, "private"]);
  expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(6_000);
  expect(tools.map(({ annotations }: { annotations: object }) => annotations)).toEqual([
    { readOnlyHint: true },
    { readOnlyHint: true },
    { readOnlyHint: true },
    { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  ]);
  const discovered = (await agent.request("server/discover")).body.result;
  expect(discovered.capabilities).toEqual({ tools: {} });
  expect(discovered.instructions.length).toBeLessThanOrEqual(800);
});

test("an agent reads what its grant covers, and finds nothing else (46.63)", async () => {
  const agent = await founded(["units:read", "todos:read"]);
  expect(await namesOf(agent)).toEqual(["whoami", "search_operations", "read"]);
  const operations = await foundBy(agent);
  expect(operations.toSorted()).toEqual([
    "getOwnConnectedApp",
    "getTodo",
    "listAllTodos",
    "listPermissions",
    "listTodos",
    "listUnits",
  ]);
  const { id } = expectStatus(await acme.admin.post("/api/todos", { title: "Water the plants" }), 201).body;
  const one = await agent.tool("read", { operationId: "getTodo", parameters: { id } });
  expect(one.structuredContent).toMatchObject({
    status: 200,
    untrustedData: { id, title: "Water the plants" },
    nextParameters: null,
  });
  const unknown = await agent.request("tools/call", { name: "write", arguments: {} });
  expect([unknown.status, unknown.body.error]).toEqual([200, { code: -32602, message: "Unknown tool" }]);
});

test("with MCP=read-only nobody is offered a write (46.64)", async () => {
  const agent = new RawAgent(readOnly, (await founded()).token);
  expect(await namesOf(agent)).toEqual(["whoami", "search_operations", "read"]);
  expect(await foundBy(agent)).not.toContain("createTodo");
  const found = await agent.tool("search_operations", { query: "create a todo" });
  for (const { effect } of found.structuredContent.operations) expect(effect).toBe("read");
});

test("search finds operations by words, with schemas of their parameters and body (46.63)", async () => {
  const agent = await founded();
  const found = await agent.tool("search_operations", { query: "create todo", limit: 3 });
  const [first] = found.structuredContent.operations;
  expect(found.structuredContent.operations.length).toBeLessThanOrEqual(3);
  expect(first).toMatchObject({ operationId: "createTodo", effect: "write", scope: "todos:write" });
  expect(first.body.properties.title).toMatchObject({ type: "string" });
  const list = (await agent.tool("search_operations", { query: "listUnits" })).structuredContent
    .operations[0];
  expect(Object.keys(list.parameters.properties)).toEqual(["page", "pageSize", "search", "sort", "order"]);
  for (const [query, wanted] of [
    ["invite", "listInvitations"],
    ["rename a unit", "updateUnit"],
    ["create a to-do", "createTodo"],
    ["who are the members", "listMembers"],
    ["audit log", "listOrganizationAuditEvents"],
    ["GETTODO", "getTodo"],
  ] as const) {
    const { operations } = (await agent.tool("search_operations", { query })).structuredContent;
    const names = operations.map(({ operationId }: { operationId: string }) => operationId);
    expect([query, names]).toEqual([query, expect.arrayContaining([wanted])]);
  }
  const nothing = await agent.tool("search_operations", { query: "in to 📎" });
  expect(nothing.structuredContent).toEqual({ operations: [] });
  const all = await agent.tool("search_operations", { query: "list get create update delete", limit: 20 });
  expect(JSON.stringify(all)).not.toMatch(/\$ref|"examples?"/);
});

test("no operation has one name in its path and its query, and none takes or gives files (46.63)", async () => {
  for (const { definition } of operationsOf(api)) {
    const { params, query } = definition.request ?? {};
    const names = [params, query].flatMap((schema) => Object.keys(schema?.shape ?? {}));
    expect([definition.operationId, new Set(names).size]).toEqual([definition.operationId, names.length]);
  }
  expect(operationsOf(api).map(({ operationId }) => operationId)).not.toContain("downloadAttachment");
});

test("a key of a service account finds what both keys and apps may call, from its addresses (46.60)", async () => {
  const machine = await createMachine(acme, { role: "ORG_ADMIN" });
  const agent = new RawAgent(t, machine.key);
  const operations = await foundBy(agent);
  expect(operations).toContain("listUnits");
  expect(operations).not.toContain("createTodo");
  const who = await agent.tool("whoami");
  expect(who.structuredContent).toMatchObject({
    untrustedData: { serviceAccount: { id: machine.id } },
    readOnly: false,
  });
  const { headers } = await agent.request("tools/list");
  expect(headers.get("ratelimit-policy")).toContain('"key"');
  const elsewhere = await createKey(acme, machine.id, { allowedIps: ["203.0.113.7"] });
  const refused = await new RawAgent(t, elsewhere.key).request("tools/list");
  expect([refused.status, refused.body.error.data.code]).toEqual([403, "IP_NOT_ALLOWED"]);
});

test("an app is told for whom it acts, and that it may only read (46.62)", async () => {
  const agent = await founded(["units:read"]);
  const { structuredContent, content } = await agent.tool("whoami");
  expect(structuredContent).toMatchObject({
    untrustedData: { scopes: ["units:read"], organization: { id: acme.id }, unit: null },
    readOnly: true,
  });
  expect(content[0].text).toContain("<untrusted-data id=");
});
