import { expect, test } from "bun:test";
import { connectApp } from "../../support/apps.ts";
import { createOrganization } from "../../support/organizations.ts";
import { outcome } from "../../support/outcomes.ts";
import { expectStatus, sharedService, startService } from "../../support/service.ts";

/* A service without apps, and one without `/mcp` (AP01; rules 46.10, 46.27, 46.60). */

const t = await sharedService({ OAUTH_APPS: "any" });
const off = await startService({ OAUTH: "off" }, { databaseUrl: t.databaseUrl });
const withoutMcp = await startService({ OAUTH: "on", MCP: "off" }, { databaseUrl: t.databaseUrl });
const org = await createOrganization(t);

const RESOURCE = "/.well-known/oauth-protected-resource";
const OF_MCP = [`GET ${RESOURCE}`, `GET ${RESOURCE}/mcp`, "POST /mcp"];
const NEVER = [
  ...["GET /.well-known/openid-configuration", `GET ${RESOURCE}/other`, `GET ${RESOURCE}/`],
  ...["GET /.well-known/oauth-authorization-server/mcp", "POST /mcp/", "POST /mcp/sse"],
  ...["GET /api/oauth/token", "GET /api/oauth/revoke"],
];
const statusAt = async (url: string, route: string) => {
  const [method = "", path = ""] = route.split(" ");
  const headers = { authorization: `Bearer ${org.admin.accessToken}`, "content-type": "application/json" };
  const response = await fetch(url + path, { method, headers, ...(method === "POST" && { body: "{}" }) });
  return response.status;
};
const statusesAt = async (url: string, routes: string[]) =>
  Promise.all(routes.map(async (route) => [route, await statusAt(url, route)]));
const absent = (routes: string[]) => routes.map((route) => [route, 404]);

test("with OAUTH=off there is no route of apps", async () => {
  const routes = [
    ...["GET /.well-known/oauth-authorization-server", `GET ${RESOURCE}/api`, ...OF_MCP, ...NEVER],
    ...["GET /llms.txt", "GET /docs/agents.md", "POST /api/oauth/authorizations"],
    `GET /api/oauth/unit-options?organizationId=${org.id}`,
    ...["POST /api/oauth/authorizations/approve", "POST /api/oauth/authorizations/deny"],
    ...["POST /api/oauth/token", "POST /api/oauth/revoke", "GET /api/oauth/self"],
    ...["OPTIONS /api/oauth/token", "OPTIONS /api/oauth/revoke"],
    ...["GET /api/profile/connected-apps", "GET /api/organization/connected-apps"],
    ...["GET /api/organization/oauth-clients", "GET /api/organization/approved-apps"],
    "GET /api/oauth-clients",
  ];
  expect(await statusesAt(off.url, routes)).toEqual(absent(routes));
});

test("with MCP=off there is nothing at /mcp and no document of it; some routes are never there", async () => {
  expect(await statusesAt(withoutMcp.url, OF_MCP)).toEqual(absent(OF_MCP));
  for (const path of ["/.well-known/oauth-authorization-server", `${RESOURCE}/api`])
    expect(await statusAt(withoutMcp.url, `GET ${path}`)).toBe(200);
  expect(await statusesAt(t.url, NEVER)).toEqual(absent(NEVER));
});

test("with OAUTH=off the tokens of apps are 401 without a challenge; with it on, the same token works", async () => {
  const { app } = await connectApp(t, org);
  const refused = await app.at(off.url).get("/api/units");
  expect([outcome(refused), refused.headers.get("www-authenticate")]).toEqual(["401 UNAUTHENTICATED", null]);
  expectStatus(await app.get("/api/units"), 200);
});
