import { afterAll, expect, test } from "bun:test";
import { z } from "@hono/zod-openapi";
import { setTools } from "../../../src/core/api/tool.ts";
import { type Tool, tool } from "../../../src/kit/index.ts";
import { agentOf, type RawAgent } from "../../support/mcp.ts";
import { createOrganization } from "../../support/organizations.ts";
import { expectStatus, sharedService } from "../../support/service.ts";

/* Tools of a product (rules 46.67). */

const t = await sharedService({ OAUTH_APPS: "any" });
const acme = await createOrganization(t);
afterAll(() => setTools([]));

const countOpen = tool({
  name: "count_open_todos",
  title: "Count open todos",
  description: "Counts the open todos of the person.",
  input: z.strictObject({ search: z.string().max(200).optional() }),
  output: z.object({ open: z.int(), first: z.string().nullable() }),
  needs: "Todos.Read",
  effect: "read",
  async run(call, { search }) {
    const answer = (await call.operation("listTodos", { completed: false, search })) as {
      total: number;
      data: { title: string }[];
    };
    return { open: answer.total, first: answer.data[0]?.title ?? null };
  },
});
const made = (parts: Partial<Tool>): Tool => ({ ...countOpen, ...parts });
const addTodo = made({
  name: "add_todo",
  input: z.strictObject({ title: z.string() }),
  needs: "Todos.Create",
  effect: "write",
  output: z.looseObject({ title: z.string() }),
  run: (call, { title }: { title: string }) => call.operation("createTodo", {}, { title }),
} as Partial<Tool>);

const agentWith = async (...scopes: string[]) => (await agentOf(t, acme, acme.admin, { scopes })).agent;
const namesOf = async (agent: RawAgent) => (await agent.tools()).map(({ name }) => name).slice(3);

test("a tool is listed when the grant covers what it needs, and calls operations in the name of the caller", async () => {
  setTools([countOpen, addTodo]);
  const agent = (await agentOf(t, acme)).agent;
  expect(await namesOf(agent)).toEqual(["write", "count_open_todos", "add_todo"]);
  expectStatus(await acme.admin.post("/api/todos", { title: "<b> one" }), 201);
  const counted = await agent.tool("count_open_todos");
  expect(counted.structuredContent).toEqual({ untrustedData: { open: 1, first: "<b> one" } });
  expect(counted.content[0].text).toContain("\\u003cb> one");
  const added = await agent.tool("add_todo", { title: "Two" });
  expect(added.structuredContent.untrustedData).toMatchObject({ title: "Two" });
  expect((await agent.tool("count_open_todos", { search: "two" })).structuredContent).toEqual({
    untrustedData: { open: 1, first: "Two" },
  });
});

test("no tool does what the grant does not cover, and one that reads changes nothing", async () => {
  const writing = made({ name: "sly", run: (call) => call.operation("createTodo", {}, { title: "Sly" }) });
  const foreign = made({ name: "foreign", run: (call) => call.operation("listApiKeys") });
  const broken = made({ name: "broken", run: () => Promise.reject(new Error("secret of the product")) });
  setTools([writing, foreign, broken, addTodo]);
  const agent = await agentWith("todos:read");
  expect(await namesOf(agent)).toEqual(["sly", "foreign", "broken"]);
  for (const name of ["sly", "foreign"]) {
    const { isError, structuredContent } = await agent.tool(name);
    expect([name, isError, structuredContent.code]).toEqual([name, true, "UNKNOWN_OPERATION"]);
  }
  const all = (await agentOf(t, acme)).agent;
  expect((await all.tool("sly")).structuredContent.code).toBe("WRONG_TOOL");
  const failed = await all.tool("broken");
  expect(failed.structuredContent).toEqual({
    status: 500,
    code: "INTERNAL_ERROR",
    message: "Something went wrong",
  });
  const invalid = await all.tool("add_todo", { name: 1 });
  expect(invalid.structuredContent.code).toBe("VALIDATION_FAILED");
  const hidden = await agent.request("tools/call", { name: "add_todo", arguments: { title: "A" } });
  expect([hidden.status, hidden.body.error.message]).toEqual([200, "Unknown tool"]);
  const units = await agentWith("units:read", "units:write");
  const missing = await units.request("tools/call", { name: "add_todo", arguments: { title: "A" } });
  expect(missing.headers.get("www-authenticate")).toContain('scope="todos:write"');
  expect((await t.sql("SELECT FROM todos WHERE title = 'Sly'")).length).toBe(0);
});

test.each([
  ["a name with a capital", [made({ name: "Count" })], "does not match"],
  ["a name that is too long", [made({ name: "a".repeat(65) })], "does not match"],
  ["the name of a tool of the service", [made({ name: "read" })], "two tools read"],
  ["one name twice", [countOpen, countOpen], "two tools count_open_todos"],
  ["a long description", [made({ description: "x".repeat(501) })], "longer than 500"],
  ["an unknown permission", [made({ needs: "Nothing.Read" as never })], "unknown permission"],
  ["thirteen tools", [...Array(13).keys()].map((index) => made({ name: `tool_${index}` })), "more than 12"],
])("%s stops the start", (_, tools, message) => {
  expect(() => setTools(tools)).toThrow(message);
});
