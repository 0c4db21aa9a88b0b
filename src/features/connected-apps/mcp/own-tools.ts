import type { Tool } from "#kit";
import type { ToolCall } from "#kit/inside";
import type { Agent } from "./agent.ts";
import { errorOf } from "./inside.ts";
import { callFor, operationFor } from "./operation-tools.ts";
import { type Result, tooLarge, untrustedResult, wrongTool } from "./results.ts";

/** Runs a tool of a product: its only way to data are the operations that its caller may call. */
export async function callOwn(agent: Agent, { effect, output, run }: Tool, input: unknown): Promise<Result> {
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
