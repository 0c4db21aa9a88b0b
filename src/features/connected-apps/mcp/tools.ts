import { ownTools, TOOL_NAMES } from "#kit/inside";
import { type Agent, offersOwn } from "./agent.ts";
import { DESCRIPTIONS, INPUTS, inputSchema, outputOfOwn } from "./descriptions.ts";

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
