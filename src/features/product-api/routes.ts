import { idempotent, json, jsonBody, notFound, planLimitReached, Router, route, tooManyRequests } from "#kit";
import { organizationOfKeyIsSuspended } from "../../core/access/errors.ts";
import { assertEventsOn, cursorExpired } from "../events/errors.ts";
import { applyChanges } from "./changes.ts";
import { Changed, ChangesBody, UsageList, UsagePath } from "./changes-schemas.ts";
import { check } from "./check.ts";
import { followFeed } from "./feed.ts";
import { FeedPage, FeedQuery } from "./feed-schemas.ts";
import { Check, CheckBody } from "./schemas.ts";
import { readUsage } from "./usage.ts";

const MAX_CHANGES_BYTES = 256 * 1024;

const checkRoute = route({
  operationId: "checkCaller",
  method: "post",
  path: "/api/product/check",
  summary: "Who is this, and what may they do?",
  description:
    "Reads everything from the database: a role that was taken away has no effect from the next call on. Knows the names of the manifest alone. Ask again before what cannot be undone.",
  access: "product",
  request: { body: jsonBody(CheckBody, { token: "eyJhbGciOiJFUzI1NiJ9…" }) },
  responses: { 200: json(Check, "The caller, or why there is none") },
});

const changesRoute = route({
  operationId: "reportChanges",
  method: "post",
  path: "/api/product/changes",
  summary: "Report what happened",
  description:
    "Usage, audit entries, events and notifications of one organization, which commit together or not at all. Repeat an unanswered call with the same key: it takes effect once. Stored responses are kept for 7 days.",
  access: "product",
  idempotent: true,
  needsIdempotencyKey: true,
  request: {
    body: jsonBody(
      ChangesBody,
      {
        organizationId: "0190c7a0-5b22-7e9d-8b60-6f7a8b9c0d1e",
        actor: null,
        usage: [{ limit: "inspections", id: "4711", amount: 1 }],
      },
      { maxBytes: MAX_CHANGES_BYTES },
    ),
  },
  responses: { 200: json(Changed, "Everything was recorded") },
  errors: [notFound, organizationOfKeyIsSuspended, planLimitReached],
});

const usageRoute = route({
  operationId: "readUsage",
  method: "get",
  path: "/api/product/organizations/{id}/usage",
  summary: "Read the usage of an organization",
  access: "product",
  request: { params: UsagePath },
  responses: { 200: json(UsageList, "Each limit of the manifest") },
  errors: [notFound],
});

const followFeedRoute = route({
  operationId: "followFeed",
  method: "get",
  path: "/api/product/feed",
  summary: "What changed?",
  description:
    "The changes of all organizations, their members and units, and of accounts, in one order and without gaps. Send the `cursor` of each response as `after` of the next request: it is the receipt of all entries before it. Start with `after=latest`, then read the lists, then follow. After 410 start again. Limit: four waiting calls of an instance.",
  access: "product",
  beforeBody: assertEventsOn,
  request: { query: FeedQuery },
  responses: { 200: json(FeedPage, "The next entries, oldest first") },
  reads: "wait",
  errors: [cursorExpired, tooManyRequests, notFound],
});

/** The routes of the product. They exist only with a manifest, and only for its key. */
export const productRoutes = new Router("product")
  .openapi(checkRoute, async (c) => c.json(await check(c.var.call, c.req.valid("json")), 200))
  .openapi(changesRoute, (c) => idempotent(c, 200, (tx) => applyChanges(tx, c.req.valid("json"))))
  .openapi(usageRoute, async (c) => c.json(await readUsage(c.var.call, c.req.valid("param").id), 200))
  .openapi(followFeedRoute, async (c) =>
    c.json(await followFeed(c.var.call, c.req.valid("query"), c.req.raw), 200),
  );
