import { expect, test } from "bun:test";
import { insertGrant } from "../../support/apps.ts";
import { until } from "../../support/cluster.ts";
import { RawAgent } from "../../support/mcp.ts";
import { createOrganization, userIdOf } from "../../support/organizations.ts";
import { startService } from "../../support/service.ts";

/* What calls of tools leave in the metrics and the log (rules 46.69). */

const t = await startService({ OAUTH: "on", OAUTH_APPS: "any", METRICS_PORT: "0" });
const acme = await createOrganization(t);
const userId = await userIdOf(t, acme.admin);
const granted = async (scopes?: string[]) =>
  (await insertGrant(t, { userId, organizationId: acme.id, resource: "mcp", ...(scopes && { scopes }) }))
    .accessToken;

async function counted(): Promise<Record<string, number>> {
  const text = await (await fetch(t.running.metricsUrl ?? "")).text();
  const lines = [...text.matchAll(/^mcp_calls_total\{tool="(\w+)",outcome="(\w+)"\} (\d+)$/gm)];
  return Object.fromEntries(lines.map(([, tool, outcome, count]) => [`${tool} ${outcome}`, Number(count)]));
}

test("calls are counted by tool and outcome, and never by what an agent says (46.69)", async () => {
  const before = await counted();
  const agent = new RawAgent(t, await granted(["todos:read", "todos:write"]));
  await agent.tool("whoami");
  await agent.tool("search_operations", { query: "todo" });
  await agent.tool("read", { operationId: "listTodos" });
  await agent.tool("read", { operationId: "nothing" });
  await agent.request("tools/call", { name: "read", arguments: { operationId: "listUnits" } });
  await agent.request("tools/call", { name: "forget", arguments: {} });
  const after = await counted();
  const changed = Object.entries(after).filter(([name, count]) => count !== before[name]);
  expect(Object.fromEntries(changed.map(([name, count]) => [name, count - (before[name] ?? 0)]))).toEqual({
    "whoami succeeded": 1,
    "search_operations succeeded": 1,
    "read succeeded": 1,
    "read refused": 1,
    "read scope_missing": 1,
    "unknown refused": 1,
  });
});

test("a call has one line in the log, with tool and operation, without inputs, results and tokens (46.69)", async () => {
  const [instance] = await t.cluster(1, { LOG_LEVEL: "info" });
  if (instance === undefined) throw new Error("There is no instance");
  const token = await granted();
  const requestId = crypto.randomUUID();
  const input = {
    operationId: "createTodo",
    body: { title: "Nobody reads this" },
    idempotencyKey: "a-key-of-the-agent",
  };
  const { status } = await new RawAgent(instance, token).request(
    "tools/call",
    { name: "write", arguments: input },
    { headers: { "x-request-id": requestId } },
  );
  expect(status).toBe(200);
  const line = await until(() => instance.log().find((one) => one.includes(requestId)) ?? null);
  expect(JSON.parse(line)).toMatchObject({
    msg: "request",
    method: "POST",
    route: "/mcp",
    status: 200,
    userId,
    tool: "write",
    operation: "createTodo",
  });
  expect(instance.log().filter((one) => one.includes(requestId))).toHaveLength(1);
  const all = instance.log().join("\n");
  for (const secret of ["Nobody reads", "a-key-of-the-agent", token]) expect(all).not.toContain(secret);
});
