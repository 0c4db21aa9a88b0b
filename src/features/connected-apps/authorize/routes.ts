import {
  conflict,
  forbidden,
  json,
  jsonBody,
  organizationIsSuspended,
  permissionNotHeld,
  Router,
  route,
  unauthenticated,
  unitForbidden,
} from "#kit";
import { clientNotApproved, EXAMPLES } from "#kit/inside";
import { invalidAuthorizationRequest } from "../../../core/access/app-errors.ts";
import { reauthenticationRequired, secondFactorRequired } from "../../../core/access/errors.ts";
import { ssoRequired } from "../../../core/access/sign-on-errors.ts";
import { invalidOrExpiredToken } from "../../../core/accounts/errors.ts";
import { notAMember } from "../../sessions/errors.ts";
import { oauthIsOn } from "../config.ts";
import { approve } from "./approve.ts";
import { begin, deny } from "./begin.ts";
import {
  ApproveBody,
  AuthorizationRequest,
  BeginBody,
  Decision,
  DenyBody,
  UnitOptions,
  UnitOptionsQuery,
} from "./schemas.ts";
import { listUnitOptions } from "./unit-options.ts";

const AUTHORIZATIONS = "/api/oauth/authorizations";
const COMMON = {
  access: "signed-in",
  existsIf: oauthIsOn,
} as const;

const beginRoute = route({
  ...COMMON,
  operationId: "beginAuthorization",
  method: "post",
  path: AUTHORIZATIONS,
  summary: "Read what an app asks for",
  description:
    "For the page that an app opens. It shows the response and lets the person decide. A request with a fault is not to be approved; `redirectTo` of the error, if not null, tells the app, and is for a button: nothing goes there by itself.",
  throttle: { perUserPerMinute: 30 },
  request: {
    body: jsonBody(BeginBody, {
      query: "response_type=code&client_id=0190c7a0-5b1f-7d3e-9c52-1f6a2b7c8d9e",
    }),
  },
  responses: { 200: json(AuthorizationRequest, "What to show") },
  errors: [invalidAuthorizationRequest],
});

const unitOptionsRoute = route({
  ...COMMON,
  operationId: "listUnitsOfAuthorization",
  method: "get",
  path: "/api/oauth/unit-options",
  summary: "List the units to which an app can be limited",
  description:
    "At most 50 units in which the caller holds anything, depth-first, siblings by name. `search` matches names. Only for a session that may act in the organization.",
  reads: "list",
  request: { query: UnitOptionsQuery },
  responses: { 200: json(UnitOptions, "The units") },
  errors: [notAMember, ssoRequired, secondFactorRequired, reauthenticationRequired],
});

const approveRoute = route({
  ...COMMON,
  operationId: "approveAuthorization",
  method: "post",
  path: `${AUTHORIZATIONS}/approve`,
  summary: "Allow an app what it asks for",
  description:
    "Needs a proof of identity of the last ten minutes. The app gets what the person holds in the organization, or in the unit and those below, within the scopes. An account has at most 50 connected apps; a sixth of the same app, in one organization and for one resource, ends the one that was not used for longest. A request is approved once.",
  refusesPlatformAdmins: forbidden,
  reauthentication: { classes: ["credentials"] },
  request: {
    body: jsonBody(ApproveBody, {
      requestToken: "eyJhbGciOiJIUzI1NiJ9.e30.c2ln",
      organizationId: "0190c7a0-5b1f-7d3e-9c52-1f6a2b7c8d9e",
      scopes: [EXAMPLES.scope],
    }),
  },
  responses: { 200: json(Decision, "Where the browser takes the code to the app") },
  errors: [
    invalidOrExpiredToken,
    unauthenticated,
    notAMember,
    clientNotApproved,
    organizationIsSuspended,
    ssoRequired,
    secondFactorRequired,
    reauthenticationRequired,
    unitForbidden,
    permissionNotHeld,
    conflict,
  ],
});

const denyRoute = route({
  ...COMMON,
  operationId: "denyAuthorization",
  method: "post",
  path: `${AUTHORIZATIONS}/deny`,
  summary: "Deny an app what it asks for",
  description: "Writes nothing.",
  request: { body: jsonBody(DenyBody, { requestToken: "eyJhbGciOiJIUzI1NiJ9.e30.c2ln" }) },
  responses: { 200: json(Decision, "Where the browser tells the app") },
  errors: [invalidOrExpiredToken],
});

export const authorizeRoutes = new Router("connected-apps")
  .openapi(beginRoute, async (c) => c.json(await begin(c.var.call, c.req.valid("json").query), 200))
  .openapi(unitOptionsRoute, async (c) =>
    c.json(await listUnitOptions(c.var.call, c.req.valid("query")), 200),
  )
  .openapi(approveRoute, async (c) => c.json(await approve(c.var.call, c.req.valid("json")), 200))
  .openapi(denyRoute, async (c) => c.json(await deny(c.var.call, c.req.valid("json").requestToken), 200));
