import type { z } from "zod";
import { memoizePerApp, Permits, type Release, tooManyRequests } from "#kit";
import type { ProductCall } from "#kit/inside";
import * as queries from "#sql/product-feed";
import { decodeCursor, encodeCursor } from "../events/cursor.ts";
import { cursorExpired } from "../events/errors.ts";
import type { FeedEntry, FeedQuery } from "./feed-schemas.ts";
import { feedWaitsOf } from "./feed-waits.ts";
import { LIMITS } from "./limits.ts";

const LIST = "feed";
const MS_PER_SECOND = 1_000;

const stateOf = memoizePerApp(() => ({
  waiting: new Permits(LIMITS.feedWaits.levels, { instance: () => tooManyRequests(1) }),
  reads: new Permits(LIMITS.feedReads.levels),
  /** The latest position that this instance knows to be recorded. */
  receipt: -1n,
}));

type Query = z.output<typeof FeedQuery>;
type Page = { data: z.output<typeof FeedEntry>[]; cursor: string; hasMore: boolean };

/**
 * Returns the entries after a cursor, oldest first. If there are none, waits for the next one as long as the query says
 * (not at the edge).
 * @throws validationFailed for a text that is no cursor; cursorExpired; tooManyRequests if four calls wait already
 */
export async function followFeed(call: ProductCall, query: Query, request: Request): Promise<Page> {
  const { app, db } = call;
  const { reads, waiting } = stateOf(app);
  const waits = feedWaitsOf(app);
  const until = performance.now() + (app.timersOutliveRequests ? query.wait * MS_PER_SECOND : 0);
  let release: Release | null = null;
  try {
    for (;;) {
      const { version } = waits;
      const deadlineAt = performance.now() + db.maxWaitMs;
      const page = await reads.run({ instance: "" }, { request, deadlineAt }, () => readFeed(call, query));
      if (page.data.length > 0 || query.after === "latest" || performance.now() >= until) return page;
      release ??= waiting.take({ instance: "" });
      const wait = { until, signal: request.signal };
      if (!(await db.excludeFromDeadline(() => waits.next(version, wait)))) return page;
    }
  } finally {
    release?.();
  }
}

async function readFeed(call: ProductCall, { after, pageSize }: Query): Promise<Page> {
  const [numbering] = await queries.findFeedNumbering.run(undefined, call.db);
  if (numbering === undefined) throw new Error("The feed has no numbering");
  const { lastPosition: last, epoch } = numbering;
  const start = startOf(after, numbering);
  if (after !== null && after !== "latest") await recordReceipt(call, start);
  const window = { after: start, last, max: pageSize + 1 };
  const rows = start === last ? [] : await queries.listFeed.run(window, call.db);
  // The numbers have no gaps. If the next one is missing, its day was dropped after the numbering had been read.
  if (start !== last && rows[0]?.position !== String(BigInt(start) + 1n)) throw cursorExpired();
  const page = rows.slice(0, pageSize);
  return {
    data: page.map(present),
    cursor: encodeCursor({ list: LIST, epoch, position: page.at(-1)?.position ?? start }),
    hasMore: rows.length > pageSize,
  };
}

type Numbering = queries.IFindFeedNumberingResult;

/** Returns the number of the entry after which a page begins. */
function startOf(after: string | null, { lastPosition, oldestKept, epoch }: Numbering): string {
  const before = String(BigInt(oldestKept) - 1n);
  if (after === null) return before;
  if (after === "latest") return lastPosition;
  const cursor = decodeCursor(LIST, after, (position) => /^\d{1,18}$/.test(position));
  const position = BigInt(cursor.position);
  if (cursor.epoch !== epoch || position < BigInt(before) || position > BigInt(lastPosition))
    throw cursorExpired();
  return cursor.position;
}

/** Records the cursor as the receipt of all entries before it, for the metric that shows who is behind. */
async function recordReceipt({ app, db }: ProductCall, position: string): Promise<void> {
  const state = stateOf(app);
  if (BigInt(position) <= state.receipt) return;
  await queries.recordReceipt.run({ position }, db.writes);
  state.receipt = BigInt(position);
}

const present = ({ id, type, occurredAt, organizationId, data }: queries.IListFeedResult) =>
  ({
    id,
    type,
    timestamp: occurredAt.toISOString(),
    organizationId,
    ...(data as object),
  }) as z.output<typeof FeedEntry>;
