import { expect, test } from "bun:test";
import { type Service, startService } from "../../support/service.ts";

/* The documents by which apps find out how to get a token (rules 46.25 to 46.27). */

const API = "http://api.test";
const on = await startService({ OAUTH: "on", API_URL: API, WEBAUTHN_RP_NAME: "Acme" });
const ORIGIN = "https://web.test";
const configured = await startService({ OAUTH: "on", CORS_ORIGIN: ORIGIN }, { databaseUrl: on.databaseUrl });

const SERVER = "/.well-known/oauth-authorization-server";
const RESOURCE = "/.well-known/oauth-protected-resource";
const get = (path: string, service: Service = on, init: RequestInit = {}) =>
  fetch(`${service.url}${path}`, init);
const bodyOf = async (path: string) => (await (await get(path)).json()) as Record<string, unknown>;

/** On the edge no pages of the documentation are served. */
const documentation = (name: string) => (process.env.TEST_EDGE ? {} : { [name]: `${API}/docs/agents.md` });

const SCOPES = [
  "organization:read",
  "units:read",
  "units:write",
  "roles:read",
  "members:read",
  "invitations:read",
  "events:read",
  "audit:read",
  "billing:read",
  "helpdesk:read",
  "helpdesk:write",
  "todos:read",
  "todos:write",
].sort();

test("the authorization server has exactly its fields (46.25)", async () => {
  const { scopes_supported: scopes, ...rest } = await bodyOf(SERVER);
  expect((scopes as string[]).toSorted()).toEqual([...SCOPES, "offline_access"].sort());
  const methods = ["none", "client_secret_basic", "client_secret_post"];
  expect(rest).toEqual({
    issuer: API,
    authorization_endpoint: "http://app.test/authorize",
    token_endpoint: `${API}/api/oauth/token`,
    revocation_endpoint: `${API}/api/oauth/revoke`,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: methods,
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    ...documentation("service_documentation"),
    ui_locales_supported: ["en", "el"],
  });
});

test.each([
  ["/mcp", "mcp"],
  ["", "mcp"],
  ["/api", "api"],
])("the resource at %p is that of /%s (46.25)", async (path, resource) => {
  const { scopes_supported: scopes, ...rest } = await bodyOf(RESOURCE + path);
  expect((scopes as string[]).toSorted()).toEqual(SCOPES);
  expect(rest).toEqual({
    resource: `${API}/${resource}`,
    authorization_servers: [API],
    bearer_methods_supported: ["header"],
    resource_name: "Acme",
    ...documentation("resource_documentation"),
  });
});

const ALL = [SERVER, `${RESOURCE}/mcp`, RESOURCE, `${RESOURCE}/api`];

test("every document is for any origin and for five minutes, also if an origin is configured; a page may ask with further headers (46.26)", async () => {
  for (const service of [on, configured])
    for (const path of ALL) {
      const { status, headers } = await get(path, service, { headers: { origin: ORIGIN } });
      expect([status, headers.get("content-type"), headers.get("cache-control")]).toEqual([
        200,
        "application/json",
        "public, max-age=300",
      ]);
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(headers.get("access-control-allow-credentials")).toBeNull();
      expect(headers.get("set-cookie")).toBeNull();
      const preflight = await get(path, service, {
        method: "OPTIONS",
        headers: {
          origin: ORIGIN,
          "access-control-request-method": "GET",
          "access-control-request-headers": "mcp-protocol-version",
        },
      });
      expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
      expect(preflight.headers.get("access-control-allow-headers")).toBe("*");
      expect(preflight.headers.get("access-control-allow-credentials")).toBeNull();
    }
});

test("the header of a refused token at the API names the document of its resource (46.26)", async () => {
  const bad = `mosa_${"0".repeat(46)}`;
  const { status, headers } = await get("/api/units", on, { headers: { authorization: `Bearer ${bad}` } });
  const challenge = headers.get("www-authenticate") ?? "";
  expect([status, challenge.startsWith("Bearer "), challenge.includes("offline_access")]).toEqual([
    401,
    true,
    false,
  ]);
  const metadata = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? "";
  expect(await bodyOf(metadata.slice(API.length))).toMatchObject({ resource: `${API}/api` });
  const without = await get("/api/units");
  expect([without.status, without.headers.get("www-authenticate")]).toEqual([401, null]);
});
