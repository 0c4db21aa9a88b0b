import { z } from "@hono/zod-openapi";
import { route } from "./route.ts";
import { json } from "./route-parts.ts";
import { Router } from "./router.ts";

const Check = z.enum(["ok", "failed"]);
const Checks = z.object({
  database: Check.describe("Whether the database is reachable, migrated, and able to run transactions."),
  jobs: Check.describe("Whether mails and other jobs can be queued."),
  changeFeed: Check.describe("Whether live notifications reach this instance."),
  storage: Check.describe("Whether images can be stored."),
  replica: Check.optional().describe(
    "Whether the replica serves lists; omitted if no replica is configured.",
  ),
});
const Ready = z
  .object({
    status: z
      .enum(["ok", "degraded", "failed", "stopping"])
      .describe("The status of the service. It is ready if the status is `ok` or `degraded`."),
    checks: Checks.describe("The result of each check."),
  })
  .openapi("Readiness");

const getLivenessRoute = route({
  operationId: "getLiveness",
  method: "get",
  path: "/api/health/live",
  summary: "Check that the process responds",
  access: "public",
  responses: {
    200: json(
      z.object({ status: z.literal("ok").describe("Always `ok`: the process responds.") }),
      "The process responds",
    ),
  },
});

const getReadinessRoute = route({
  operationId: "getReadiness",
  method: "get",
  path: "/api/health/ready",
  summary: "Check that the service is ready",
  description:
    "Checks database, migrations, jobs, change feed, storage and, if one is configured, the replica. `degraded`: storage or replica is unavailable; without storage images fail, without the replica everything works. `stopping`: still serving, but send no new traffic. Computed at most every 2 seconds.",
  access: "public",
  responses: {
    200: json(Ready, "Ready: `ok` or `degraded`"),
    503: json(Ready, "Not ready: a check failed, or the process is stopping", {
      example: {
        status: "failed",
        checks: { database: "ok", jobs: "ok", changeFeed: "failed", storage: "ok" },
      },
    }),
  },
});

/** Liveness: the process responds. Readiness: the process and all its dependencies respond. */
export const healthRoutes = new Router("health")
  .openapi(getLivenessRoute, async (c) => c.json({ status: "ok" as const }, 200))
  .openapi(getReadinessRoute, async (c) => {
    const now = await c.var.request.readiness();
    const isReady = now.status === "ok" || now.status === "degraded";
    return isReady ? c.json(now, 200) : c.json(now, 503, { "retry-after": "5" });
  });
