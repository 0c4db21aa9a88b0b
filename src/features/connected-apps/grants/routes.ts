import { empty, json, noContent, Router, route } from "#kit";
import { oauthIsOn } from "../config.ts";
import { ConnectedAppOfMember } from "../schemas.ts";
import {
  ConnectedAppPage,
  ConnectedAppPath,
  ConnectedAppQuery,
  OwnConnectedApps,
  OwnGrant,
} from "./schemas.ts";
import {
  endGrantOfMember,
  endOwnGrant,
  endOwnGrants,
  getConnectedApp,
  getOwnGrant,
  listConnectedApps,
  listOwnConnectedApps,
} from "./service.ts";

const OWN = "/api/profile/connected-apps";
const OF_ORGANIZATION = "/api/organization/connected-apps";
const IN_REACH =
  "If the caller holds the permission only in units, a member's apps are in reach only if all roles and units of the member are in these units and their sub-units.";
const AT_ONCE = "No token of the app works any more once this returns. Repeating it changes nothing.";

const COMMON = { existsIf: oauthIsOn };
const OF_CALLER = { ...COMMON, access: "signed-in", worksConfined: true } as const;
const OF_MEMBERS = { ...COMMON, apiKeys: false } as const;

const listOwnConnectedAppsRoute = route({
  ...OF_CALLER,
  operationId: "listOwnConnectedApps",
  method: "get",
  path: OWN,
  summary: "List your connected apps",
  description:
    "Of all your organizations, newest first. A session that is confined to an organization sees the apps of that organization.",
  responses: { 200: json(OwnConnectedApps, "The connected apps") },
});

const disconnectOwnAppRoute = route({
  ...OF_CALLER,
  operationId: "disconnectOwnApp",
  method: "delete",
  path: `${OWN}/{id}`,
  summary: "Disconnect one of your apps",
  description: AT_ONCE,
  request: { params: ConnectedAppPath },
  responses: { 204: empty("The app is not connected") },
});

const disconnectOwnAppsRoute = route({
  ...OF_CALLER,
  operationId: "disconnectOwnApps",
  method: "delete",
  path: OWN,
  summary: "Disconnect all your apps",
  description: `In all your organizations; in a session that is confined to an organization, only there. ${AT_ONCE}`,
  responses: { 204: empty("No app is connected") },
});

const listConnectedAppsRoute = route({
  ...OF_MEMBERS,
  operationId: "listConnectedApps",
  method: "get",
  path: OF_ORGANIZATION,
  summary: "List the connected apps of members",
  description: `${IN_REACH} \`search\` matches names and hosts of apps, and names and email addresses of members.`,
  access: { permission: "ConnectedApps.Read" },
  apps: false,
  request: { query: ConnectedAppQuery },
  responses: { 200: json(ConnectedAppPage, "A page of connected apps") },
});

const getConnectedAppRoute = route({
  ...OF_MEMBERS,
  operationId: "getConnectedApp",
  method: "get",
  path: `${OF_ORGANIZATION}/{id}`,
  summary: "Read a connected app of a member",
  description: IN_REACH,
  access: { permission: "ConnectedApps.Read" },
  apps: false,
  request: { params: ConnectedAppPath },
  responses: { 200: json(ConnectedAppOfMember, "The connected app") },
});

const disconnectAppRoute = route({
  ...OF_MEMBERS,
  operationId: "disconnectApp",
  method: "delete",
  path: `${OF_ORGANIZATION}/{id}`,
  summary: "Disconnect an app of a member",
  description: `${AT_ONCE} Works in a suspended organization, and needs none of the permissions that the app has. The member is notified. ${IN_REACH}`,
  access: { permission: "ConnectedApps.Delete" },
  request: { params: ConnectedAppPath },
  responses: { 204: empty("The app is not connected") },
});

const getOwnGrantRoute = route({
  ...COMMON,
  operationId: "getOwnConnectedApp",
  method: "get",
  path: "/api/oauth/self",
  summary: "Read the connected app that calls",
  description: "Returns what the app may do now, in the form that permissions have in an access token.",
  access: "app",
  responses: { 200: json(OwnGrant, "The app, its person and its permissions") },
});

export const grantRoutes = new Router("connected-apps")
  .openapi(listOwnConnectedAppsRoute, async (c) => c.json(await listOwnConnectedApps(c.var.call), 200))
  .openapi(disconnectOwnAppRoute, (c) => noContent(c, endOwnGrant(c.var.call, c.req.valid("param").id)))
  .openapi(disconnectOwnAppsRoute, (c) => noContent(c, endOwnGrants(c.var.call)))
  .openapi(listConnectedAppsRoute, async (c) =>
    c.json(await listConnectedApps(c.var.call, c.req.valid("query")), 200),
  )
  .openapi(getConnectedAppRoute, async (c) =>
    c.json(await getConnectedApp(c.var.call, c.req.valid("param").id), 200),
  )
  .openapi(disconnectAppRoute, (c) => noContent(c, endGrantOfMember(c.var.call, c.req.valid("param").id)))
  .openapi(getOwnGrantRoute, async (c) => c.json(await getOwnGrant(c.var.call), 200));
