import { json, notFound, Router, route, tooManyRequests } from "#kit";
import { assertEventsOn, cursorExpired } from "../events/errors.ts";
import { followFeed } from "./feed.ts";
import { FeedPage, FeedQuery } from "./feed-schemas.ts";

const followFeedRoute = route({
  operationId: "followFeed",
  method: "get",
  path: "/api/product/feed",
  tags: ["product"],
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

export const feedRoutes = new Router().openapi(followFeedRoute, async (c) =>
  c.json(await followFeed(c.var.call, c.req.valid("query"), c.req.raw), 200),
);
