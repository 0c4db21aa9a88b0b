import { z } from "@hono/zod-openapi";
import { json, route } from "./route.ts";
import { Router } from "./router.ts";

const Check = z.enum(["ok", "failed"]);
const Checks = z.object({
  database: Check,
  jobs: Check,
  changeFeed: Check,
  storage: Check,
  replica: Check.optional(),
});
const Ready = z
  .object({ status: z.enum(["ok", "degraded", "failed", "stopping"]), checks: Checks })
  .openapi("Readiness");

const getLivenessRoute = route({
  operationId: "getLiveness",
  method: "get",
  path: "/api/health/live",
  tags: ["health"],
  summary: "Whether the process answers",
  access: "public",
  responses: { 200: json(z.object({ status: z.literal("ok") }), "It does") },
});

const getReadinessRoute = route({
  operationId: "getReadiness",
  method: "get",
  path: "/api/health/ready",
  tags: ["health"],
  summary: "Whether the service can serve",
  description:
    "The database is reachable and migrated, jobs run, the change feed is connected, storage is usable; the replica, if one is configured, serves lists. Without storage it is `degraded` and serves all but images, without the replica it is `degraded` and serves all; `stopping` still serves, and wants no more requests. Worked out at most every 2 seconds.",
  access: "public",
  responses: {
    200: json(Ready, "It can: `ok`, or `degraded`"),
    503: json(Ready, "Something that it needs is missing, or it is about to end", {
      example: {
        status: "failed",
        checks: { database: "ok", jobs: "ok", changeFeed: "failed", storage: "ok" },
      },
    }),
  },
});

/** Liveness: the process responds. Readiness: so does everything that it depends on. */
export const healthRoutes = new Router()
  .openapi(getLivenessRoute, async (c) => c.json({ status: "ok" as const }, 200))
  .openapi(getReadinessRoute, async (c) => {
    const now = await c.env.readiness();
    const isReady = now.status === "ok" || now.status === "degraded";
    return isReady ? c.json(now, 200) : c.json(now, 503, { "retry-after": "5" });
  });
