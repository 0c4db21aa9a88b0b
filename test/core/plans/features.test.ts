import { expect, test } from "bun:test";
import { z } from "zod";
import { route } from "../../../src/core/api/route.ts";
import { empty, json, jsonBody } from "../../../src/core/api/route-parts.ts";
import { Router } from "../../../src/core/api/router.ts";
import type { Caller } from "../../support/caller.ts";
import { createOrganization, type Organization } from "../../support/organizations.ts";
import { actingIn, messages, outcome } from "../../support/outcomes.ts";
import { PLANS, planFiles, setPlanOverride, storeSubscription } from "../../support/plans.ts";
import { serveRoutes } from "../../support/routes.ts";
import { sharedService, startService } from "../../support/service.ts";

const planFile = planFiles();
const t = await startService({ BILLING_PLANS_FILE: planFile(PLANS) });

/** Declares a route that needs a plan feature, like the audit log of an organization. */
const gated = <const Path extends string>(path: Path, spans: boolean) =>
  route({
    operationId: `gated${path.replaceAll("/", "_")}`,
    method: "post",
    path,
    summary: "Needs a feature",
    access: spans
      ? { permission: "Audit.Read", feature: "audit", crossOrganization: true }
      : { permission: "Audit.Read", feature: "audit" },
    request: { body: jsonBody(z.strictObject({ word: z.string() })) },
    responses: { 200: json(z.object({ word: z.string() }), "The word") },
  });
const GATED = "/api/tests/gated";
const SPANNING = "/api/tests/spanning";
const router = new Router()
  .openapi(gated(GATED, false), async (c) => c.json(c.req.valid("json"), 200))
  .openapi(gated(SPANNING, true), async (c) => c.json(c.req.valid("json"), 200));
const url = serveRoutes(t.running, router);

const GOOD = { word: "yes" };
const ask = async (caller: Caller, { path = GATED, body = GOOD as unknown, headers = {} } = {}) =>
  outcome(await caller.at(url).post(path, body, { headers }));

/** Creates an organization whose plan has no features. */
async function featureless(): Promise<Organization> {
  const org = await createOrganization(t);
  await storeSubscription(t, org, { trial_ends_at: null });
  return org;
}

test("a route that needs a plan feature follows a change of the plan from the next request on", async () => {
  const admin = await t.platformAdmin();
  const org = await createOrganization(t);
  for (const path of [GATED, SPANNING]) {
    expect(await ask(org.admin, { path })).toBe("200");
    await setPlanOverride(admin, org, "free");
    expect(await ask(org.admin, { path })).toBe("403 PLAN_FEATURE_REQUIRED");
    await setPlanOverride(admin, org, "gift");
    expect(await ask(org.admin, { path })).toBe("200");
  }
});

test("a plan feature is checked against the current plan: it ends with the trial", async () => {
  const org = await createOrganization(t);
  expect(await ask(org.admin)).toBe("200");
  await t.age("organization_subscriptions", { organization_id: org.id }, { days: 14 });
  expect(await ask(org.admin)).toBe("403 PLAN_FEATURE_REQUIRED");
  const { message } = (await org.admin.get("/api/organization/audit-events")).body;
  expect(message).toBe("The organization's plan does not include the feature audit");
});

test("a caller who holds the permission only in a unit also needs the plan feature", async () => {
  const org = await featureless();
  const unit = await org.unit("One");
  const member = await org.member({ role: "UNIT_ADMIN", unit });
  expect(await ask(member)).toBe("403 PLAN_FEATURE_REQUIRED");
  await storeSubscription(t, org, { plan_override: "gift" });
  expect(await ask(member)).toBe("200");
});

test("the plan feature is checked after token, header, organization and permission, and before validation", async () => {
  const org = await featureless();
  const other = await createOrganization(t);
  const member = await org.member();
  const malformed = { wrong: true };
  for (const path of [GATED, SPANNING]) {
    expect(await ask(t.anonymous(), { path, body: malformed })).toBe("401 UNAUTHENTICATED");
    const headers = actingIn(other).headers;
    expect(await ask(member, { path, headers })).toBe("403 ORGANIZATION_OVERRIDE_FORBIDDEN");
    expect(await ask(await t.person(), { path })).toBe("403 ORGANIZATION_REQUIRED");
    expect(await ask(member, { path, body: malformed })).toBe("403 FORBIDDEN");
    for (const filter of ["x-filter-unit", "x-filter-member"])
      expect(await ask(org.admin, { path, headers: { [filter]: "none" } })).toBe("403 PLAN_FEATURE_REQUIRED");
    expect(await ask(org.admin, { path, body: malformed })).toBe("403 PLAN_FEATURE_REQUIRED");
    expect(await ask(other.admin, { path, body: malformed })).toBe("400 VALIDATION_FAILED");
  }
  const raw = { raw: "{", headers: { "content-type": "application/json" } };
  expect(outcome(await org.admin.at(url).post(GATED, undefined, raw))).toBe("400 MALFORMED_JSON");
  expect(messages(await other.admin.at(url).post(GATED, malformed))).toEqual([
    "word is required",
    "property wrong should not exist",
  ]);
});

test("a missing plan feature does not restrict platform administrators", async () => {
  const org = await featureless();
  const admin = await t.platformAdmin();
  for (const path of [GATED, SPANNING])
    expect(await ask(admin, { path, headers: actingIn(org).headers })).toBe("200");
  expect(await ask(admin, { path: SPANNING })).toBe("200");
  expect(await ask(admin)).toBe("400 ORGANIZATION_REQUIRED");
});

test("a feature that no plan includes is available to nobody, or to everybody if billing is off", async () => {
  const [org, off] = [await featureless(), await sharedService()];
  const unknown = new Router().openapi(
    route({
      operationId: "gatedByNothing",
      method: "get",
      path: "/api/tests/unknown",
      summary: "Needs what there is not",
      access: { permission: "Todos.Read", feature: "toString" as "audit" },
      responses: { 204: empty("Nothing") },
    }),
    async (c) => c.body(null, 204),
  );
  await storeSubscription(t, org, { plan_override: "enterprise" });
  const here = serveRoutes(t.running, unknown);
  expect(outcome(await org.admin.at(here).get("/api/tests/unknown"))).toBe("403 PLAN_FEATURE_REQUIRED");
  const there = serveRoutes(off.running, unknown);
  const member = await (await createOrganization(off)).member();
  expect(outcome(await member.at(there).get("/api/tests/unknown"))).toBe("204");
});

test("the OpenAPI document names the plan feature that a route needs, and its error code", async () => {
  const { paths, components } = (await t.anonymous(url).get("/api/docs-json")).body;
  /** Returns the description of a route's 403; resolves a shared response. */
  const refusalOf = (path: string) => {
    const refusal = paths[path].post.responses[403];
    return JSON.stringify(refusal.$ref ? components.responses[refusal.$ref.split("/").at(-1)] : refusal);
  };
  for (const path of [GATED, SPANNING]) {
    expect(paths[path].post.description).toContain("The organization's plan must include `audit`.");
    expect(refusalOf(path)).toContain("PLAN_FEATURE_REQUIRED");
  }
  expect(refusalOf("/api/todos")).not.toContain("PLAN_FEATURE_REQUIRED");
});
