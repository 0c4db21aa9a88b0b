import { expect, test } from "bun:test";
import fc from "fast-check";
import { api } from "../../../src/app/api.ts";
import { operationsOf } from "../../../src/features/connected-apps/mcp/operations.ts";
import { agentOf } from "../../support/mcp.ts";
import { createOrganization } from "../../support/organizations.ts";
import { startService } from "../../support/service.ts";

/* Whatever an agent sends, /mcp answers as the protocol says and never with a failure (rules 46.60, 46.65). */

const t = await startService({
  OAUTH: "on",
  OAUTH_APPS: "any",
  OAUTH_RATE_LIMIT: "1000000",
  API_KEY_RATE_LIMIT_ORGANIZATION: "1000000",
});
const acme = await createOrganization(t);
const { agent } = await agentOf(t, acme);
const operations = operationsOf(api);

const word = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom("__proto__", "constructor", "id", "page", "pageSize", "\0", "\ud800", "..", "%2e%2e"),
);
const anything = fc.jsonValue({ maxDepth: 4 });
const parameters = fc.dictionary(word, fc.oneof(anything, word), { maxKeys: 6 });

test("any message is answered by the protocol", async () => {
  await fc.assert(
    fc.asyncProperty(
      anything,
      fc.constantFrom("initialize", "ping", "tools/list", "tools/call", "x"),
      async (params, method) => {
        for (const message of [
          params,
          { jsonrpc: "2.0", id: 1, method, params },
          { jsonrpc: "2.0", method, params },
        ]) {
          const { status, body } = await agent.send(message);
          expect(status).toBeLessThan(500);
          if (status !== 202) expect(body.jsonrpc).toBe("2.0");
        }
      },
    ),
    { numRuns: 150 },
  );
});

test("any input of a tool is answered by a result or a refusal of the protocol", async () => {
  const called = fc.record({
    tool: fc.constantFrom("whoami", "search_operations", "read", "write"),
    operation: fc.constantFrom(...operations),
    parameters,
    body: parameters,
    rest: parameters,
  });
  await fc.assert(
    fc.asyncProperty(called, async ({ tool, operation, rest, ...input }) => {
      const full = { operationId: operation.operationId, idempotencyKey: crypto.randomUUID(), ...input };
      for (const sent of [full, { ...full, ...rest }, rest]) {
        const { status, body } = await agent.request("tools/call", { name: tool, arguments: sent });
        expect(status).toBeLessThan(500);
        expect(body.result?.structuredContent.code).not.toBe("INTERNAL_ERROR");
      }
    }),
    { numRuns: 150 },
  );
});

test("ten thousand parameters are refused, and not failed", async () => {
  const many = Object.fromEntries([...Array(4_000).keys()].map((index) => [`p${index}`, index]));
  const refused = await agent.tool("read", { operationId: "listTodos", parameters: many });
  expect(refused.structuredContent).toMatchObject({ status: 400, code: "VALIDATION_FAILED" });
  const lists = await agent.tool("read", {
    operationId: "listMembers",
    parameters: { unit: Array(2_000).fill("x") },
  });
  expect(lists.structuredContent.status).toBe(400);
});
