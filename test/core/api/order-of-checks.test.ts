import { expect, test } from "bun:test";
import { z } from "@hono/zod-openapi";
import { route } from "../../../src/core/api/route.ts";
import { empty, jsonBody } from "../../../src/core/api/route-parts.ts";
import { Router } from "../../../src/core/api/router.ts";
import { serveRoutes } from "../../support/routes.ts";
import { startService } from "../../support/service.ts";

const t = await startService({ THROTTLE_LIMIT: "8" });

/** A route that every check can refuse. */
const guarded = route({
  operationId: "guarded",
  method: "post",
  path: "/api/guarded",
  summary: "Refuses for every reason",
  access: "platform-admin",
  throttle: { perIp: true },
  request: { body: jsonBody(z.strictObject({ name: z.string() })) },
  responses: { 204: empty("Let through") },
});
const router = new Router().openapi(guarded, async (c) => c.body(null, 204));
const url = serveRoutes(t.running, router);
const member = (await t.person()).at(url);
const admin = (await t.platformAdmin()).at(url);
const anonymous = t.anonymous(url);

const JSON_TYPE = { "content-type": "application/json" };
const OTHER = { "x-organization-id": "0f9c1d5e-1111-4222-8333-444455556666" };
const tooLarge = { raw: " ".repeat(200_000), headers: { "content-type": "text/plain" } };

test("the first failing check decides the response, in the order of rules 2.4", async () => {
  const responses = [
    await anonymous.post("/api/unguarded", undefined, tooLarge),
    await anonymous.post("/api/guarded", undefined, tooLarge),
    await member.post("/api/guarded", undefined, tooLarge),
    await member.post("/api/guarded", undefined, { raw: "{", headers: { "content-type": "text/plain" } }),
    await member.post("/api/guarded", undefined, { raw: "{", headers: JSON_TYPE }),
    await member.post("/api/guarded", { wrong: 1 }, { headers: OTHER }),
    await member.post("/api/guarded", { wrong: 1 }),
    await admin.post("/api/guarded", { wrong: 1 }, { headers: { "x-organization-id": "x" } }),
    await admin.post("/api/guarded", { wrong: 1 }),
    // The rate limit is used up; its 429 precedes every error but the 404 of an unknown route.
    await admin.post("/api/guarded", undefined, tooLarge),
    await anonymous.post("/api/unguarded", undefined, tooLarge),
  ];
  expect(responses.map(({ status, body }) => [status, body.code])).toEqual([
    [404, "NOT_FOUND"],
    [401, "UNAUTHENTICATED"],
    [413, "PAYLOAD_TOO_LARGE"],
    [415, "UNSUPPORTED_MEDIA_TYPE"],
    [400, "MALFORMED_JSON"],
    [403, "ORGANIZATION_OVERRIDE_FORBIDDEN"],
    [403, "PLATFORM_ADMIN_REQUIRED"],
    [400, "VALIDATION_FAILED"],
    [400, "VALIDATION_FAILED"],
    [429, "TOO_MANY_REQUESTS"],
    [404, "NOT_FOUND"],
  ]);
  expect(responses[7]?.body.message).toBe("X-Organization-Id must be a UUID");
  expect(responses[8]?.body.message).toBe("name is required; property wrong should not exist");
});
