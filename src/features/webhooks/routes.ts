import {
  conflict,
  empty,
  idempotent,
  json,
  jsonBody,
  noContent,
  organizationIsSuspended,
  permissionNotHeld,
  planLimitReached,
  Router,
  route,
  tooManyRequests,
} from "#kit";
import { assertEventsOn, cursorExpired } from "../events/errors.ts";
import {
  getDelivery,
  listDeliveries,
  recoverDeliveries,
  resendDelivery,
  testEndpoint,
} from "./deliveries.ts";
import { createEndpoint, deleteEndpoint, rotateSecret, updateEndpoint } from "./endpoints.ts";
import { listEndpoints, showEndpoint } from "./read.ts";
import {
  CreateWebhookEndpointBody,
  NewWebhookEndpoint,
  RecoveredWebhooks,
  RecoverWebhookBody,
  RotatedWebhookSecret,
  RotateWebhookSecretBody,
  UpdateWebhookEndpointBody,
  WebhookDelivery,
  WebhookDeliveryDetails,
  WebhookDeliveryPage,
  WebhookDeliveryPath,
  WebhookDeliveryQuery,
  WebhookEndpoint,
  WebhookEndpointPage,
  WebhookEndpointPath,
  WebhookEndpointQuery,
} from "./schemas.ts";

const ENDPOINTS = "/api/webhooks/endpoints";
const READ = {
  access: { permission: "Webhooks.Read" as const },
  apps: false,
  beforeBody: assertEventsOn,
};
const UPDATE = {
  access: { permission: "Webhooks.Update" as const },
  beforeBody: assertEventsOn,
};
const HELD = "The caller must hold the permissions of all its event types for the whole organization.";
const ONCE =
  "The secret is shown only in this response; it is null if the response is repeated for an `Idempotency-Key`.";

const listEndpointsRoute = route({
  operationId: "listWebhookEndpoints",
  method: "get",
  path: ENDPOINTS,
  ...READ,
  summary: "List webhook endpoints",
  description: "`search` matches addresses and descriptions.",
  request: { query: WebhookEndpointQuery },
  responses: { 200: json(WebhookEndpointPage, "A page of endpoints") },
});

const getEndpointRoute = route({
  operationId: "getWebhookEndpoint",
  method: "get",
  path: `${ENDPOINTS}/{id}`,
  ...READ,
  summary: "Read a webhook endpoint",
  request: { params: WebhookEndpointPath },
  responses: { 200: json(WebhookEndpoint, "The endpoint") },
});

const createEndpointRoute = route({
  operationId: "createWebhookEndpoint",
  method: "post",
  path: ENDPOINTS,
  summary: "Create a webhook endpoint",
  description: `Events are sent as POST requests that are signed by the Standard Webhooks specification. ${ONCE} ${HELD} An organization has at most 50 endpoints.`,
  access: { permission: "Webhooks.Create" },
  reauthentication: { classes: ["authority"] },
  beforeBody: assertEventsOn,
  request: {
    body: jsonBody(CreateWebhookEndpointBody, {
      url: "https://hooks.example.com/events",
      eventTypes: ["unit.created"],
    }),
  },
  responses: { 201: json(NewWebhookEndpoint, "Created") },
  idempotent: true,
  shownOnce: ["secret"],
  errors: [organizationIsSuspended, permissionNotHeld, conflict, planLimitReached],
});

const updateEndpointRoute = route({
  operationId: "updateWebhookEndpoint",
  method: "patch",
  path: `${ENDPOINTS}/{id}`,
  ...UPDATE,
  summary: "Change, enable or disable a webhook endpoint",
  description: `While an endpoint is disabled, events are not queued for it. To change the address or the types, and to enable it: ${HELD.charAt(0).toLowerCase()}${HELD.slice(1)}`,
  reauthentication: { classes: ["authority"] },
  request: { params: WebhookEndpointPath, body: jsonBody(UpdateWebhookEndpointBody, { enabled: false }) },
  responses: { 200: json(WebhookEndpoint, "The changed endpoint") },
  errors: [organizationIsSuspended, permissionNotHeld],
});

const deleteEndpointRoute = route({
  operationId: "deleteWebhookEndpoint",
  method: "delete",
  path: `${ENDPOINTS}/{id}`,
  summary: "Delete a webhook endpoint",
  description: "Pending deliveries are not sent.",
  access: { permission: "Webhooks.Delete" },
  beforeBody: assertEventsOn,
  request: { params: WebhookEndpointPath },
  responses: { 204: empty("Deleted") },
});

const rotateSecretRoute = route({
  operationId: "rotateWebhookSecret",
  method: "post",
  path: `${ENDPOINTS}/{id}/rotate-secret`,
  ...UPDATE,
  summary: "Replace the secret of a webhook endpoint",
  description: `Both secrets sign for \`overlapSeconds\`. ${ONCE} ${HELD}`,
  reauthentication: { classes: ["authority"] },
  request: { params: WebhookEndpointPath, body: jsonBody(RotateWebhookSecretBody, { overlapSeconds: 3600 }) },
  responses: { 200: json(RotatedWebhookSecret, "The new secret") },
  idempotent: true,
  shownOnce: ["secret"],
  errors: [organizationIsSuspended, permissionNotHeld],
});

const testEndpointRoute = route({
  operationId: "testWebhookEndpoint",
  method: "post",
  path: `${ENDPOINTS}/{id}/test`,
  ...UPDATE,
  summary: "Send a test event to a webhook endpoint",
  description: "Limit: ten tests a minute for an organization.",
  request: { params: WebhookEndpointPath },
  responses: { 202: json(WebhookDelivery, "The delivery, which is attempted once") },
  idempotent: true,
  errors: [organizationIsSuspended, conflict, tooManyRequests],
});

const listDeliveriesRoute = route({
  operationId: "listWebhookDeliveries",
  method: "get",
  path: `${ENDPOINTS}/{id}/deliveries`,
  ...READ,
  summary: "List the deliveries of a webhook endpoint, newest first",
  request: { params: WebhookEndpointPath, query: WebhookDeliveryQuery },
  responses: { 200: json(WebhookDeliveryPage, "A page of deliveries") },
  reads: "list",
  errors: [cursorExpired],
});

const getDeliveryRoute = route({
  operationId: "getWebhookDelivery",
  method: "get",
  path: `${ENDPOINTS}/{id}/deliveries/{deliveryId}`,
  ...READ,
  summary: "Read a delivery with its attempts and its event",
  request: { params: WebhookDeliveryPath },
  responses: { 200: json(WebhookDeliveryDetails, "The delivery") },
});

const resendDeliveryRoute = route({
  operationId: "resendWebhookDelivery",
  method: "post",
  path: `${ENDPOINTS}/{id}/deliveries/{deliveryId}/resend`,
  ...UPDATE,
  summary: "Send a delivery again",
  description:
    "Makes one attempt, without retries, with the same `webhook-id`. The caller must hold the permission of its type for the whole organization.",
  request: { params: WebhookDeliveryPath },
  responses: { 202: json(WebhookDelivery, "The delivery") },
  idempotent: true,
  errors: [organizationIsSuspended, permissionNotHeld, conflict],
});

const recoverRoute = route({
  operationId: "recoverWebhookDeliveries",
  method: "post",
  path: `${ENDPOINTS}/{id}/recover`,
  ...UPDATE,
  summary: "Deliver the events that a webhook endpoint missed",
  description: "Events of the period without a successful delivery become pending, at most 100,000.",
  request: {
    params: WebhookEndpointPath,
    body: jsonBody(RecoverWebhookBody, { from: "2026-01-31T09:30:00.000Z" }),
  },
  responses: { 202: json(RecoveredWebhooks, "How many deliveries became pending") },
  idempotent: true,
  errors: [organizationIsSuspended, conflict],
});

export const webhookRoutes = new Router("webhooks")
  .openapi(listEndpointsRoute, async (c) =>
    c.json(await listEndpoints(c.var.call, c.req.valid("query")), 200),
  )
  .openapi(getEndpointRoute, async (c) => {
    const { organizationId, db } = c.var.call;
    return c.json(await showEndpoint(organizationId, c.req.valid("param").id, db), 200);
  })
  .openapi(createEndpointRoute, (c) => idempotent(c, 201, (tx) => createEndpoint(tx, c.req.valid("json"))))
  .openapi(updateEndpointRoute, async (c) =>
    c.json(await updateEndpoint(c.var.call, c.req.valid("param").id, c.req.valid("json")), 200),
  )
  .openapi(deleteEndpointRoute, (c) => noContent(c, deleteEndpoint(c.var.call, c.req.valid("param").id)))
  .openapi(rotateSecretRoute, (c) =>
    idempotent(c, 200, (tx) => rotateSecret(tx, c.req.valid("param").id, c.req.valid("json"))),
  )
  .openapi(testEndpointRoute, (c) => idempotent(c, 202, (tx) => testEndpoint(tx, c.req.valid("param").id)))
  .openapi(listDeliveriesRoute, async (c) =>
    c.json(await listDeliveries(c.var.call, c.req.valid("param").id, c.req.valid("query")), 200),
  )
  .openapi(getDeliveryRoute, async (c) => c.json(await getDelivery(c.var.call, c.req.valid("param")), 200))
  .openapi(resendDeliveryRoute, (c) => idempotent(c, 202, (tx) => resendDelivery(tx, c.req.valid("param"))))
  .openapi(recoverRoute, (c) =>
    idempotent(c, 202, (tx) => recoverDeliveries(tx, c.req.valid("param").id, c.req.valid("json"))),
  );
