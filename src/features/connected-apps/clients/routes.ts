import {
  conflict,
  empty,
  idempotent,
  json,
  jsonBody,
  noContent,
  notFound,
  Router,
  route,
  type Tx,
  transaction,
} from "#kit";
import { oauthIsOn } from "../config.ts";
import { type Kind, OPERATOR, ORGANIZATION } from "./kinds.ts";
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

export const COMMON = { existsIf: oauthIsOn };

const ONCE = "The secret is shown only in this response; it is null if the response is repeated.";
const EXAMPLE = { name: "Reporting", redirectUris: ["https://app.example.com/oauth/callback"] };

function routesOf({ path, record, owner, register, read, refused, ownerOf, begin, ...kind }: Kind) {
  const one = `${path}/{id}` as const;
  const write = { ...kind.write, apiKeys: false } as const;

  const list = route({
    ...COMMON,
    ...read,
    operationId: `list${record}s`,
    method: "get",
    path,
    summary: `List the registered apps of ${owner}`,
    request: { query: OAuthClientQuery },
    responses: { 200: json(OAuthClientPage, "A page of apps") },
  });
  const get = route({
    ...COMMON,
    ...read,
    operationId: `get${record}`,
    method: "get",
    path: one,
    summary: `Read a registered app of ${owner}`,
    // Counts the people who connected the app.
    reads: "list",
    request: { params: OAuthClientPath },
    responses: { 200: json(OAuthClient, "The app") },
    errors: [notFound],
  });
  const create = route({
    ...COMMON,
    ...write,
    operationId: `create${record}`,
    method: "post",
    path,
    summary: register.summary,
    description: `${ONCE} ${register.most}`,
    request: { body: jsonBody(CreateOAuthClientBody, EXAMPLE) },
    responses: { 201: json(NewOAuthClient, "Registered") },
    idempotent: true,
    shownOnce: ["clientSecret"],
    errors: [...refused.write, conflict],
  });
  const update = route({
    ...COMMON,
    ...write,
    operationId: `update${record}`,
    method: "patch",
    path: one,
    summary: `Change, enable or disable a registered app of ${owner}`,
    description:
      "While an app is disabled, its tokens are refused. Disabling ends nothing: enabled again, they work.",
    request: { params: OAuthClientPath, body: jsonBody(UpdateOAuthClientBody, { enabled: false }) },
    responses: { 200: json(OAuthClient, "The changed app") },
    errors: [...refused.write, notFound],
  });
  const remove = route({
    ...COMMON,
    ...write,
    operationId: `delete${record}`,
    method: "delete",
    path: one,
    summary: `Delete a registered app of ${owner}`,
    description: "What people allowed it ends at once.",
    request: { params: OAuthClientPath },
    responses: { 204: empty("Deleted") },
    errors: [...refused.takesAway, notFound],
  });
  const rotate = route({
    ...COMMON,
    ...write,
    operationId: `rotate${record}Secret`,
    method: "post",
    path: `${one}/rotate-secret`,
    summary: `Replace the secret of a registered app of ${owner}`,
    description: `Both secrets work for \`overlapSeconds\`. ${ONCE} Returns 409 for an app without a secret.`,
    request: { params: OAuthClientPath, body: jsonBody(RotateClientSecretBody, { overlapSeconds: 3600 }) },
    responses: { 200: json(RotatedClientSecret, "The new secret") },
    idempotent: true,
    shownOnce: ["clientSecret"],
    errors: [...refused.write, notFound, conflict],
  });

  return new Router("oauth-clients")
    .openapi(list, async (c) =>
      c.json(await listClients(c.var.call, ownerOf(c.var.call), c.req.valid("query")), 200),
    )
    .openapi(get, async (c) =>
      c.json(await getClient(c.var.call.db, ownerOf(c.var.call), c.req.valid("param").id), 200),
    )
    .openapi(create, (c) =>
      idempotent(c, 201, async (tx) =>
        createClient(tx, await begin(tx, { takesAway: false }), c.req.valid("json")),
      ),
    )
    .openapi(update, async (c) => {
      const { id } = c.req.valid("param");
      const body = c.req.valid("json");
      const takesAway = body.enabled === false;
      const client = await transaction(c.var.call, async (tx) =>
        updateClient(tx, await begin(tx, { takesAway }), id, body),
      );
      return c.json(client, 200);
    })
    .openapi(remove, (c) => {
      const { id } = c.req.valid("param");
      const work = async (tx: Tx<typeof c.var.call>) =>
        deleteClient(tx, await begin(tx, { takesAway: true }), id);
      return noContent(c, transaction(c.var.call, work));
    })
    .openapi(rotate, (c) =>
      idempotent(c, 200, async (tx) =>
        rotateSecret(tx, await begin(tx, { takesAway: false }), c.req.valid("param").id, c.req.valid("json")),
      ),
    );
}

export const clientRoutes = routesOf(ORGANIZATION);
export const platformClientRoutes = routesOf(OPERATOR);
