import {
  conflict,
  empty,
  idempotent,
  json,
  jsonBody,
  noContent,
  organizationIsSuspended,
  permissionNotHeld,
  Router,
  route,
} from "#kit";
import { endViolations } from "./key-end.ts";
import {
  ApiKeyPage,
  ApiKeyPath,
  ApiKeyQuery,
  CreateApiKeyBody,
  ReportKeyBody,
  RotateApiKeyBody,
  UpdateApiKeyBody,
} from "./key-schemas.ts";
import { createKey, revokeKey, rotateKey, updateKey } from "./keys.ts";
import { listKeys } from "./read.ts";
import { revokeReportedKey } from "./report.ts";
import { ApiKey, NewApiKey, ServiceAccountPath } from "./schemas.ts";

const HELD = "The caller must hold all permissions of the service account, because the key grants them.";
const ONCE =
  "The key is shown only in this response; it is null if the response is repeated for an `Idempotency-Key`.";
const END = "If the service is configured with `API_KEY_MAX_DAYS`, a key must end within that time.";
const KEYS = "/api/service-accounts/{id}/keys";

const listApiKeysRoute = route({
  operationId: "listApiKeys",
  method: "get",
  path: KEYS,
  summary: "List the keys of a service account",
  description: "Keys that ended stay listed for 90 days.",
  access: { permission: "ServiceAccounts.Read" },
  apps: false,
  request: { params: ServiceAccountPath, query: ApiKeyQuery },
  responses: { 200: json(ApiKeyPage, "A page of keys") },
});

const createApiKeyRoute = route({
  operationId: "createApiKey",
  method: "post",
  path: KEYS,
  summary: "Create a key of a service account",
  description: `${ONCE} ${HELD} ${END} A service account has at most 10 active keys.`,
  access: { permission: "ApiKeys.Create" },
  apiKeys: false,
  reauthentication: { classes: ["account"] },
  furtherViolations: ({ expiresAt }, { app }) => endViolations(app.config, expiresAt),
  request: {
    params: ServiceAccountPath,
    body: jsonBody(CreateApiKeyBody, { name: "CI", allowedIps: ["203.0.113.0/24"] }),
  },
  responses: { 201: json(NewApiKey, "The new key") },
  idempotent: true,
  shownOnce: ["key"],
  errors: [organizationIsSuspended, permissionNotHeld, conflict],
});

const updateApiKeyRoute = route({
  operationId: "updateApiKey",
  method: "patch",
  path: `${KEYS}/{keyId}`,
  summary: "Change a key's name or addresses",
  description: `\`expiresAt\` can be changed only by rotation. ${HELD}`,
  access: { permission: "ApiKeys.Create" },
  reauthentication: { classes: ["authority"], ifBodyHas: { field: "allowedIps" } },
  apiKeys: false,
  request: { params: ApiKeyPath, body: jsonBody(UpdateApiKeyBody, { allowedIps: ["203.0.113.7"] }) },
  responses: { 200: json(ApiKey, "The changed key") },
  errors: [organizationIsSuspended, permissionNotHeld, conflict],
});

const rotateApiKeyRoute = route({
  operationId: "rotateApiKey",
  method: "post",
  path: `${KEYS}/{keyId}/rotate`,
  summary: "Replace an active key",
  description: `Creates a new key with the same name and addresses. ${ONCE} The old key works for \`overlapSeconds\` longer; a key that it replaced stops now. ${HELD} ${END}`,
  access: { permission: "ApiKeys.Create" },
  apiKeys: false,
  reauthentication: { classes: ["account"] },
  request: { params: ApiKeyPath, body: jsonBody(RotateApiKeyBody, { overlapSeconds: 3600 }) },
  responses: { 201: json(NewApiKey, "The new key") },
  idempotent: true,
  shownOnce: ["key"],
  errors: [organizationIsSuspended, permissionNotHeld, conflict],
});

const revokeApiKeyRoute = route({
  operationId: "revokeApiKey",
  method: "delete",
  path: `${KEYS}/{keyId}`,
  summary: "Revoke a key",
  description:
    "The key stops working at once on all instances. The caller need not hold the permissions of the service account. Revoking a key that has ended changes nothing.",
  access: { permission: "ApiKeys.Delete" },
  apiKeys: false,
  request: { params: ApiKeyPath },
  responses: { 204: empty("The key was revoked") },
});

const reportKeyRoute = route({
  operationId: "reportApiKey",
  method: "post",
  path: "/api/auth/revoke-key",
  summary: "Revoke a leaked API key",
  description:
    "For people and programs that find a leaked key. Revokes it, and notifies the members of its organization who may create keys. Of an app's token it ends what the app was allowed, and notifies its person. The response does not tell whether the key existed.",
  access: "public",
  throttle: { perIp: true },
  request: { body: jsonBody(ReportKeyBody, { key: `mosk_${"0".repeat(40)}2kaqcA` }) },
  responses: { 204: empty("The key does not work anymore, or never existed") },
});

export const keyRoutes = new Router("service-accounts")
  .openapi(listApiKeysRoute, async (c) =>
    c.json(await listKeys(c.var.call, c.req.valid("param").id, c.req.valid("query")), 200),
  )
  .openapi(createApiKeyRoute, (c) =>
    idempotent(c, 201, (tx) => createKey(tx, c.req.valid("param").id, c.req.valid("json"))),
  )
  .openapi(updateApiKeyRoute, async (c) => {
    const { id: serviceAccountId, keyId: id } = c.req.valid("param");
    return c.json(await updateKey(c.var.call, { id, serviceAccountId }, c.req.valid("json")), 200);
  })
  .openapi(rotateApiKeyRoute, (c) => {
    const { id: serviceAccountId, keyId: id } = c.req.valid("param");
    return idempotent(c, 201, (tx) => rotateKey(tx, { id, serviceAccountId }, c.req.valid("json")));
  })
  .openapi(revokeApiKeyRoute, async (c) => {
    const { id: serviceAccountId, keyId: id } = c.req.valid("param");
    return noContent(c, revokeKey(c.var.call, { id, serviceAccountId }));
  })
  .openapi(reportKeyRoute, (c) => noContent(c, revokeReportedKey(c.var.call, c.req.valid("json").key)));
