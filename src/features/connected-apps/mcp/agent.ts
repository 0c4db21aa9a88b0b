import { type ApiError, isObject, type Service, type Tool } from "#kit";
import { ownTools, scopeMissing } from "#kit/inside";
import { isReadOnly } from "../../../core/access/app-scopes.ts";
import type { Inside } from "./inside.ts";
import { holderOf, type Operation, operationsFor } from "./operations.ts";

/** An agent during one request: its caller, and the operations that it may call now. */
export type Agent = Inside & {
  service: Service;
  /** The operations for callers of its kind; with `MCP=read-only` those that read. */
  known: readonly Operation[];
  /** Whether the permissions of the caller suffice for a route. */
  holds: Awaited<ReturnType<typeof holderOf>>;
  /** Whether it may change anything at all. */
  canWrite: boolean;
  /** Set when the caller's token or key has ended during the request. */
  hasEnded: boolean;
};

/** Reads the permissions of the caller, and returns the agent. */
export async function agentOf(inside: Inside, all: Operation[], service: Service): Promise<Agent> {
  const { actor } = inside;
  const holds = await holderOf(actor, service);
  const operations = operationsFor(all, actor, service);
  const isGranted =
    actor.type === "user" && actor.app
      ? !isReadOnly(actor.app.scopes)
      : operations.some(({ effect, definition }) => effect === "write" && holds(definition));
  const canWrite = service.app.config.mcp === "on" && isGranted;
  const known = operations.filter(({ effect }) => canWrite || effect === "read");
  return { ...inside, service, known, holds, canWrite, hasEnded: false };
}

/** Returns the operations that an agent may call now. */
export const operationsOfAgent = ({ known, holds }: Agent): Operation[] =>
  known.filter(({ definition }) => holds(definition));

/** Whether a tool of a product is offered to an agent. */
export const offersOwn = ({ holds, canWrite }: Agent, { needs, effect }: Tool): boolean =>
  holds({ access: { permission: needs } }) && (canWrite || effect === "read");

type Message = { method?: unknown; params?: unknown };

/**
 * Returns the error for a call whose scope is missing while the person holds the permission, before the tool is called: an app
 * can then ask the person for more.
 */
export function missingScopeOf(
  { method, params }: Message,
  { actor, known, holds, canWrite }: Agent,
): { tool: "read" | "write" | "own"; error: ApiError } | null {
  if (method !== "tools/call" || !isObject(params)) return null;
  const { name, arguments: input } = params;
  const own = ownTools().find((tool) => tool.name === name && (canWrite || tool.effect === "read"));
  const operation = known.find(
    ({ operationId, effect }) => effect === name && isObject(input) && operationId === input.operationId,
  );
  const access = own === undefined ? operation?.definition.access : { permission: own.needs };
  if (typeof access !== "object" || holds({ access })) return null;
  const error = scopeMissing(access, actor);
  return error && { tool: operation?.effect ?? "own", error };
}
