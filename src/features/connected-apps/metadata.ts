import { Hono } from "hono";
import { type App, notFound, type RouterEnv } from "#kit";
import type { AppResource } from "../../core/access/access.ts";
import { appScopeNames } from "../../core/access/app-scopes.ts";

/** The ways in which an app says who it is at the token endpoint. */
const CLIENT_AUTHENTICATION = ["none", "client_secret_basic", "client_secret_post"];

/** The documentation of the service, by the name under which a document has it; none at the edge, which serves no pages of it. */
const documentation = (name: string, { config, timersOutliveRequests }: App) =>
  timersOutliveRequests ? { [name]: `${config.apiUrl}/docs/agents.md` } : {};

/** Describes the authorization server (RFC 8414). */
const serverMetadata = (app: App) => ({
  issuer: app.config.apiUrl,
  authorization_endpoint: `${app.config.appUrl}/authorize`,
  token_endpoint: `${app.config.apiUrl}/api/oauth/token`,
  revocation_endpoint: `${app.config.apiUrl}/api/oauth/revoke`,
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  code_challenge_methods_supported: ["S256"],
  token_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
  revocation_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
  scopes_supported: [...appScopeNames(), "offline_access"],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  ...documentation("service_documentation", app),
  ui_locales_supported: ["en", "el"],
});

/** Describes a resource, which says where apps get tokens for it (RFC 9728). */
const resourceMetadata = (resource: AppResource, app: App) => ({
  resource: `${app.config.apiUrl}/${resource}`,
  authorization_servers: [app.config.apiUrl],
  scopes_supported: appScopeNames(),
  bearer_methods_supported: ["header"],
  resource_name: app.config.passkeys.rpName,
  ...documentation("resource_documentation", app),
});

type Describe = (app: App) => object | null;
const RESOURCE = "/.well-known/oauth-protected-resource";
const ofMcp: Describe = (app) => (app.config.mcp === "off" ? null : resourceMetadata("mcp", app));

/**
 * The documents by which apps find out how to get a token (rules 46.25), by path. The one at the root is that of `/mcp`, for
 * clients that do not ask for the document of a path.
 */
export const DOCUMENTS: Readonly<Record<string, Describe>> = {
  "/.well-known/oauth-authorization-server": serverMetadata,
  [`${RESOURCE}/mcp`]: ofMcp,
  [`${RESOURCE}/api`]: (app) => resourceMetadata("api", app),
  [RESOURCE]: ofMcp,
};

export const metadataRoutes = new Hono<RouterEnv>();
for (const [path, describe] of Object.entries(DOCUMENTS))
  metadataRoutes.get(path, (c) => {
    const request = c.get("request");
    request.route = path;
    const described = request.app.config.oauth ? describe(request.app) : null;
    if (described === null) throw notFound();
    return c.json(described, 200, { "cache-control": "public, max-age=300" });
  });
