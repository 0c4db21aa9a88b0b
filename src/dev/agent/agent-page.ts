import type { Tool } from "@modelcontextprotocol/client";
import { html } from "hono/html";
import { page } from "../page.ts";
import type { Step } from "./session.ts";

type Shown = {
  service: string;
  isConnected: boolean;
  hasPrevious: boolean;
  tools: Tool[];
  steps: Step[];
  /** The result of the last call, or what went wrong. */
  result: string | null;
};

const EXAMPLES: Record<string, string> = {
  whoami: "{}",
  search_operations: '{ "query": "units" }',
  read: '{ "operationId": "listUnits" }',
  write:
    '{ "operationId": "createUnit", "body": { "name": "Made by an agent", "parentId": null }, "idempotencyKey": "stand-in-1" }',
};

const button = (action: string, text: string) => html`<button formaction="/${action}">${text}</button> `;

/** Returns the page of the stand-in agent: connect, a form for each tool, and each request that it made. */
export const agentPage = ({
  service,
  isConnected,
  hasPrevious,
  tools,
  steps,
  result,
}: Shown): Promise<string> =>
  page(
    "Agent",
    "",
    html`<h1>Agent</h1>
<p>A stand-in for an agent. It connects to ${service}/mcp as every other agent would; what it sees and changes is what the person
chooses on the page of consent. Sign in as Ada for the whole organization, or as Uma for one unit.</p>
<form method="post">${button("connect", isConnected ? "Connect again" : "Connect")}${isConnected ? button("refresh", "Refresh") : ""}${
      hasPrevious ? button("replay", "Replay the old refresh token") : ""
    }${isConnected ? button("revoke", "Revoke") : ""}</form>
${result === null ? "" : html`<h2>Result</h2><pre>${result}</pre>`}
${tools.map(
  ({ name, title, description }) => html`<h2>${title ?? name}</h2>
<p class="quiet">${description ?? ""}</p>
<form method="post" action="/call"><input type="hidden" name="tool" value="${name}">
<p><textarea name="input" rows="3" cols="80" aria-label="Input of ${name}">${EXAMPLES[name] ?? "{}"}</textarea></p>
<button>Call ${name}</button></form>`,
)}
<h2>Requests</h2>
<ol>${steps.map(
      ({ method, url, status, answer }) =>
        html`<li><b>${method}</b> ${url} → ${status}<pre>${answer}</pre></li>`,
    )}</ol>`,
  );
