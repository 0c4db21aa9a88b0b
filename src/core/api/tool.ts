import type { z } from "@hono/zod-openapi";
import { isKnownPermission, type Permission } from "../access/catalog.ts";

/** What a tool of a product may do: call operations, as the agent's person, within the agent's grant. */
export type ToolCall = {
  /**
   * Calls an operation in the name of the caller, with the parameters of its path and query together, and returns its answer.
   * @throws the error of the operation, which the agent is told
   */
  operation(operationId: string, parameters?: Record<string, unknown>, body?: unknown): Promise<unknown>;
};

/** A tool that a product offers to agents beside those of the service (rules 46.67). */
export type Tool = {
  name: string;
  title: string;
  /** A constant text of at most 500 characters: agents read it, and nothing of records may stand in it. */
  description: string;
  input: z.ZodObject;
  output: z.ZodObject;
  /** The permission without which the tool is not offered. */
  needs: Permission;
  /** A tool that reads calls only operations that read. */
  effect: "read" | "write";
  run(call: ToolCall, input: never): Promise<unknown>;
};

/**
 * Declares a tool: returns the same object and keeps its types.
 * @example tool({ name: "open_notes", needs: "Notes.Read", effect: "read", run: (call) => call.operation("listNotes", { closed: false }), … })
 */
export const tool = <Input extends z.ZodObject, Output extends z.ZodObject>(
  parts: Omit<Tool, "input" | "output" | "run"> & {
    input: Input;
    output: Output;
    run(call: ToolCall, input: z.output<Input>): Promise<z.input<Output>>;
  },
): Tool => parts;

/** The tools of the service; a product has none with these names. */
export const TOOL_NAMES = ["whoami", "search_operations", "read", "write"] as const;
const NAME = /^[a-z][a-z0-9_]{0,63}$/;
const MAX_TOOLS = 12;
const MAX_DESCRIPTION = 500;

let declared: readonly Tool[] = [];

/** Returns the tools of all features. */
export const ownTools = (): readonly Tool[] => declared;

/** Sets the tools of all features. @throws Error if one is declared wrongly */
export function setTools(tools: readonly Tool[]): void {
  const faults = [
    ...(tools.length > MAX_TOOLS ? [`Features declare more than ${MAX_TOOLS} tools`] : []),
    ...tools.flatMap((one, index) => faultsOf(one, tools.slice(0, index))),
  ];
  if (faults.length > 0) throw new Error(faults.join("; "));
  declared = tools;
}

function faultsOf({ name, description, needs }: Tool, before: readonly Tool[]): string[] {
  const isTaken = TOOL_NAMES.some((taken) => taken === name) || before.some((other) => other.name === name);
  return [
    ...(NAME.test(name) ? [] : [`The name of the tool ${name} does not match ${NAME.source}`]),
    ...(isTaken ? [`There are two tools ${name}`] : []),
    ...(description.length > MAX_DESCRIPTION
      ? [`The description of the tool ${name} is longer than ${MAX_DESCRIPTION} characters`]
      : []),
    ...(isKnownPermission(needs) ? [] : [`The tool ${name} needs an unknown permission`]),
  ];
}
