import { conflict, forbidden, json, jsonBody, organizationIsSuspended, Router, route } from "#kit";
import type { RouteDefinition } from "#kit/inside";
import { planFeatureRequired } from "../../core/access/errors.ts";
import { ssoIsOn } from "../../core/access/sign-on-config.ts";
import {
  breakGlassRequired,
  connectionNotTested,
  domainNotVerified,
} from "../../core/access/sign-on-errors.ts";
import { listAffected, showPolicy } from "./read.ts";
import { AffectedMemberPage, AffectedQuery, SignOnPolicy, UpdateSignOnPolicyBody } from "./schemas.ts";
import { updatePolicy } from "./update.ts";

const POLICY = "/api/organization/sign-on";
const common = { existsIf: ssoIsOn } satisfies Partial<RouteDefinition>;

const getPolicyRoute = route({
  operationId: "getSignOnPolicy",
  method: "get",
  path: POLICY,
  ...common,
  summary: "Read the sign-on policy",
  access: { permission: "SingleSignOn.Read" },
  apps: false,
  responses: { 200: json(SignOnPolicy, "The policy: what holds, and what is announced") },
});

const listAffectedRoute = route({
  operationId: "listAffectedMembers",
  method: "get",
  path: `${POLICY}/affected`,
  ...common,
  summary: "List the members who could not act under a policy",
  description:
    "Needs `Members.Read` for the whole organization as well. As things stand: who signs in by the connection once, or sets up a second factor, leaves the list.",
  access: { permission: "SingleSignOn.Read" },
  apps: false,
  request: { query: AffectedQuery },
  responses: { 200: json(AffectedMemberPage, "A page of members with what each lacks") },
  errors: [forbidden],
});

const updatePolicyRoute = route({
  operationId: "updateSignOnPolicy",
  method: "patch",
  path: POLICY,
  ...common,
  apiKeys: false,
  reauthentication: { classes: ["credentials"] },
  summary: "Change the sign-on policy",
  description:
    'A wider scope and a required second factor are announced and hold from `enforceFrom` on; what is looser holds at once and drops what is announced. A scope other than `off` needs an enabled connection that the caller tested within 24 hours, a verified domain with it, and one to five usable break-glass members, among them the caller with a proof of two factors within ten minutes. Platform administrators may only send `{ scope: "off" }`.',
  access: { permission: "SingleSignOn.Update" },
  request: { body: jsonBody(UpdateSignOnPolicyBody, { scope: "domains" }) },
  responses: { 200: json(SignOnPolicy, "The changed policy") },
  errors: [
    organizationIsSuspended,
    planFeatureRequired,
    conflict,
    connectionNotTested,
    domainNotVerified,
    breakGlassRequired,
  ],
});

export const policyRoutes = new Router("sign-on")
  .openapi(getPolicyRoute, async (c) =>
    c.json(await showPolicy(c.var.call.db, c.var.call.organizationId), 200),
  )
  .openapi(listAffectedRoute, async (c) => c.json(await listAffected(c.var.call, c.req.valid("query")), 200))
  .openapi(updatePolicyRoute, async (c) => c.json(await updatePolicy(c.var.call, c.req.valid("json")), 200));
