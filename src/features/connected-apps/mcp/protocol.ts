import type * as Sdk from "@modelcontextprotocol/server";
import { isObject } from "#kit";
import { version } from "#kit/inside";
import type { Agent } from "./agent.ts";
import { callTool, listTools } from "./call.ts";
import { INSTRUCTIONS } from "./descriptions.ts";
import { METHOD_NOT_FOUND, rpcError, UNSUPPORTED_REVISION } from "./message.ts";

const LIST_MS = 300_000;

let loading: Promise<typeof Sdk> | null = null;

/** Loads the SDK at the first request of an agent: an instance that none calls does not need its memory. */
const sdk = (): Promise<typeof Sdk> => {
  loading ??= import("@modelcontextprotocol/server");
  return loading;
};

/** Creates the server of one request: its tools depend on the caller. */
async function serverFor(agent: Agent): Promise<Sdk.Server> {
  const { ProtocolError, ProtocolErrorCode, Server } = await sdk();
  const { rpName } = agent.service.app.config.passkeys;
  const server = new Server(
    { name: rpName, version },
    {
      capabilities: { tools: {} },
      instructions: INSTRUCTIONS,
      cacheHints: { "tools/list": { ttlMs: LIST_MS, cacheScope: "private" } },
    },
  );
  server.setRequestHandler("tools/list", () => ({ tools: listTools(agent) }));
  server.setRequestHandler("tools/call", async ({ params }) => {
    const result = await callTool(agent, params.name, params.arguments);
    if (result === null) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Unknown tool");
    return result;
  });
  return server;
}

let handler: Promise<Sdk.McpHttpHandler> | null = null;

/** Serves revision 2026-07-28. The SDK passes the agent to the server in `authInfo`. */
const modern = () => {
  handler ??= sdk().then(({ createMcpHandler }) =>
    createMcpHandler(({ authInfo }) => serverFor(authInfo?.extra?.agent as Agent), { legacy: "reject" }),
  );
  return handler;
};

/** The headers that the protocol reads; no other header, and above all no token, reaches the SDK. */
const HEADERS = ["mcp-protocol-version", "mcp-method", "mcp-name"];

function requestFor({ headers: sent }: Request): Request {
  const headers = new Headers({
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  });
  for (const name of HEADERS) {
    const value = sent.get(name);
    if (value !== null) headers.set(name, value);
  }
  return new Request("http://localhost/mcp", { method: "POST", headers });
}

/** Serves a message of an earlier revision. Stateless as the SDK's own fallback, but responds with JSON, never with a stream. */
async function serveEarlier(
  agent: Agent,
  request: Request,
  message: Record<string, unknown>,
): Promise<Response> {
  const {
    SUPPORTED_PROTOCOL_VERSIONS,
    UnsupportedProtocolVersionError,
    WebStandardStreamableHTTPServerTransport,
  } = await sdk();
  const requested = request.headers.get("mcp-protocol-version");
  if (requested !== null && !SUPPORTED_PROTOCOL_VERSIONS.includes(requested)) {
    const { message: text, data } = new UnsupportedProtocolVersionError({
      supported: SUPPORTED_PROTOCOL_VERSIONS,
      requested,
    });
    return rpcError(400, { code: UNSUPPORTED_REVISION, message: text, data: data as object, id: message.id });
  }
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const server = await serverFor(agent);
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    await server.close();
  }
}

/** Serves a message of an agent by the SDK. */
export async function serve(
  agent: Agent,
  received: Request,
  message: Record<string, unknown>,
): Promise<Response> {
  if (message.method === "subscriptions/listen")
    return rpcError(404, { code: METHOD_NOT_FOUND, message: "Method not found", id: message.id });
  const { isLegacyRequest } = await sdk();
  const request = requestFor(received);
  const isEarlier = await isLegacyRequest(request, message);
  const authInfo = { token: "", clientId: "", scopes: [], extra: { agent } };
  const response = isEarlier
    ? await serveEarlier(agent, request, message)
    : await (await modern()).fetch(request, { authInfo, parsedBody: message });
  const text = await response.text();
  const isUnknown = response.status === 200 && isUnknownMethod(text);
  return new Response(text === "" ? null : text, {
    status: isUnknown ? 404 : response.status,
    headers: text === "" ? {} : { "content-type": "application/json" },
  });
}

/** Whether a response is the error for an unknown method. */
function isUnknownMethod(text: string): boolean {
  if (!text.includes(String(METHOD_NOT_FOUND))) return false;
  const { error } = JSON.parse(text);
  return isObject(error) && error.code === METHOD_NOT_FOUND;
}
