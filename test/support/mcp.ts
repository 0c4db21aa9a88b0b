import { connectApp, type Settings } from "./apps.ts";
import type { Organization } from "./organizations.ts";
import type { Service } from "./service.ts";

const REVISION = "2026-07-28";

/** What a test sees of an answer of `/mcp`. */
export type RpcAnswer = {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows which body it expects
  body: any;
};

type Sent = { headers?: Record<string, string>; method?: string; raw?: string };

/** An agent that speaks JSON-RPC by hand, in the newest revision. */
export class RawAgent {
  private last = 0;

  constructor(
    private readonly t: Pick<Service, "url">,
    readonly token: string | null,
  ) {}

  /** Sends a message, or anything else in the place of one. */
  async send(message: unknown, { headers = {}, method = "POST", raw }: Sent = {}): Promise<RpcAnswer> {
    const response = await fetch(`${this.t.url}/mcp`, {
      method,
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(this.token !== null && { authorization: `Bearer ${this.token}` }),
        ...headers,
      },
      ...(method === "POST" && { body: raw ?? JSON.stringify(message) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === "" ? null : JSON.parse(text),
    };
  }

  /** Sends a request with what the revision asks for in its headers and its body. */
  request(method: string, params: Record<string, unknown> = {}, sent: Sent = {}): Promise<RpcAnswer> {
    this.last += 1;
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": REVISION,
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const headers = {
      "mcp-protocol-version": REVISION,
      "mcp-method": method,
      ...(typeof params.name === "string" && { "mcp-name": params.name }),
      ...sent.headers,
    };
    return this.send(
      { jsonrpc: "2.0", id: this.last, method, params: { ...params, _meta } },
      { ...sent, headers },
    );
  }

  /** Calls a tool, and returns its result. */
  async tool(name: string, input: Record<string, unknown> = {}) {
    const { status, body } = await this.request("tools/call", { name, arguments: input });
    if (status !== 200 || body.result === undefined)
      throw new Error(`${name} answered ${status}: ${JSON.stringify(body)}`);
    return body.result;
  }

  async tools() {
    const { body } = await this.request("tools/list");
    return body.result.tools as { name: string; description: string }[];
  }
}

/** Connects an agent for a member of an organization, by default its founder with all scopes. */
export async function agentOf(t: Service, org: Organization, person = org.admin, settings: Settings = {}) {
  const grant = await connectApp(t, org, person, { resource: "mcp", ...settings });
  return { ...grant, agent: new RawAgent(t, grant.accessToken) };
}
