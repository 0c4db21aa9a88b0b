import { empty, forbidden, json, noContent, notFound, Router, route } from "#kit";
import { deleteIdentity } from "./connection-delete.ts";
import { listGroups, listIdentities } from "./connection-read.ts";
import { CONNECTIONS, common, credentials } from "./connection-routes.ts";
import { ConnectionPath } from "./connection-schemas.ts";
import {
  SsoGroupPage,
  SsoGroupQuery,
  SsoIdentityPage,
  SsoIdentityPath,
  SsoIdentityQuery,
} from "./people-schemas.ts";

const listIdentitiesRoute = route({
  operationId: "listSsoIdentities",
  method: "get",
  path: `${CONNECTIONS}/{id}/identities`,
  ...common,
  summary: "List the people of a connection",
  description: "Needs `Members.Read` for the whole organization too. `search` matches email and names.",
  access: { permission: "SingleSignOn.Read" },
  apps: false,
  request: { params: ConnectionPath, query: SsoIdentityQuery },
  responses: { 200: json(SsoIdentityPage, "A page of people") },
  errors: [forbidden],
});

const deleteIdentityRoute = route({
  operationId: "deleteSsoIdentity",
  method: "delete",
  path: `${CONNECTIONS}/{id}/identities/{userId}`,
  ...credentials,
  summary: "Unlink a person from a connection",
  description: "The next sign-in by the connection links anew.",
  access: { permission: "SingleSignOn.Update" },
  request: { params: SsoIdentityPath },
  responses: { 204: empty("Unlinked") },
  errors: [notFound],
});

const listGroupsRoute = route({
  operationId: "listSsoGroups",
  method: "get",
  path: `${CONNECTIONS}/{id}/groups`,
  ...common,
  summary: "List the groups that were seen at sign-ins",
  access: { permission: "SingleSignOn.Read" },
  apps: false,
  request: { params: ConnectionPath, query: SsoGroupQuery },
  responses: { 200: json(SsoGroupPage, "A page of groups") },
});

/** The people who are linked to a connection, and the groups that they had at their last sign-ins. */
export const peopleRoutes = new Router("connections")
  .openapi(listIdentitiesRoute, async (c) => {
    const { call } = c.var;
    if (!call.permissions.holdsEverywhere(["Members.Read"])) throw forbidden();
    return c.json(await listIdentities(call, c.req.valid("param").id, c.req.valid("query")), 200);
  })
  .openapi(deleteIdentityRoute, async (c) => {
    const { id, userId } = c.req.valid("param");
    return noContent(c, deleteIdentity(c.var.call, id, userId));
  })
  .openapi(listGroupsRoute, async (c) =>
    c.json(await listGroups(c.var.call, c.req.valid("param").id, c.req.valid("query")), 200),
  );
