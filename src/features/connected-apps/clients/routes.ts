import {
  conflict,
  idempotent,
  noContent,
  notFound,
  organizationIsSuspended,
  Router,
  route,
  transaction,
} from "#kit";
import { ofOrganization } from "./owner.ts";
import { getClient, listClients } from "./read.ts";
import { CREATE, DELETE, GET, LIST, READ, ROTATE, UPDATE, WRITE } from "./route-parts.ts";
import { createClient, deleteClient, rotateSecret, updateClient } from "./write.ts";

const CLIENTS = "/api/organization/oauth-clients";
const ONE = `${CLIENTS}/{id}` as const;

const listRoute = route({
  ...LIST,
  ...READ,
  operationId: "listOAuthClients",
  path: CLIENTS,
  summary: "List the registered apps of the organization",
});

const getRoute = route({
  ...GET,
  ...READ,
  operationId: "getOAuthClient",
  path: ONE,
  summary: "Read a registered app of the organization",
  errors: [notFound],
});

const createRoute = route({
  ...CREATE,
  ...WRITE,
  operationId: "createOAuthClient",
  path: CLIENTS,
  summary: "Register an app of the organization",
  description: `${CREATE.description} An organization registers at most 50 apps.`,
  errors: [organizationIsSuspended, conflict],
});

const updateRoute = route({
  ...UPDATE,
  ...WRITE,
  operationId: "updateOAuthClient",
  path: ONE,
  summary: "Change, enable or disable a registered app of the organization",
  errors: [organizationIsSuspended, notFound],
});

const deleteRoute = route({
  ...DELETE,
  ...WRITE,
  operationId: "deleteOAuthClient",
  path: ONE,
  summary: "Delete a registered app of the organization",
  errors: [notFound],
});

const rotateRoute = route({
  ...ROTATE,
  ...WRITE,
  operationId: "rotateOAuthClientSecret",
  path: `${ONE}/rotate-secret`,
  summary: "Replace the secret of a registered app of the organization",
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
    return noContent(
      c,
      transaction(c.var.call, async (tx) =>
        deleteClient(tx, await ofOrganization(tx, { takesAway: true }), id),
      ),
    );
  })
  .openapi(rotateRoute, (c) =>
    idempotent(c, 200, async (tx) =>
      rotateSecret(tx, await ofOrganization(tx), c.req.valid("param").id, c.req.valid("json")),
    ),
  );
