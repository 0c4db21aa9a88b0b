import { type Context, Hono } from "hono";
import { ApiError, defineError, notFound, type RouterEnv } from "#kit";
import { agentOf, missingScopeOf } from "./agent.ts";
import { count } from "./call.ts";
import { authenticateAgent, refused } from "./caller.ts";
import type { Fetch } from "./inside.ts";
import { readMessage, refusal } from "./message.ts";
import { type Operation, operationsOf } from "./operations.ts";
import { allowOrigin, isAllowedOrigin, preflight } from "./origins.ts";
import { serve } from "./protocol.ts";

const methodNotAllowed = () =>
  new ApiError(405, "METHOD_NOT_ALLOWED", "Send a POST request", { headers: { allow: "POST" } });
const originNotAllowed = defineError(403, "FORBIDDEN", "Pages of this origin may not call this");

/**
 * Serves agents at POST `/mcp`. The checks of rules 46.60 run before the SDK. The routes are in no OpenAPI document, because the
 * protocol describes itself.
 * @param fetch the whole router, by which operations are called
 * @param routes the routes of the service
 */
export function mcpRoutes(fetch: Fetch, routes: object): Hono<RouterEnv> {
  // Made at the first call, because describing the operations takes long.
  let operations: Operation[] | null = null;

  async function answer(c: Context<RouterEnv>): Promise<Response> {
    const context = c.get("request");
    const { app, db } = context;
    const request = c.req.raw;
    const actor = await authenticateAgent(request, context);
    const message = await readMessage(request, context);
    if (message instanceof Response) return message;
    operations ??= operationsOf(routes);
    const inside = { fetch, actor, context, bindings: c.env, request };
    const agent = await agentOf(inside, operations, { app, db, log: app.log });
    const missing = missingScopeOf(message, agent);
    if (missing !== null) {
      count(agent, missing.tool, "scope_missing");
      throw missing.error;
    }
    const response = await serve(agent, request, message);
    if (agent.hasEnded) throw refused(context, { wasSent: true });
    return response;
  }

  async function respond(c: Context<RouterEnv>): Promise<Response> {
    const { method } = c.req;
    if (method !== "POST" && method !== "OPTIONS") return refusal(methodNotAllowed(), c);
    const origin = c.req.header("origin") ?? null;
    if (!isAllowedOrigin(origin, c.get("request").app.config)) return refusal(originNotAllowed(), c);
    const response =
      method === "OPTIONS" ? preflight() : await answer(c).catch((error: unknown) => refusal(error, c));
    allowOrigin(origin, response);
    return response;
  }

  return new Hono<RouterEnv>()
    .all("/mcp", async (c, next) => {
      const context = c.get("request");
      const { oauth, mcp } = context.app.config;
      if (!oauth) return next();
      context.route = "/mcp";
      if (mcp === "off") throw notFound();
      return respond(c);
    })
    .all("/mcp/", async (c, next) => {
      if (!c.get("request").app.config.oauth) return next();
      throw notFound();
    });
}
