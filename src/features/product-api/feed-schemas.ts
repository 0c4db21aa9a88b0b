import { z } from "@hono/zod-openapi";
import { timestamp, uuid, wholeNumber } from "#kit";
import { FEED_TYPES } from "#kit/inside";
import { after, cursorPageOf, cursorPageSize } from "../events/schemas.ts";

const MAX_WAIT_SECONDS = 30;
const object = z.record(z.string(), z.unknown());

export const FeedEntry = z
  .object({
    id: uuid.describe("The id of the entry. An entry that is read again has the same id."),
    type: z.enum(FEED_TYPES).openapi({ example: "member.updated" }).describe("What happened."),
    timestamp: timestamp.describe("When the change was made."),
    organizationId: uuid.nullable().describe("The organization; null for a change of an account."),
    object: object.describe(
      "The record after the change, or before its deletion. Of a deleted account only `id`: erase what you know of it.",
    ),
    previous: object.optional().describe("The previous values of the changed fields."),
    reason: z
      .enum(["removed", "left", "account_deleted"])
      .optional()
      .describe("Why a membership ended; only for `member.deleted`."),
    truncated: z
      .literal(true)
      .optional()
      .describe("Present if the record was too large. `object` then has only `id`."),
  })
  .openapi("FeedEntry");

export const FeedPage = cursorPageOf(FeedEntry).openapi("FeedPage");

export const FeedQuery = z.strictObject({
  after: after(
    "The cursor of the previous page. If omitted, begins at the oldest stored entry; `latest` begins at the end of the feed.",
  ),
  wait: wholeNumber(0, MAX_WAIT_SECONDS, 0).openapi({
    param: {
      description:
        "For how many seconds the response may wait for an entry, if there is none. Instances at the edge do not wait.",
    },
  }),
  pageSize: cursorPageSize,
});
