import type { Tool } from "@modelcontextprotocol/client";
import { localPages, NOWHERE_BUT_FORMS, respond } from "../page.ts";
import { agentPage } from "./agent-page.ts";
import { AgentSession } from "./session.ts";

/** Where the MCP Inspector listens. */
const INSPECTOR = ["http://127.0.0.1:6274", "http://localhost:6274"];

/**
 * Starts a stand-in for an agent, which needs no internet: its page, its document at /client.json, and one for the MCP Inspector
 * at /inspector.json.
 */
export function startAgent({ serviceUrl, port = 0 }: { serviceUrl: string; port?: number }) {
  const server = Bun.serve({ hostname: "127.0.0.1", port, fetch: (request) => handle(request) });
  const url = `http://127.0.0.1:${server.port}`;
  const session = new AgentSession(serviceUrl, {
    clientId: `${url}/client.json`,
    callback: `${url}/callback`,
  });
  let tools: Tool[] = [];
  let result: string | null = null;

  const documentOf = (path: string, name: string, redirectUris: string[]) =>
    Response.json({
      client_id: `${url}${path}`,
      client_name: name,
      redirect_uris: redirectUris,
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    });
  const shown = async () =>
    respond(
      await agentPage({
        service: serviceUrl,
        isConnected: session.tokens !== null,
        hasPrevious: session.previousRefreshToken !== null,
        ...{ tools, steps: session.steps, result },
      }),
      "text/html",
      200,
      // The page leads to that of consent.
      NOWHERE_BUT_FORMS.replace("form-action 'self'", `form-action 'self' ${serviceUrl}`),
    );
  const back = () => new Response(null, { status: 303, headers: { location: "/" } });

  async function act(path: string, request: Request): Promise<Response> {
    result = null;
    if (path === "/connect") {
      const consent = await session.connect();
      return consent === null
        ? back()
        : new Response(null, { status: 303, headers: { location: consent.href } });
    }
    if (path === "/refresh") await session.refresh();
    else if (path === "/replay") await session.refresh({ replay: true });
    else if (path === "/revoke") await session.revoke();
    else if (path === "/call") {
      const form = await request.formData();
      const answer = await session.callTool(String(form.get("tool")), JSON.parse(String(form.get("input"))));
      result = JSON.stringify(answer, null, 2);
    }
    if (session.tokens === null) tools = [];
    return back();
  }

  const handle = localPages(async (request, { pathname, searchParams }) => {
    if (pathname === "/client.json") return documentOf(pathname, "Stand-in agent", [`${url}/callback`]);
    if (pathname === "/inspector.json")
      return documentOf(
        pathname,
        "MCP Inspector",
        INSPECTOR.flatMap((at) => [`${at}/oauth/callback`, `${at}/oauth/callback/debug`]),
      );
    try {
      if (request.method === "POST") return await act(pathname, request);
      if (pathname === "/callback") {
        await session.finish(searchParams);
        tools = await session.listTools();
        return back();
      }
    } catch (error) {
      result = error instanceof Error ? error.message : String(error);
      return back();
    }
    return pathname === "/" ? shown() : respond("Not found", "text/plain", 404);
  });
  return { url, stop: () => server.stop(true) };
}
