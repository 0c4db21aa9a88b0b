import type { z } from "zod";
import { type Agent, operationsOfAgent } from "./agent.ts";
import type { INPUTS } from "./descriptions.ts";
import { type Answer, callInside, errorOf, type Input, type Target } from "./inside.ts";
import type { Operation } from "./operations.ts";
import { nextOf, readPage, smallerPage, withPageSize } from "./pages.ts";
import {
  errorResult,
  MAX_BYTES,
  ownResult,
  type Result,
  sizeOf,
  tooLarge,
  unknownOperation,
  untrustedResult,
  wrongTool,
} from "./results.ts";
import { search } from "./search.ts";

type InputOf<Name extends keyof typeof INPUTS> = z.output<(typeof INPUTS)[Name]>;

/** Calls an operation for an agent, and notices if its token or key has ended meanwhile. */
export async function callFor(agent: Agent, target: Target, input: Input): Promise<Answer> {
  const answer = await callInside(agent, target, input);
  if (answer.status === 401) agent.hasEnded = true;
  return answer;
}

/** Returns an operation that an agent may call by a tool. @throws unknownOperation, also for one that it may not; wrongTool */
export function operationFor(agent: Agent, operationId: string, tool?: "read" | "write"): Operation {
  const operation = operationsOfAgent(agent).find((one) => one.operationId === operationId);
  if (operation === undefined) throw unknownOperation();
  if (tool !== undefined && operation.effect !== tool) throw wrongTool(operation.effect);
  return operation;
}

/** Describes the caller: the app and its person, or the service account of a key. */
export async function whoami(agent: Agent): Promise<Result> {
  const path = agent.actor.type === "user" ? "/api/oauth/self" : "/api/service-accounts/self";
  const answer = await callFor(agent, { definition: { path, method: "get" } }, { parameters: {} });
  const error = errorOf(answer);
  if (error !== null) return errorResult(error);
  return (
    untrustedResult({ untrustedData: answer.body, readOnly: !agent.canWrite }) ??
    tooLarge(answer.status, null)
  );
}

/** Finds operations; as many of the best as fit into a result. */
export function searchOperations(agent: Agent, { query, limit }: InputOf<"search_operations">): Result {
  const all = operationsOfAgent(agent);
  const isNamed = query !== undefined && query.trim() !== "";
  const found = isNamed ? search(all, query, limit) : all;
  const described = found.map(({ operationId, effect, summary, parameters, body, scope }) =>
    isNamed ? { operationId, effect, summary, parameters, body, scope } : { operationId, effect, summary },
  );
  let bytes = sizeOf({ operations: [] });
  const fitting = described.filter((one) => {
    bytes += sizeOf(one) + 1;
    return bytes <= MAX_BYTES;
  });
  return ownResult({ operations: fitting });
}

type Called = { operationId: string; parameters?: Record<string, unknown> | undefined } & Partial<
  Pick<InputOf<"write">, "body" | "idempotencyKey">
>;

/** Calls an operation that the agent chose. */
export async function callOperation(
  agent: Agent,
  tool: "read" | "write",
  { operationId, parameters: sent = {}, body, idempotencyKey }: Called,
): Promise<Result> {
  const operation = operationFor(agent, operationId, tool);
  agent.context.operation = operationId;
  const parameters = tool === "read" ? withPageSize(operation, sent) : sent;
  const rest = {
    ...(body !== undefined && { body }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
  const call = (of: Record<string, unknown>) => callFor(agent, operation, { parameters: of, ...rest });
  const answer = tool === "read" ? await readPage(operation, parameters, call) : await call(parameters);
  const error = errorOf(answer);
  if (error !== null) return errorResult(error);
  const { status, body: untrustedData, isReplayed } = answer;
  const nextParameters = tool === "read" ? nextOf(operation, parameters, untrustedData) : null;
  const result = { status, untrustedData, nextParameters, ...(isReplayed && { replayed: true }) };
  return (
    untrustedResult(result) ??
    tooLarge(status, smallerPage(operation, parameters, untrustedData) ?? narrowerOf(agent, operation))
  );
}

/** Returns an operation that reads one record of a list; null if there is none. */
function narrowerOf(agent: Agent, { definition: { path } }: Operation): { operationId: string } | null {
  const one = operationsOfAgent(agent).find(
    ({ effect, definition }) =>
      effect === "read" && definition.path.startsWith(`${path}/{`) && definition.path.endsWith("}"),
  );
  return one === undefined ? null : { operationId: one.operationId };
}
