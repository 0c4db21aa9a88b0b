import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import type { RouterEnv } from "#kit";
import { DOCUMENTS } from "./metadata.ts";

/** The paths that pages of any origin may call, with the allowed methods and headers. They read no cookie and no session. */
const DOCUMENT = { methods: "GET", headers: "*" };
const TOKENS = { methods: "POST", headers: "Authorization, Content-Type" };
const OPEN: Readonly<Record<string, typeof DOCUMENT>> = {
  ...Object.fromEntries(Object.keys(DOCUMENTS).map((path) => [path, DOCUMENT])),
  "/api/oauth/token": TOKENS,
  "/api/oauth/revoke": TOKENS,
};

/** Whether a path says itself which pages may read it; `/mcp` does so by its own list of origins. */
export const hasOwnCors = (path: string): boolean => path === "/mcp" || Object.hasOwn(OPEN, path);

const allowAll = ({ methods, headers }: typeof DOCUMENT) =>
  createMiddleware<RouterEnv>(async (c, next) => {
    if (!c.get("request").app.config.oauth) return next();
    if (c.req.method === "OPTIONS")
      return c.body(null, 204, {
        "access-control-allow-origin": "*",
        "access-control-allow-methods": methods,
        "access-control-allow-headers": headers,
        "access-control-max-age": "600",
      });
    await next();
    c.res.headers.set("access-control-allow-origin", "*");
    c.res.headers.set("access-control-expose-headers", "Retry-After, X-Request-Id");
  });

/** The CORS headers of these paths (rules 46.10, 46.26). */
export const appCors = new Hono<RouterEnv>();
for (const [path, allowed] of Object.entries(OPEN)) appCors.use(path, allowAll(allowed));
