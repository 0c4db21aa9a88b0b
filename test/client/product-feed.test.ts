import { afterAll, expect, test } from "bun:test";
import type { FeedEntry, FeedOptions } from "../../src/client/server.ts";
import { failure, productAt, startProductServer } from "../support/product-server.ts";

/* `feed` of the subpath `/server`, at a server of the test with a feed of numbered entries. */

const FEED = "/api/product/feed";
type Query = Record<string, string>;
let entries = 0;
/** Answers in place of the feed, first one first. */
let instead: ((query: Query) => Response | Promise<Response>)[] = [];

const entryOf = (number: number) => ({
  id: String(number),
  type: "user.deleted",
  timestamp: "2026-11-28T22:00:00.000Z",
  organizationId: null,
  object: { id: `user-${number}` },
});

/** Pages of two entries; a cursor is the number of the entries before it. */
function page({ after = "0" }: Query): Response {
  const from = after === "latest" ? entries : Number(after);
  const to = Math.min(entries, from + 2);
  const data = Array.from({ length: to - from }, (_, index) => entryOf(from + index + 1));
  return Response.json({ data, cursor: String(to), hasMore: to < entries });
}
const server = startProductServer({ [`GET ${FEED}`]: ({ query }) => (instead.shift() ?? page)(query) });
afterAll(() => server.stop());

/** Follows the feed until an entry has this id, or until the feed has paused this often. */
async function follow(
  options: Partial<FeedOptions>,
  { until, handle }: { until?: string; handle?: (entry: FeedEntry) => unknown } = {},
) {
  const { product, pauses, clock } = productAt(server.url);
  const log: string[] = [];
  const end = new AbortController();
  const feed = product.feed({
    after: null,
    save: (cursor) => void log.push(`save ${cursor}`),
    signal: end.signal,
    ...options,
  });
  for await (const entry of feed) {
    log.push(entry.id);
    await handle?.(entry);
    if (entry.id === until) break;
  }
  return { log, pauses, clock };
}

function begin(count: number) {
  entries = count;
  instead = [];
  server.requests.length = 0;
}
const queries = () => server.to(FEED).map(({ query }) => query);

test("`feed` yields every entry after the cursor, and stores each page's cursor after its entries were handled", async () => {
  begin(5);
  const { log } = await follow({ after: "0" }, { until: "5" });
  expect(log).toEqual(["1", "2", "save 2", "3", "4", "save 4", "5"]);
  expect(queries()).toEqual(["0", "2", "4"].map((after) => ({ after, wait: "30", pageSize: "100" })));
});

test("an entry whose handling fails is not stored, and comes again", async () => {
  begin(4);
  const saved: string[] = [];
  const save = (cursor: string) => void saved.push(cursor);
  const handle = ({ id }: FeedEntry) => {
    if (id === "4") throw new Error("No");
  };
  expect(follow({ after: "0", save }, { handle })).rejects.toThrow("No");
  await follow({ after: "0", save }, { handle }).catch(() => {});
  expect(new Set(saved)).toEqual(new Set(["2"]));
  const { log } = await follow({ after: "2" }, { until: "4" });
  expect(log).toEqual(["3", "4"]);
});

test("without a cursor, `onExpired` reads the lists between the end of the feed and storing it: nothing falls between", async () => {
  begin(3);
  const log: string[] = [];
  const options = {
    save: (cursor: string) => void log.push(`save ${cursor}`),
    async onExpired() {
      log.push("lists");
      // A change while the lists are read.
      entries += 1;
    },
  };
  await follow(options, { until: "4", handle: ({ id }) => log.push(id) });
  expect(log).toEqual(["lists", "save 3", "4"]);
  expect(queries()[0]).toEqual({ after: "latest" });
});

test("after `CURSOR_EXPIRED` the lists are read again; without `onExpired` the iteration rejects", async () => {
  begin(3);
  const expired = () => failure(410, "CURSOR_EXPIRED");
  instead = [expired];
  let read = 0;
  const onExpired = () => {
    read += 1;
    entries += 1;
  };
  const { log } = await follow({ after: "1", onExpired }, { until: "4" });
  expect([log, read]).toEqual([["save 3", "4"], 1]);
  for (const options of [{ after: "1" }, { onExpired }]) {
    instead = [expired];
    expect(await follow(options).catch((error) => error)).toMatchObject({ code: "CURSOR_EXPIRED" });
  }
});

test("`feed` resumes after failures of the service and of the connection, with growing pauses", async () => {
  begin(1);
  instead = [
    () => failure(429, "TOO_MANY_REQUESTS", { "retry-after": "3" }),
    () => failure(503, "SERVICE_UNAVAILABLE"),
    () => new Response("Bad gateway", { status: 502 }),
  ];
  const failures: string[] = [];
  const { log, pauses } = await follow(
    { after: "0", onFailure: ({ code }) => void failures.push(code) },
    { until: "1" },
  );
  expect(log).toEqual(["1"]);
  expect(failures).toEqual(["TOO_MANY_REQUESTS", "SERVICE_UNAVAILABLE", "UNEXPECTED_RESPONSE"]);
  expect(pauses).toEqual([3, 2, 4]);
});

test("`feed` rejects with an error that waiting does not end", async () => {
  begin(1);
  for (const [status, code] of [
    [401, "UNAUTHENTICATED"],
    [404, "NOT_FOUND"],
    [400, "VALIDATION_FAILED"],
  ] as const) {
    instead = [() => failure(status, code)];
    expect(await follow({ after: "0" }).catch((error) => error)).toMatchObject({ status, code });
  }
});

test("where the service does not wait for entries, `feed` pauses between empty pages, and not between others", async () => {
  begin(0);
  const { product, pauses, clock } = productAt(server.url);
  const empty = (hasMore: boolean) => Response.json({ data: [], cursor: "0", hasMore });
  const waiting = () => {
    clock.now += 30_000;
    return empty(false);
  };
  const withEntry = () => {
    entries = 1;
    return page({ after: "0" });
  };
  instead = [waiting, () => empty(true), () => empty(false), () => empty(false), withEntry];
  const saved: string[] = [];
  const feed = product.feed({ after: "0", save: (cursor) => saved.push(cursor) });
  expect((await feed.next()).value?.id).toBe("1");
  expect([pauses, saved]).toEqual([[1, 2], []]);
  await feed.return();
});

test("aborting the signal ends the iteration without an error, also while the service waits", async () => {
  begin(1);
  const end = new AbortController();
  const log: string[] = [];
  const { product } = productAt(server.url);
  instead = [
    page,
    () => {
      setTimeout(() => end.abort(), 10);
      return new Promise(() => {});
    },
  ];
  for await (const { id } of product.feed({
    after: "0",
    save: (cursor) => log.push(cursor),
    signal: end.signal,
  }))
    log.push(`entry ${id}`);
  expect(log).toEqual(["entry 1", "1"]);
});
