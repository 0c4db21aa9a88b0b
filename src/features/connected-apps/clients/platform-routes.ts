import {
  conflict,
  empty,
  forbidden,
  idempotent,
  json,
  jsonBody,
  notFound,
  Router,
  route,
  transaction,
} from "#kit";
import { oauthIsOn } from "../../../core/access/app-config.ts";
import { ofOperator } from "./owner.ts";
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

const CLIENTS = "/api/oauth-clients";
const ONCE = "The secret is shown only in this response; it is null if the response is repeated.";
const EXAMPLE = { name: "Reporting", redirectUris: ["https://app.example.com/oauth/callback"] };
/** The operator's clients belong to no organization. */
const OPERATOR = { organizationId: null };

const listRoute = route({
  operationId: "listPlatformOAuthClients",
  method: "get",
  path: CLIENTS,
  tags: ["oauth-clients"],
  summary: "List the registered apps of the operator",
  access: "platform-admin",
  existsIf: oauthIsOn,
  request: { query: OAuthClientQuery },
  responses: { 200: json(OAuthClientPage, "A page of apps") },
});

const getRoute = route({
  operationId: "getPlatformOAuthClient",
  method: "get",
  path: `${CLIENTS}/{id}`,
  tags: ["oauth-clients"],
  summary: "Read a registered app of the operator",
  access: "platform-admin",
  existsIf: oauthIsOn,
  // Counts the people who connected the app.
  reads: "list",
  request: { params: OAuthClientPath },
  responses: { 200: json(OAuthClient, "The app") },
  errors: [notFound],
});

const createRoute = route({
  operationId: "createPlatformOAuthClient",
  method: "post",
  path: CLIENTS,
  tags: ["oauth-clients"],
  summary: "Register an app for every organization",
  description: `${ONCE} The operator registers at most 200 apps.`,
  access: "platform-admin",
  reauthentication: { classes: ["platform"] },
  existsIf: oauthIsOn,
  request: { body: jsonBody(CreateOAuthClientBody, EXAMPLE) },
  responses: { 201: json(NewOAuthClient, "Registered") },
  idempotent: true,
  shownOnce: ["clientSecret"],
  errors: [forbidden, conflict],
});

const updateRoute = route({
  operationId: "updatePlatformOAuthClient",
  method: "patch",
  path: `${CLIENTS}/{id}`,
  tags: ["oauth-clients"],
  summary: "Change, enable or disable a registered app of the operator",
  description:
    "While an app is disabled, its tokens are refused. Disabling ends nothing: enabled again, they work.",
  access: "platform-admin",
  reauthentication: { classes: ["platform"] },
  existsIf: oauthIsOn,
  request: { params: OAuthClientPath, body: jsonBody(UpdateOAuthClientBody, { enabled: false }) },
  responses: { 200: json(OAuthClient, "The changed app") },
  errors: [forbidden, notFound],
});

const deleteRoute = route({
  operationId: "deletePlatformOAuthClient",
  method: "delete",
  path: `${CLIENTS}/{id}`,
  tags: ["oauth-clients"],
  summary: "Delete a registered app of the operator",
  description: "What people allowed it ends at once.",
  access: "platform-admin",
  reauthentication: { classes: ["platform"] },
  existsIf: oauthIsOn,
  request: { params: OAuthClientPath },
  responses: { 204: empty("Deleted") },
  errors: [forbidden, notFound],
});

const rotateRoute = route({
  operationId: "rotatePlatformOAuthClientSecret",
  method: "post",
  path: `${CLIENTS}/{id}/rotate-secret`,
  tags: ["oauth-clients"],
  summary: "Replace the secret of a registered app of the operator",
  description: `Both secrets work for \`overlapSeconds\`. ${ONCE} Returns 409 for an app without a secret.`,
  access: "platform-admin",
  reauthentication: { classes: ["platform"] },
  existsIf: oauthIsOn,
  request: { params: OAuthClientPath, body: jsonBody(RotateClientSecretBody, { overlapSeconds: 3600 }) },
  responses: { 200: json(RotatedClientSecret, "The new secret") },
  idempotent: true,
  shownOnce: ["clientSecret"],
  errors: [forbidden, notFound, conflict],
});

export const platformClientRoutes = new Router()
  .openapi(listRoute, async (c) => c.json(await listClients(c.var.call, OPERATOR, c.req.valid("query")), 200))
  .openapi(getRoute, async (c) =>
    c.json(await getClient(c.var.call.db, OPERATOR, c.req.valid("param").id), 200),
  )
  .openapi(createRoute, (c) =>
    idempotent(c, 201, async (tx) => createClient(tx, await ofOperator(tx), c.req.valid("json"))),
  )
  .openapi(updateRoute, async (c) => {
    const { id } = c.req.valid("param");
    const body = c.req.valid("json");
    const client = await transaction(c.var.call, async (tx) =>
      updateClient(tx, await ofOperator(tx), id, body),
    );
    return c.json(client, 200);
  })
  .openapi(deleteRoute, async (c) => {
    const { id } = c.req.valid("param");
    await transaction(c.var.call, async (tx) => deleteClient(tx, await ofOperator(tx), id));
    return c.body(null, 204);
  })
  .openapi(rotateRoute, (c) =>
    idempotent(c, 200, async (tx) =>
      rotateSecret(tx, await ofOperator(tx), c.req.valid("param").id, c.req.valid("json")),
    ),
  );
