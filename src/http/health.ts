import { z } from "@hono/zod-openapi";
import { endpoint, reply } from "./endpoint.ts";

const Check = z.enum(["ok", "failed"]);
const Checks = z.object({ database: Check, jobs: Check, changeFeed: Check, storage: Check });
const Ready = z.object({ status: z.enum(["ok", "failed"]), checks: Checks }).openapi("Readiness");

/** Answers true when that part works. Asked at every readiness probe, so each is quick and bounded. */
export type HealthChecks = Record<keyof z.output<typeof Checks>, () => boolean | Promise<boolean>>;

const LONGEST_CHECK_MS = 3_000;

/** Live: the process answers. Ready: everything that it needs does too (contract 1.3). */
export function healthEndpoints(checks: HealthChecks) {
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
          "The database is reachable and migrated, jobs run, the change feed is connected, storage is usable.",
        access: "public",
        answers: {
          200: { description: "It can", schema: Ready },
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
        const [database, jobs, changeFeed, storage] = await Promise.all(
          [checks.database, checks.jobs, checks.changeFeed, checks.storage].map(outcome),
        );
        const results = {
          database: database ?? "failed",
          jobs: jobs ?? "failed",
          changeFeed: changeFeed ?? "failed",
          storage: storage ?? "failed",
        } as const;
        return Object.values(results).every((result) => result === "ok")
          ? reply(200, { status: "ok", checks: results })
          : reply(503, { status: "failed", checks: results }, { "retry-after": "5" });
      },
    ),
  ];
}

async function outcome(check: () => boolean | Promise<boolean>): Promise<"ok" | "failed"> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), LONGEST_CHECK_MS);
  try {
    return (await Promise.race([check(), late])) ? "ok" : "failed";
  } catch {
    return "failed";
  } finally {
    clearTimeout(timer);
  }
}
