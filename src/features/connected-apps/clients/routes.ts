import {
  conflict,
  empty,
  idempotent,
  json,
  jsonBody,
  notFound,
  organizationIsSuspended,
  Router,
  route,
  transaction,
} from "#kit";
import { oauthIsOn } from "../../../core/access/app-config.ts";
import { ofOrganization } from "./owner.ts";
import { getClient, listClients } from "./read.ts";
import {
  CreateOAuthClientBody,
  NewOAuthClient,
  OAuthClient,
  OAuthClientPage,
  OAuthClientPath,
  OAuthClientQuery,
  RotateClientSecretBody,
  RotatedClientSecret,
  UpdateOAuthClientBody,
} from "./schemas.ts";
import { createClient, deleteClient, rotateSecret, updateClient } from "./write.ts";

const CLIENTS = "/api/organization/oauth-clients";
const ONCE = "The secret is shown only in this response; it is null if the response is repeated.";
const EXAMPLE = { name: "Reporting", redirectUris: ["https://app.example.com/oauth/callback"] };

const listRoute = route({
  operationId: "listOAuthClients",
  method: "get",
  path: CLIENTS,
  tags: ["oauth-clients"],
  summary: "List the registered apps of the organization",
  access: { permission: "Organization.Read", organizationWide: true },
  apps: false,
  existsIf: oauthIsOn,
  request: { query: OAuthClientQuery },
  responses: { 200: json(OAuthClientPage, "A page of apps") },
});

const getRoute = route({
  operationId: "getOAuthClient",
  method: "get",
  path: `${CLIENTS}/{id}`,
  tags: ["oauth-clients"],
  summary: "Read a registered app of the organization",
  access: { permission: "Organization.Read", organizationWide: true },
  apps: false,
  existsIf: oauthIsOn,
  // Counts the people who connected the app.
  reads: "list",
  request: { params: OAuthClientPath },
  responses: { 200: json(OAuthClient, "The app") },
  errors: [notFound],
});

const createRoute = route({
  operationId: "createOAuthClient",
  method: "post",
  path: CLIENTS,
  tags: ["oauth-clients"],
  summary: "Register an app of the organization",
  description: `${ONCE} An organization registers at most 50 apps.`,
  access: { permission: "Organization.Update" },
  apiKeys: false,
  reauthentication: { classes: ["authority"] },
  existsIf: oauthIsOn,
  request: { body: jsonBody(CreateOAuthClientBody, EXAMPLE) },
  responses: { 201: json(NewOAuthClient, "Registered") },
  idempotent: true,
  shownOnce: ["clientSecret"],
  errors: [organizationIsSuspended, conflict],
});

const updateRoute = route({
  operationId: "updateOAuthClient",
  method: "patch",
  path: `${CLIENTS}/{id}`,
  tags: ["oauth-clients"],
  summary: "Change, enable or disable a registered app of the organization",
  description:
    "While an app is disabled, its tokens are refused. Disabling ends nothing: enabled again, they work.",
  access: { permission: "Organization.Update" },
  apiKeys: false,
  reauthentication: { classes: ["authority"] },
  existsIf: oauthIsOn,
  request: { params: OAuthClientPath, body: jsonBody(UpdateOAuthClientBody, { enabled: false }) },
  responses: { 200: json(OAuthClient, "The changed app") },
  errors: [organizationIsSuspended, notFound],
});

const deleteRoute = route({
  operationId: "deleteOAuthClient",
  method: "delete",
  path: `${CLIENTS}/{id}`,
  tags: ["oauth-clients"],
  summary: "Delete a registered app of the organization",
  description: "What people allowed it ends at once.",
  access: { permission: "Organization.Update" },
  apiKeys: false,
  reauthentication: { classes: ["authority"] },
  existsIf: oauthIsOn,
  request: { params: OAuthClientPath },
  responses: { 204: empty("Deleted") },
  errors: [notFound],
});

const rotateRoute = route({
  operationId: "rotateOAuthClientSecret",
  method: "post",
  path: `${CLIENTS}/{id}/rotate-secret`,
  tags: ["oauth-clients"],
  summary: "Replace the secret of a registered app of the organization",
  description: `Both secrets work for \`overlapSeconds\`. ${ONCE} Returns 409 for an app without a secret.`,
  access: { permission: "Organization.Update" },
  apiKeys: false,
  reauthentication: { classes: ["authority"] },
  existsIf: oauthIsOn,
  request: { params: OAuthClientPath, body: jsonBody(RotateClientSecretBody, { overlapSeconds: 3600 }) },
  responses: { 200: json(RotatedClientSecret, "The new secret") },
  idempotent: true,
  shownOnce: ["clientSecret"],
  errors: [organizationIsSuspended, notFound, conflict],
});

export const clientRoutes = new Router()
  .openapi(listRoute, async (c) =>
    c.json(await listClients(c.var.call, c.var.call, c.req.valid("query")), 200),
  )
  .openapi(getRoute, async (c) =>
    c.json(await getClient(c.var.call.db, c.var.call, c.req.valid("param").id), 200),
  )
  .openapi(createRoute, (c) =>
    idempotent(c, 201, async (tx) => createClient(tx, await ofOrganization(tx), c.req.valid("json"))),
  )
  .openapi(updateRoute, async (c) => {
    const { id } = c.req.valid("param");
    const body = c.req.valid("json");
    const client = await transaction(c.var.call, async (tx) =>
      updateClient(tx, await ofOrganization(tx, { takesAway: body.enabled === false }), id, body),
    );
    return c.json(client, 200);
  })
  .openapi(deleteRoute, async (c) => {
    const { id } = c.req.valid("param");
    await transaction(c.var.call, async (tx) =>
      deleteClient(tx, await ofOrganization(tx, { takesAway: true }), id),
    );
    return c.body(null, 204);
  })
  .openapi(rotateRoute, (c) =>
    idempotent(c, 200, async (tx) =>
      rotateSecret(tx, await ofOrganization(tx), c.req.valid("param").id, c.req.valid("json")),
    ),
  );
