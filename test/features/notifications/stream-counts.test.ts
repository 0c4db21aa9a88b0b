import { expect, test } from "bun:test";
import { SQL } from "bun";
import { createStreams } from "../../../src/features/notifications/streams.ts";
import { TIMING } from "../../../src/features/notifications/timing.ts";
import { createLogger } from "../../../src/platform/log.ts";
import { until } from "../../support/cluster.ts";
import { userIdOf, write } from "../../support/notifications.ts";
import { race } from "../../support/race.ts";
import { startService } from "../../support/service.ts";
import { Stream } from "../../support/stream.ts";

/* A burst of notifications causes only few queries that count unread notifications. */
const t = await startService();

const IN_AN_HOUR = Date.now() / 1000 + 3600;

/** Creates the streams of an instance without a database: the test supplies the unread counts. */
function streamsThatCount(count: (userIds: string[]) => Promise<Map<string, number>>, timing = TIMING) {
  const asked: string[][] = [];
  const logged: string[] = [];
  const streams = createStreams({
    count: (userIds) => {
      asked.push(userIds);
      return count(userIds);
    },
    countIn: async () => ({ count: 0, ids: [] }),
    log: createLogger("warn", { write: (line) => logged.push(line), flush: async () => {} }),
    timing,
  });
  /** Opens a stream of a user; collects its content as text. */
  const follow = (userId: string, exp = IN_AN_HOUR) => {
    const seen = { text: "", isOver: false };
    const stream = streams.open(userId, exp);
    if (stream === null) throw new Error("No slot");
    void (async () => {
      const decoder = new TextDecoder();
      for await (const bytes of stream) seen.text += decoder.decode(bytes, { stream: true });
      seen.isOver = true;
    })();
    return seen;
  };
  return { streams, asked, logged, follow };
}

const zero = async () => new Map<string, number>();
const occurrences = (text: string, word: string) => text.split(word).length - 1;
const counts = (seen: { text: string }) => occurrences(seen.text, "event: unread-count");
const untilCounts = (seen: { text: string }, atLeast: number) =>
  until(() => (counts(seen) >= atLeast ? true : null));

test("one query counts unread notifications of all affected users with a stream on the instance", async () => {
  const { streams, asked, follow } = streamsThatCount(zero);
  const users = Array.from({ length: 200 }, (_, index) => `user-${index}`);
  const seen = users.map((userId) => follow(userId));
  for (const one of seen) await untilCounts(one, 1);
  const before = asked.length;
  streams.onChange([...users, "stranger some-id"].join("\n"));
  for (const one of seen) await untilCounts(one, 2);
  expect(asked.slice(before).map((userIds) => userIds.sort())).toEqual([users.sort()]);
  streams.refreshAll();
  for (const one of seen) await untilCounts(one, 3);
  expect(asked.slice(before + 1).map((userIds) => userIds.sort())).toEqual([users.sort()]);
  streams.stop();
});

test("a change during a count of unread notifications causes another count", async () => {
  const responses: ((count: number) => void)[] = [];
  const { streams, asked, follow } = streamsThatCount(
    () => new Promise((resolve) => responses.push((count) => resolve(new Map([["ada", count]])))),
  );
  const seen = follow("ada");
  await until(() => (responses.length === 1 ? true : null));
  streams.onChange("ada new-one");
  await until(() => (seen.text.includes("new-one") ? true : null));
  responses[0]?.(0);
  await until(() => (responses.length === 2 ? true : null));
  responses[1]?.(1);
  await untilCounts(seen, 2);
  expect(seen.text).toEndWith('event: unread-count\ndata: {"count":1}\n\n');
  expect(asked).toEqual([["ada"], ["ada"]]);
  streams.stop();
});

test("stopping the instance ends all streams, and streams opened later end at once", async () => {
  const { streams, follow } = streamsThatCount(zero);
  const seen = ["ada", "ada", "grace"].map((userId) => follow(userId));
  streams.stop();
  const late = follow("ada");
  for (const one of [...seen, late]) await until(() => (one.isOver ? true : null));
  expect(late.text).toBe("");
});

test("while the instance stops, a stream still ends with its token, and says so", async () => {
  const { streams, follow } = streamsThatCount(zero, { ...TIMING, afterExpiryMs: 50 });
  const seen = follow("ada", Date.now() / 1000);
  streams.stop(1_000_000_000);
  await until(() => (seen.isOver ? true : null));
  expect(seen.text).toContain("token-expired");
});

test("a burst of notifications is delivered to every stream of its user, with few counts", async () => {
  const person = await t.person();
  const second = await t.beside();
  const urls = [t.url, t.url, second.url];
  const streams = await Promise.all(urls.map((url) => Stream.open(person, url)));
  for (const stream of streams) await stream.untilCount(1);
  const before = streams.map((stream) => stream.dataOf("unread-count").length);
  const started = performance.now();
  const ids = await race(100, () => write(t, person));
  for (const stream of streams) await stream.untilCount(101);
  const seconds = (performance.now() - started) / 1000;
  for (const [index, stream] of streams.entries()) {
    const received = stream.dataOf("notification").map((data) => (data as { id: string }).id);
    expect(received.sort()).toEqual([...ids].sort());
    const counted = stream.dataOf("unread-count").length - (before[index] ?? 0);
    expect(counted).toBeLessThanOrEqual(Math.ceil(seconds * 4) + 1);
  }
});

test("a client that disconnects during a count does not block the next count", async () => {
  const [gone, person] = [await t.person(), await t.person()];
  const [leaving, staying] = [await Stream.open(gone), await Stream.open(person)];
  for (const stream of [leaving, staying]) await stream.untilCount(1);
  const holder = new SQL({ url: t.databaseUrl, max: 1 });
  const countsThatWait = async () =>
    (
      await t.sql(
        // The relay reads the table too, so only counts of notifications are looked at.
        `SELECT FROM pg_locks JOIN pg_stat_activity a USING (pid)
         WHERE NOT granted AND relation = 'row_counts'::regclass AND a.datname = current_database()
           AND a.query LIKE '%unread_notifications%' AND a.pid <> pg_backend_pid()`,
      )
    ).length;
  const touch = (who: typeof person) => t.sql("SELECT pg_notify('notifications', $1)", [userIdOf(who)]);

  await holder.begin(async (tx) => {
    await tx`LOCK TABLE row_counts IN ACCESS EXCLUSIVE MODE`;
    await touch(person);
    await until(async () => ((await countsThatWait()) === 1 ? true : null));
    // Both users now wait for the next count, the disconnecting one first.
    await touch(gone);
    await t.sql("SELECT pg_notify('notifications', $1)", [`${userIdOf(person)} ${crypto.randomUUID()}`]);
    await until(() => (staying.dataOf("notification").length === 1 ? true : null));
    leaving.close();
    await leaving.untilOver();
    // The service notices the closed connection with a delay.
    await Bun.sleep(200);
  });
  await holder.close();
  // Three counts: at the connection, the one that was running, and the next.
  await until(() => (staying.dataOf("unread-count").length === 3 ? true : null));
  staying.close();
});
