import { afterAll, expect, test } from "bun:test";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { SQL } from "bun";
import { createDatabase } from "../../../src/dev/postgres.ts";
import { type ChangeFeed, startChangeFeed } from "../../../src/platform/db/change-feed.ts";
import { createLogger } from "../../../src/platform/log.ts";
import { until } from "../../support/cluster.ts";

/** The length of one second in these feeds, in milliseconds, so that tests run fast. */
const SECOND = 20;

const databaseUrl = await createDatabase(
  JSON.parse(process.env.TEST_CLUSTER_URL ?? "{}").url,
  `test_${crypto.randomUUID().replaceAll("-", "")}`,
);
const sql = new SQL({ url: databaseUrl, max: 2 });
afterAll(() => sql.close());

function start(url: string, second = SECOND) {
  const steps: number[] = [];
  const payloads: string[] = [];
  const seen = { steps, payloads, connects: 0 };
  const log = createLogger("warn", {
    write: (line) => steps.push(JSON.parse(line).retryInSeconds),
    flush: async () => {},
  });
  const feed = startChangeFeed({
    url,
    channels: { "news of the day": (payload) => payloads.push(payload) },
    log,
    onConnect: () => {
      seen.connects += 1;
    },
    second,
  });
  return { feed, seen };
}

const untilConnected = (feed: ChangeFeed, connected = true) =>
  until(() => (feed.isConnected() === connected ? true : null));
const listeners = () =>
  sql`SELECT pid FROM pg_stat_activity WHERE application_name = 'change-feed' AND datname = current_database()`;
const terminate = () =>
  sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'change-feed' AND datname = current_database()`;
const announce = (payload: string) => sql`SELECT pg_notify('news of the day', ${payload})`;

/** Starts a server that accepts connections and never sends a byte. */
async function silentPeer() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.resume());
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  afterAll(() => server.close());
  return { url: `postgres://nobody:nothing@127.0.0.1:${port}/none`, sockets };
}

test("the change feed receives announcements, and reconnects when its connection is closed", async () => {
  const { feed, seen } = start(databaseUrl);
  await untilConnected(feed);
  expect(seen.connects).toBe(1);
  await announce("one");
  await until(() => (seen.payloads.length === 1 ? true : null));

  await terminate();
  await until(() => (seen.connects === 2 ? true : null));
  await announce("two");
  await until(() => (seen.payloads.length === 2 ? true : null));
  expect(seen.payloads).toEqual(["one", "two"]);
  expect(await listeners()).toHaveLength(1);
  await feed.stop();
  expect(feed.isConnected()).toBe(false);
  await until(async () => ((await listeners()).length === 0 ? true : null));
});

test("the change feed reconnects after 1, 2, 4, 8, 16, 30 and 30 s if every connection is lost soon", async () => {
  const { feed, seen } = start(databaseUrl);
  for (let lost = 1; lost <= 7; lost += 1) {
    await untilConnected(feed);
    await terminate();
    // On a busy machine further connections may fail before they are established.
    await until(() => (seen.steps.length >= lost ? true : null));
  }
  expect(seen.steps.slice(0, 7)).toEqual([1, 2, 4, 8, 16, 30, 30]);
  await feed.stop();
});

test("the reconnect delay of the change feed restarts at 1 s only after a connection of at least 60 s", async () => {
  const { feed, seen } = start(databaseUrl);
  for (let lost = 1; lost <= 2; lost += 1) {
    await untilConnected(feed);
    await terminate();
    await until(() => (seen.steps.length >= lost ? true : null));
  }
  expect(seen.steps.slice(0, 2)).toEqual([1, 2]);
  await untilConnected(feed);
  // Waits for twice the 60 seconds, because timers of a busy machine run late.
  await Bun.sleep(120 * SECOND);
  const lost = seen.steps.length;
  await terminate();
  await until(() => seen.steps[lost] ?? null);
  expect(seen.steps[lost]).toBe(1);
  await feed.stop();
});

test("the change feed closes a connection whose server is silent", async () => {
  const { url, sockets } = await silentPeer();
  const { feed, seen } = start(url);
  await until(() => (seen.steps.length === 3 ? true : null));
  expect(seen.steps).toEqual([1, 2, 4]);
  expect(feed.isConnected()).toBe(false);
  await feed.stop();
  await until(() => (sockets.size === 0 ? true : null));
});

test("stopping the change feed leaves no timer or socket that keeps the process alive", async () => {
  const { url: silent } = await silentPeer();
  const script = (url: string, wait: number) => `
    const { startChangeFeed } = await import("${import.meta.dir}/../../../src/platform/db/change-feed.ts");
    const log = { warn() {} };
    const feed = startChangeFeed({ url: ${JSON.stringify(url)}, channels: { x() {} }, log, onConnect() {} });
    await Bun.sleep(${wait});
    await feed.stop();
    console.log("stopped");`;
  // The feed is stopped while connected, while connecting to a silent server, and while waiting to reconnect.
  const places: [string, number][] = [
    [databaseUrl, 1_000],
    [silent, 300],
    ["postgres://nobody:nothing@127.0.0.1:1/none", 300],
  ];
  const codes = await Promise.all(
    places.map(async ([url, wait]) => {
      const child = Bun.spawn(["bun", "-e", script(url, wait)], { stdout: "pipe", stderr: "inherit" });
      // The time before is that of starting the process and of the wait.
      for await (const _ of child.stdout) break;
      const stopped = performance.now();
      const late = setTimeout(() => child.kill("SIGKILL"), 10_000);
      const code = await child.exited;
      clearTimeout(late);
      return [code, performance.now() - stopped < 4_500];
    }),
  );
  expect(codes).toEqual(places.map(() => [0, true]));
});
