import { z } from "@hono/zod-openapi";
import { endpoint, reply } from "./endpoint.ts";
import type { Readiness } from "./readiness.ts";

const Check = z.enum(["ok", "failed"]);
const Checks = z.object({ database: Check, jobs: Check, changeFeed: Check, storage: Check });
const Ready = z.object({ status: z.enum(["ok", "degraded", "failed"]), checks: Checks }).openapi("Readiness");

/** Live: the process answers. Ready: everything that it needs does too. */
export function healthEndpoints(readiness: () => Promise<Readiness>) {
  return [
    endpoint(
      {
        operationId: "getLiveness",
        method: "get",
        path: "/api/health/live",
        tag: "health",
        summary: "Whether the process answers",
        access: "public",
        answers: { 200: { description: "It does", schema: z.object({ status: z.literal("ok") }) } },
      },
      async () => reply(200, { status: "ok" }),
    ),
    endpoint(
      {
        operationId: "getReadiness",
        method: "get",
        path: "/api/health/ready",
        tag: "health",
        summary: "Whether the service can serve",
        description:
          "The database is reachable and migrated, jobs run, the change feed is connected, storage is usable. Without storage alone it is `degraded` and serves all but images. Worked out at most every 2 seconds.",
        access: "public",
        answers: {
          200: { description: "It can: `ok`, or `degraded`", schema: Ready },
          503: {
            description: "Something that it needs is missing",
            schema: Ready,
            example: {
              status: "failed",
              checks: { database: "ok", jobs: "ok", changeFeed: "failed", storage: "ok" },
            },
          },
        },
      },
      async () => {
        const now = await readiness();
        return now.status === "failed" ? reply(503, now, { "retry-after": "5" }) : reply(200, now);
      },
    ),
  ];
}
