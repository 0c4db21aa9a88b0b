import {
  type App,
  empty,
  forbidden,
  json,
  jsonBody,
  notFound,
  organizationIsSuspended,
  Router,
  route,
  tooManyRequests,
} from "#kit";
import { domainOf, providerError } from "#kit/inside";
import * as queries from "#sql/sso-sign-in";
import { queryOf } from "../../platform/http/target.ts";
import { redirect, toClient } from "../identities/redirect.ts";
import { beginSignIn } from "./begin.ts";
import { handleCallback } from "./callback.ts";
import { common } from "./connection-routes.ts";
import { ConnectionPath } from "./connection-schemas.ts";
import { REFUSALS, type SsoOutcome } from "./outcome.ts";
import { beginReauthentication } from "./reauthenticate.ts";
import { STATE_COOKIE, stateCookie } from "./state-cookie.ts";
import {
  AuthorizationUrl,
  ConnectionTest,
  ConnectionTestPath,
  ConnectionTestStarted,
  DiscoverBody,
  Discovered,
  SsoPath,
} from "./test-schemas.ts";
import { beginTest, showTest } from "./testing.ts";

const CODES = [
  "ACCESS_DENIED",
  "INVALID_STATE",
  "PROVIDER_ERROR",
  "SSO_DISABLED",
  ...REFUSALS,
  "TOO_MANY_REQUESTS",
];
/** The rate limits for one IP address, as multiples of the general limit. Many people sign in from behind one address. */
const SIGN_INS_PER_IP = 24;
const LOOK_UPS_PER_IP = 6;

const beginRoute = route({
  operationId: "beginConnectionSignIn",
  method: "get",
  path: "/api/auth/sso/{connectionId}",
  ...common,
  summary: "Sign in with a connection of an organization",
  description:
    "Open this URL in the browser. It redirects to the provider, which redirects back to the callback. `login_hint`, an email address, is passed on; every other parameter is ignored. A browser that another site sent here goes to `startUrl` of the connection instead.",
  access: "public",
  throttle: { perIp: SIGN_INS_PER_IP, response: (app) => toClient(app, { error: "TOO_MANY_REQUESTS" }, []) },
  request: { params: SsoPath },
  responses: {
    302: empty("Redirects to the provider", {
      setsCookie: STATE_COOKIE,
      location:
        "The provider's authorization endpoint; `startUrl` for a browser that another site sent; `APP_URL/auth/callback#error=` and `PROVIDER_ERROR` if the provider is unavailable, `SSO_DISABLED` or `TOO_MANY_REQUESTS`.",
    }),
  },
  errors: [notFound],
  acceptsAnyQuery: true,
});

const callbackRoute = route({
  operationId: "finishConnectionSignIn",
  method: "get",
  path: "/api/auth/sso/{connectionId}/callback",
  ...common,
  summary: "Callback of a connection",
  description:
    "The provider redirects the browser here with `code` and `state`. Signs in, tests or re-authenticates, and redirects to the client, which reads the result from the fragment. A challenge is completed by `POST /api/auth/2fa/verify`. Every call clears the state cookie. The session of the same account in this browser continues with a further proof; the session of another account ends.",
  access: "public",
  throttle: { perIp: SIGN_INS_PER_IP, response: (app) => back(app, { error: "TOO_MANY_REQUESTS" }) },
  connections: "sign-in",
  request: { params: SsoPath },
  responses: {
    302: empty("Redirects to the client", {
      setsCookie: "Clears sso_state; with `#token` also sets refresh_token.",
      location: `\`APP_URL/auth/callback\` with \`#token=…\` (an access token), \`#challenge=…\`, \`#tested=<id>\`, \`#reauthenticated=connection:<id>\`, or \`#error=\` and one of ${CODES.map((code) => `\`${code}\``).join(", ")}.`,
    }),
  },
  errors: [notFound],
  refreshCookie: "optional",
  acceptsAnyQuery: true,
});

const reauthenticateRoute = route({
  operationId: "reauthenticateByConnection",
  method: "post",
  path: "/api/auth/sso/{connectionId}/reauthenticate",
  ...common,
  summary: "Re-authenticate with a connection",
  description:
    "Open `url` in the browser of this session, which must have a live proof by the connection (otherwise 404). The provider asks you to prove yourself again, and the callback ends with `#reauthenticated=connection:<id>`.",
  access: "signed-in",
  worksConfined: true,
  throttle: { perIp: SIGN_INS_PER_IP },
  request: { params: SsoPath },
  responses: { 200: json(AuthorizationUrl, "The address to open", { setsCookie: STATE_COOKIE }) },
  errors: [notFound, providerError],
});

const discoverRoute = route({
  operationId: "discoverConnection",
  method: "post",
  path: "/api/auth/sso/discover",
  ...common,
  summary: "Find the connection for an email address",
  description:
    "By the domain of the address alone: the response is the same whether or not there is an account with this address.",
  access: "public",
  throttle: { perIp: LOOK_UPS_PER_IP },
  request: { body: jsonBody(DiscoverBody, { email: "ada@acme.com" }) },
  responses: { 200: json(Discovered, "The connection, if the domain has one") },
});

const beginTestRoute = route({
  operationId: "testConnection",
  method: "post",
  path: "/api/organization/connections/{id}/test",
  ...common,
  summary: "Test a connection",
  description:
    "Open `url` in the same browser. The callback signs nobody in and ends with `#tested=<testId>`. Limit: 20 tests an hour for an organization.",
  access: { permission: "SingleSignOn.Update" },
  apiKeys: false,
  setup: "connection",
  refusesPlatformAdmins: forbidden,
  request: { params: ConnectionPath },
  responses: { 201: json(ConnectionTestStarted, "The test has begun", { setsCookie: STATE_COOKIE }) },
  errors: [notFound, organizationIsSuspended, tooManyRequests, providerError],
});

const showTestRoute = route({
  operationId: "getConnectionTest",
  method: "get",
  path: "/api/organization/connections/{id}/tests/{testId}",
  ...common,
  summary: "Read a test of a connection",
  description: "Readable by whoever began it, for 15 minutes.",
  access: { permission: "SingleSignOn.Update" },
  apps: false,
  apiKeys: false,
  setup: "connection",
  request: { params: ConnectionTestPath },
  responses: { 200: json(ConnectionTest, "The test") },
  errors: [notFound],
});

export const signInRoutes = new Router("connections")
  .openapi(discoverRoute, async (c) => {
    const domain = domainOf(c.req.valid("json").email);
    const [connection] = await queries.findConnectionOfDomain.run({ domain }, c.var.call.db);
    return c.json({ connection: connection ?? null }, 200);
  })
  .openapi(beginRoute, async (c) => {
    const { app } = c.var.call;
    const begun = await beginSignIn(c.var.call, c.req.valid("param").connectionId, c.req.raw);
    if ("error" in begun) return toClient(app, begun, []);
    return "page" in begun ? redirect(begun.page, []) : redirect(begun.url, [begun.cookie]);
  })
  .openapi(callbackRoute, async (c) => {
    const { app } = c.var.call;
    const states = stateCookie(app.config);
    // Clears the state cookie in error responses. A redirect sets its own cookies and clears this one too.
    c.header("set-cookie", states.cleared);
    const visit = {
      id: c.req.valid("param").connectionId,
      query: queryOf(c.req.raw.url),
      state: states.read(c.req.raw),
    };
    const { outcome, cookies } = await handleCallback(c.var.call, visit, c.req.raw);
    return back(app, outcome, cookies);
  })
  .openapi(reauthenticateRoute, async (c) => {
    const { url, cookie } = await beginReauthentication(c.var.call, c.req.valid("param").connectionId);
    return c.json({ url }, 200, { "set-cookie": cookie });
  })
  .openapi(beginTestRoute, async (c) => {
    const { testId, url, cookie } = await beginTest(c.var.call, c.req.valid("param").id);
    return c.json({ testId, url }, 201, { "set-cookie": cookie });
  })
  .openapi(showTestRoute, async (c) => {
    const { id, testId } = c.req.valid("param");
    return c.json(await showTest(c.var.call, id, testId), 200);
  });

/** Returns the redirect to the client at the end of every callback. It clears the state cookie. */
const back = (app: App, outcome: SsoOutcome, cookies: string[] = []) =>
  toClient(app, outcome, [stateCookie(app.config).cleared, ...cookies]);
