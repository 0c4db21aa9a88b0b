import { conflict, forbidden, idempotent, noContent, notFound, Router, route, transaction } from "#kit";
import { ofOperator } from "./owner.ts";
import { getClient, listClients } from "./read.ts";
import { CREATE, DELETE, GET, LIST, ROTATE, UPDATE } from "./route-parts.ts";
import { createClient, deleteClient, rotateSecret, updateClient } from "./write.ts";

const CLIENTS = "/api/oauth-clients";
const ONE = `${CLIENTS}/{id}` as const;
/** The operator's clients belong to no organization. */
const OPERATOR = { organizationId: null };
const WRITE = { access: "platform-admin", reauthentication: { classes: ["platform"] } } as const;

const listRoute = route({
  ...LIST,
  operationId: "listPlatformOAuthClients",
  path: CLIENTS,
  summary: "List the registered apps of the operator",
  access: "platform-admin",
});

const getRoute = route({
  ...GET,
  operationId: "getPlatformOAuthClient",
  path: ONE,
  summary: "Read a registered app of the operator",
  access: "platform-admin",
  errors: [notFound],
});

const createRoute = route({
  ...CREATE,
  ...WRITE,
  operationId: "createPlatformOAuthClient",
  path: CLIENTS,
  summary: "Register an app for every organization",
  description: `${CREATE.description} The operator registers at most 200 apps.`,
  errors: [forbidden, conflict],
});

const updateRoute = route({
  ...UPDATE,
  ...WRITE,
  operationId: "updatePlatformOAuthClient",
  path: ONE,
  summary: "Change, enable or disable a registered app of the operator",
  errors: [forbidden, notFound],
});

const deleteRoute = route({
  ...DELETE,
  ...WRITE,
  operationId: "deletePlatformOAuthClient",
  path: ONE,
  summary: "Delete a registered app of the operator",
  errors: [forbidden, notFound],
});

const rotateRoute = route({
  ...ROTATE,
  ...WRITE,
  operationId: "rotatePlatformOAuthClientSecret",
  path: `${ONE}/rotate-secret`,
  summary: "Replace the secret of a registered app of the operator",
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
    return noContent(
      c,
      transaction(c.var.call, async (tx) => deleteClient(tx, await ofOperator(tx), id)),
    );
  })
  .openapi(rotateRoute, (c) =>
    idempotent(c, 200, async (tx) =>
      rotateSecret(tx, await ofOperator(tx), c.req.valid("param").id, c.req.valid("json")),
    ),
  );
