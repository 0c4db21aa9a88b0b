import { afterAll, afterEach, expect, test } from "bun:test";
import { type AddressInfo, connect, createServer } from "node:net";
import type { Caller } from "../../support/caller.ts";
import { until } from "../../support/cluster.ts";
import { announceMany, write } from "../../support/notifications.ts";
import { type Api, startApi, startOwnPostgres } from "../../support/outage.ts";
import { race } from "../../support/race.ts";
import { Stream } from "../../support/stream.ts";

const postgres = await startOwnPostgres();
afterEach(() => postgres.thaw());
const url = await postgres.database();
/** A long timeout, because these tests are not about how long a request waits for the database. */
const PATIENT = { maxWaitMs: 60_000 };
const api = await startApi(url, {}, PATIENT);
await api.untilReady();

/** The service exits within 9.5 s; the rest is for a busy machine. */
const MAX_STOP_MS = 30_000;
const counts = (stream: Stream) => stream.dataOf("unread-count");
const logged = (message: string, of: Api = api) =>
  of.log.filter((line) => line.includes(`"msg":"${message}"`)).length;

/** Opens two streams of each user, and waits for the first unread count of each. */
async function openStreams(people: Caller[], of: Api = api): Promise<Stream[]> {
  const streams = await Promise.all(
    people.flatMap((one) => [Stream.open(one, of.url), Stream.open(one, of.url)]),
  );
  await untilMore(
    streams,
    streams.map(() => 0),
  );
  return streams;
}

/** Waits until each stream has received one more count. */
const untilMore = (streams: Stream[], before: number[]) =>
  Promise.all(
    streams.map((stream, index) => until(() => (counts(stream).length > (before[index] ?? 0) ? true : null))),
  );
const countsNow = (streams: Stream[]) => streams.map((stream) => counts(stream).length);

function expectUnharmed(streams: Stream[]) {
  for (const stream of streams) {
    expect(stream.isOver).toBe(false);
    expect(stream.dataOf("error")).toEqual([]);
  }
}

/** Terminates the instance's LISTEN connection. */
const terminateFeed = () =>
  api.sql(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE application_name = 'change-feed' AND datname = current_database()`,
  );

/** Starts a proxy in front of the database that delays connections until it is opened. */
async function closedProxy(databaseUrl: string) {
  const proxy = new URL(databaseUrl);
  const { hostname, port } = proxy;
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  let visitors = 0;
  const server = createServer((visitor) => {
    visitors += 1;
    const onward = opened.then(() => {
      const socket = connect(Number(port), hostname);
      socket.on("data", (bytes) => visitor.write(bytes));
      for (const event of ["error", "close"]) socket.on(event, () => visitor.destroy());
      return socket;
    });
    visitor.on("data", (bytes) => void onward.then((socket) => socket.write(bytes)));
    visitor.on("error", () => {});
    visitor.on("close", () => void onward.then((socket) => socket.destroy()));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  afterAll(() => void server.close());
  proxy.port = String((server.address() as AddressInfo).port);
  return { url: proxy.href, open, visitors: () => visitors };
}

test("after an instance has lost its LISTEN connection, every stream stays open and receives a new unread count", async () => {
  const [person, other] = [await api.person(), await api.person()];
  const streams = await openStreams([person, other]);
  const before = countsNow(streams);
  await terminateFeed();
  await until(() => (api.log.some((line) => line.includes("change feed lost")) ? true : null));
  await write(api, person);
  await untilMore(streams, before);
  expect(streams.map((stream) => counts(stream).at(-1))).toEqual([2, 2, 1, 1].map((count) => ({ count })));
  // Notifications that were created meanwhile are only included in the count.
  for (const stream of streams) expect(stream.dataOf("notification")).toEqual([]);

  const id = await write(api, other);
  await Promise.all(streams.slice(2).map((stream) => stream.untilCount(2)));
  expect(streams[2]?.dataOf("notification")).toEqual([{ id }]);
  expectUnharmed(streams);
  for (const stream of streams) stream.close();
});

test("after a database restart, every stream stays open and receives the current unread count", async () => {
  const people = [await api.person(), await api.person()];
  const streams = await openStreams(people);
  for (const mode of ["fast", "immediate"] as const) {
    const before = countsNow(streams);
    await postgres.stop(mode);
    await until(async () => ((await api.health("live")).status === 200 ? true : null));
    await postgres.start();
    // The notification is created before or after LISTEN is restored; the unread count includes it in both cases.
    for (const one of people) await until(() => write(api, one).catch(() => null));
    const [person] = people;
    const { count } = (
      await until(async () => {
        const response = await person?.get("/api/notifications/unread-count").catch(() => null);
        return response?.status === 200 ? response : null;
      })
    ).body;
    await untilMore(streams, before);
    await Promise.all(streams.map((stream) => stream.untilCount(count)));
  }
  await api.untilReady();
  for (const one of people) await write(api, one);
  await untilMore(streams, countsNow(streams));
  expectUnharmed(streams);
  for (const stream of streams) stream.close();
});

test("a frozen database ends no stream, and the last unread count of every stream is correct", async () => {
  const person = await api.person();
  const streams = await openStreams([person]);
  postgres.freeze();
  await Bun.sleep(2_000);
  postgres.thaw();
  await write(api, person);
  await Promise.all(streams.map((stream) => stream.untilCount(2)));
  expectUnharmed(streams);
  for (const stream of streams) stream.close();
});

test("streams that were opened before the instance's first LISTEN connection receive the changes before it", async () => {
  const proxy = await closedProxy(url);
  const early = await startApi(url, { DATABASE_LISTEN_URL: proxy.url }, PATIENT);
  const person = await api.person();
  await until(() => (proxy.visitors() > 0 ? true : null));
  const [stream] = await openStreams([person], early);
  if (stream === undefined) throw new Error("No stream");
  await write(api, person);
  proxy.open();
  await early.untilReady();
  await stream.untilCount(2);
  stream.close();
  await early.stop();
});

test("a failed count is logged, sends no error event, and the next change sends the unread count", async () => {
  const person = await api.person();
  const streams = await openStreams([person]);
  const failures = logged("unread notifications not counted");
  await api.sql("ALTER VIEW counted_rows RENAME TO counted_elsewhere");
  try {
    await announceMany(api, person, 1);
    await until(() => (logged("unread notifications not counted") > failures ? true : null));
  } finally {
    await api.sql("ALTER VIEW counted_elsewhere RENAME TO counted_rows");
  }
  await write(api, person);
  await Promise.all(streams.map((stream) => stream.untilCount(2)));
  for (const stream of streams) expect(stream.dataOf("notification")).toHaveLength(2);
  expectUnharmed(streams);
  for (const stream of streams) stream.close();
});

test("a slow count of unread notifications delays neither notification events nor new streams", async () => {
  const person = await api.person();
  const [stream] = await openStreams([person]);
  const holder = await api.reserve();
  await holder.unsafe("BEGIN");
  await holder.unsafe("LOCK TABLE row_counts IN ACCESS EXCLUSIVE MODE");
  try {
    const before = stream?.dataOf("unread-count").length;
    for (const nth of [1, 2, 3]) {
      await announceMany(api, person, 1);
      await until(() => (stream?.dataOf("notification").length === nth ? true : null), { seconds: 60 });
    }
    expect(stream?.dataOf("unread-count").length).toBe(before);
    // The response headers arrive, so the client knows that it is connected.
    const late = await Promise.race([Stream.open(person), Bun.sleep(30_000)]);
    expect(late?.response.status).toBe(200);
    late?.close();
  } finally {
    await holder.unsafe("COMMIT");
    holder.release();
  }
  await write(api, person);
  await stream?.untilCount(2);
  stream?.close();
});

test("at SIGTERM, streams end normally, pending requests finish, and the process exits within 10 s", async () => {
  const own = await startApi(url, {}, PATIENT);
  await own.untilReady();
  const people = await race(10, () => own.person());
  const streams = (await Promise.all(people.map((one) => openStreams([one], own)))).flat();
  const holder = await own.reserve();
  await holder.unsafe("BEGIN");
  await holder.unsafe("LOCK TABLE notifications IN EXCLUSIVE MODE");
  const sent = people.map((one) => one.post("/api/notifications/test"));
  await until(async () =>
    (await own.sql("SELECT FROM pg_locks WHERE NOT granted AND locktype = 'relation'")).length >= 10
      ? true
      : null,
  );

  const started = performance.now();
  const ended = own.stop("SIGTERM");
  for (const stream of streams) await stream.untilOver();
  expect(own.child.exitCode).toBeNull();
  await holder.unsafe("COMMIT");
  holder.release();
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(people.map(() => 201));
  expect(await ended).toBe(0);
  expect(performance.now() - started).toBeLessThan(MAX_STOP_MS);
  expect(streams.filter(({ isAborted }) => isAborted)).toHaveLength(0);
  // `token-expired` is only for expired tokens: clients reconnect at once.
  expect(streams.flatMap((stream) => stream.dataOf("token-expired"))).toEqual([]);
});
