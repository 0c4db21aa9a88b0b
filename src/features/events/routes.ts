import { json, Router, route } from "#kit";
import { assertEventsOn, cursorExpired } from "./errors.ts";
import { getEvent, listEvents } from "./read.ts";
import { Event, EventPage, EventPath, EventQuery } from "./schemas.ts";

const WHO =
  "Returns only events about records that the caller has the permission to read. With a permission in units, only events of records that belonged to these units at that time.";

const listEventsRoute = route({
  operationId: "listEvents",
  method: "get",
  path: "/api/events",
  summary: "List events, oldest first",
  description: `For polling: send the \`cursor\` of each response as \`after\` of the next request. Returns each event once, in order. ${WHO}`,
  access: { permission: "Events.Read" },
  beforeBody: assertEventsOn,
  request: { query: EventQuery },
  responses: { 200: json(EventPage, "The next events") },
  reads: "list",
  errors: [cursorExpired],
});

const getEventRoute = route({
  operationId: "getEvent",
  method: "get",
  path: "/api/events/{id}",
  summary: "Read an event",
  description: WHO,
  access: { permission: "Events.Read" },
  beforeBody: assertEventsOn,
  request: { params: EventPath },
  responses: { 200: json(Event, "The event") },
});

export const eventRoutes = new Router("events")
  .openapi(listEventsRoute, async (c) => c.json(await listEvents(c.var.call, c.req.valid("query")), 200))
  .openapi(getEventRoute, async (c) => c.json(await getEvent(c.var.call, c.req.valid("param").id), 200));
