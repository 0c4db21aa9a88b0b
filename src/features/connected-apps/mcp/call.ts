import type { z } from "zod";
import { ApiError, jsonBody, type Tool } from "#kit";
import { inputReader, ownTools, TOOL_NAMES, type ToolCall } from "#kit/inside";
import { type Agent, offersOwn } from "./agent.ts";
import { DESCRIPTIONS, INPUTS, inputSchema, outputOfOwn } from "./descriptions.ts";
import { errorOf } from "./inside.ts";
import { callFor, callOperation, operationFor, searchOperations, whoami } from "./operation-tools.ts";
import { errorResult, type Result, tooLarge, untrustedResult, wrongTool } from "./results.ts";

type Name = keyof typeof INPUTS;
type Handlers = { [N in Name]: (agent: Agent, input: z.output<(typeof INPUTS)[N]>) => Promise<Result> };

const HANDLERS: Handlers = {
  whoami,
  search_operations: async (agent, input) => searchOperations(agent, input),
  read: (agent, input) => callOperation(agent, "read", input),
  write: (agent, input) => callOperation(agent, "write", input),
};

const isName = (name: string): name is Name => Object.hasOwn(HANDLERS, name);
const isOffered = (name: Name, { canWrite }: Agent) => name !== "write" || canWrite;

/** Validates the input of a tool like a request, so that violations have the same messages. @throws validationFailed */
function read<Schema extends z.ZodObject>(schema: Schema, input: unknown): z.output<Schema> {
  const { body } = inputReader(
    { body: jsonBody(schema) },
    { filterHeaders: false },
  )({
    params: {},
    query: "",
    body: input ?? {},
    headers: new Headers(),
  });
  return body as z.output<Schema>;
}

/** Runs a tool. Returns null if there is none of this name, or if it is not offered to this agent. */
export async function callTool(agent: Agent, name: string, input: unknown): Promise<Result | null> {
  const { context } = agent;
  const own = ownTools().find((tool) => tool.name === name && offersOwn(agent, tool));
  const isOwn = own !== undefined;
  if (!isOwn && !(isName(name) && isOffered(name, agent))) {
    count(agent, "unknown", "refused");
    return null;
  }
  context.tool = name;
  const result = await run(agent, isOwn ? own : (name as Name), input);
  count(agent, isOwn ? "own" : name, outcomeOf(result));
  return result;
}

async function run(agent: Agent, tool: Tool | Name, input: unknown): Promise<Result> {
  try {
    if (typeof tool !== "string") return await callOwn(agent, tool, read(tool.input, input));
    return await HANDLERS[tool](agent, read<z.ZodObject>(INPUTS[tool], input) as never);
  } catch (error) {
    if (error instanceof ApiError) return errorResult(error);
    const { app } = agent.service;
    const { requestId, tool: called } = agent.context;
    app.log.error("tool failed", { requestId, tool: called, err: error });
    return errorResult(new ApiError(500, "INTERNAL_ERROR", "Something went wrong"));
  }
}

function outcomeOf({ isError, structuredContent }: Result): string {
  if (!isError) return "succeeded";
  if (structuredContent?.code === "RESULT_TOO_LARGE") return "too_large";
  return Number(structuredContent?.status) >= 500 ? "failed" : "refused";
}

export const count = ({ service }: Pick<Agent, "service">, tool: string, outcome: string) =>
  service.app.meter.count("mcp_calls_total", { tool, outcome });

/** Returns the tools that an agent is offered, in their fixed order: those of the service, then those of the product. */
export function listTools(agent: Agent) {
  const own = ownTools().filter((tool) => offersOwn(agent, tool));
  return [
    ...TOOL_NAMES.filter((name) => name !== "write" || agent.canWrite).map((name) => ({
      name,
      ...DESCRIPTIONS[name],
      inputSchema: inputSchema(INPUTS[name]),
    })),
    ...own.map(({ name, title, description, input, output, effect }) => ({
      name,
      title,
      description,
      inputSchema: inputSchema(input),
      outputSchema: outputOfOwn(output),
      annotations:
        effect === "read" ? { readOnlyHint: true } : { readOnlyHint: false, destructiveHint: true },
    })),
  ];
}

/** Runs a tool of a product: its only way to data are the operations that its caller may call. */
async function callOwn(agent: Agent, { effect, output, run }: Tool, input: unknown): Promise<Result> {
  const call: ToolCall = {
    async operation(operationId, parameters = {}, body = undefined) {
      const operation = operationFor(agent, operationId);
      if (effect === "read" && operation.effect === "write") throw wrongTool("write");
      const answer = await callFor(agent, operation, { parameters, ...(body !== undefined && { body }) });
      const error = errorOf(answer);
      if (error !== null) throw error;
      return answer.body;
    },
  };
  const untrustedData = output.parse(await run(call, input as never));
  return untrustedResult({ untrustedData }) ?? tooLarge(200, null);
}
