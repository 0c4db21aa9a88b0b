import { z } from "zod";
import { json, Router, route } from "#kit";
import { assertEventsOn } from "../events/errors.ts";
import { WebhookEventType } from "../webhooks/schemas.ts";
import { listEventTypes } from "./catalogue.ts";

const listEventTypesRoute = route({
  operationId: "listWebhookEventTypes",
  method: "get",
  path: "/api/webhooks/event-types",
  summary: "List the types of events",
  access: { permission: "Webhooks.Read" },
  apps: false,
  beforeBody: assertEventsOn,
  responses: { 200: json(z.array(WebhookEventType), "All types, with examples") },
});

export const eventTypeRoutes = new Router("webhooks").openapi(listEventTypesRoute, (c) =>
  c.json(listEventTypes(), 200),
);
