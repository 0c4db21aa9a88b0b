import { expect, test } from "bun:test";
import type { NotificationEvent, StreamStatus } from "../../src/client/index.ts";
import { Jar, TestPage } from "../support/browser.ts";
import { until } from "../support/cluster.ts";
import { TestProxy } from "../support/proxy.ts";
import { startService } from "../support/service.ts";

const t = await startService();
const STREAM = "GET /api/notifications/stream";
const COUNT = "GET /api/notifications/unread-count";

/** Signs in a user who streams notifications; with `page`, its clock is used instead of real time. */
async function listening({ page, url = t.url }: { page?: TestPage; url?: string } = {}) {
  const person = await t.person();
  const jar = new Jar(url);
  const tab = jar.tab({ heard: false, ...(page && { page }) });
  await tab.signIn(person.account);
  const counts: number[] = [];
  const ids: string[] = [];
  const statuses: StreamStatus[] = [];
  const stream = tab.notifications.stream({
    onUnreadCount: (count) => counts.push(count),
    onNotification: (id) => ids.push(id),
    onStatus: (status) => statuses.push(status),
  });
  const became = (status: StreamStatus) => until(() => (statuses.at(-1) === status ? true : null));
  await until(() => (counts.length > 0 ? true : null));
  const notify = () => tab.request("POST /api/notifications/test");
  return { person, jar, tab, page, counts, ids, statuses, stream, became, notify };
}

test("a stream delivers the unread count at once, then each notification and the new count", async () => {
  const { counts, ids, statuses, notify } = await listening();
  expect([counts, statuses]).toEqual([[1], ["connecting", "open"]]);
  const { id } = await notify();
  await until(() => (counts.at(-1) === 2 ? true : null));
  expect(ids).toEqual([id]);
});

test("a stream is async iterable, and ends with its loop", async () => {
  const { tab, notify, jar } = await listening();
  const seen: NotificationEvent[] = [];
  const sent = notify();
  for await (const event of tab.notifications.stream()) {
    seen.push(event);
    if (event.type === "unread-count" && event.count === 2) break;
  }
  await sent;
  expect(seen.map(({ type }) => type)).toContain("unread-count");
  // The client does not reconnect after the loop.
  const asked = jar.count(STREAM);
  await notify();
  expect(jar.count(STREAM)).toBe(asked);
});

test("the streams of a client share one connection, and the last one closes it", async () => {
  const { tab, jar, counts, statuses, stream, notify } = await listening();
  const other: (number | string)[] = [];
  const second = tab.notifications.stream({
    onUnreadCount: (count) => other.push(count),
    onStatus: (status) => other.push(status),
  });
  // A new listener receives the last known count at once.
  expect(other).toEqual(["open", 1]);
  await notify();
  await until(() => (counts.at(-1) === 2 && other.at(-1) === 2 ? true : null));
  expect(jar.count(STREAM)).toBe(1);
  stream.close();
  expect([statuses.at(-1), other.at(-1)]).toEqual(["ended", 2]);
  await notify();
  await until(() => (other.at(-1) === 3 ? true : null));
  second.close();
  expect([counts.at(-1), other.at(-1), jar.count(STREAM)]).toEqual([2, "ended", 1]);
  const third: number[] = [];
  tab.notifications.stream({ onUnreadCount: (count) => third.push(count) });
  await until(() => (third.at(-1) === 3 ? true : null));
  expect(jar.count(STREAM)).toBe(2);
});

test("a slow reader receives the last unread count, not every count in between", async () => {
  const { stream, notify, counts } = await listening();
  const events = stream[Symbol.asyncIterator]();
  for (const count of [2, 3, 4]) {
    await notify();
    await until(() => (counts.at(-1) === count ? true : null));
  }
  const waiting: NotificationEvent[] = [];
  for (let index = 0; index < 6; index += 1) {
    const { value, done } = await events.next();
    if (done) break;
    waiting.push(value);
    if (value.type === "unread-count" && value.count === 4) break;
  }
  expect(waiting.at(-1)).toEqual({ type: "unread-count", count: 4 });
  stream.close();
  expect(await events.next()).toMatchObject({ value: { status: "ended" } });
  expect(await events.next()).toEqual({ done: true, value: undefined });
});

test("a cut stream reconnects with exponential backoff and jitter", async () => {
  const page = new TestPage();
  const proxy = await TestProxy.start(t.url);
  const { jar, statuses, became } = await listening({ page, url: proxy.url });
  proxy.cut();
  await became("down");
  const refused = () => Promise.reject(new TypeError("fetch failed"));
  jar.through((url, init) => (url.endsWith("/stream") ? refused() : jar.fetch(url, init)));
  const asked: number[] = [];
  jar.through(async (url, init) => {
    if (!url.endsWith("/stream")) return jar.fetch(url, init);
    asked.push(page.seconds);
    return refused();
  });
  const began = page.seconds;
  for (let second = 0; second < 700; second += 1) await page.pass(0.1);
  // The page's random is 0.5, so the pauses are three quarters of 1, 2, 4, 8, 16 and then 30 seconds.
  const steps = asked.map((at, index) => at - (asked[index - 1] ?? began));
  expect(steps.slice(0, 6).map((step) => Math.round(step * 4) / 4)).toEqual([0.75, 1.5, 3, 6, 12, 22.5]);
  jar.through(jar.fetch);
  await page.pass(23);
  await became("open");
  expect(statuses).toEqual(["connecting", "open", "down", "open"]);
});

test("while a stream is down, the unread count is requested once a minute", async () => {
  const page = new TestPage();
  const { jar, counts, became } = await listening({ page });
  for (let beat = 0; beat < 5; beat += 1) await page.pass(25);
  await became("open");
  const before = jar.count(COUNT);
  jar.through((url, init) =>
    url.endsWith("/stream") ? Promise.reject(new TypeError("fetch failed")) : jar.fetch(url, init),
  );
  page.show(false);
  await page.pass(21);
  await became("down");
  const told = counts.length;
  await page.pass(180);
  expect(jar.count(COUNT) - before).toBe(3);
  expect(counts.length - told).toBe(3);
});

test("a connection without data for 60 seconds is replaced", async () => {
  const page = new TestPage();
  const { jar, statuses, became } = await listening({ page });
  await page.pass(59, { patiently: false });
  expect(statuses.at(-1)).toBe("open");
  await page.pass(1.1, { patiently: false });
  await became("down");
  await page.pass(1);
  await became("open");
  expect(jar.count(STREAM)).toBe(2);
});

test("after the computer slept, a stream reconnects when the page becomes visible", async () => {
  const page = new TestPage();
  const { jar, became } = await listening({ page });
  page.show(false);
  page.sleep(3600);
  page.show(true);
  await became("down");
  await page.pass(1);
  await became("open");
  expect(jar.count(STREAM)).toBe(2);
});

test("a hidden page closes its stream after a while, and reopens it when visible", async () => {
  const page = new TestPage();
  const { jar, became, statuses } = await listening({ page });
  page.show(false);
  await page.pass(10);
  page.show(true);
  await page.pass(15);
  expect(statuses.at(-1)).toBe("open");
  page.show(false);
  await page.pass(21);
  await became("down");
  await page.pass(60);
  expect(jar.count(STREAM)).toBe(1);
  page.show(true);
  await became("open");
});

test("a stream whose token expires continues at once with a new token", async () => {
  const short = await startService({ JWT_ACCESS_TTL: "5" });
  const person = await short.person();
  const jar = new Jar(short.url);
  const tab = jar.tab();
  await tab.signIn(person.account);
  const statuses: StreamStatus[] = [];
  tab.notifications.stream({ onStatus: (status) => statuses.push(status) });
  await until(() => (jar.count(`${STREAM} 200`) === 4 ? true : null));
  // The status never became `down`.
  expect(statuses).toEqual(["connecting", "open"]);
  expect(jar.count(`${STREAM} 401`)).toBe(0);
  await short.stop();
});

test("a stream ends with the session, whether signed out or ended by the service", async () => {
  const here = await listening();
  await here.tab.signOut();
  expect(here.statuses.at(-1)).toBe("ended");

  const there = await listening();
  await t.sql("DELETE FROM refresh_tokens WHERE user_id = (SELECT id FROM users WHERE email = $1)", [
    there.person.email,
  ]);
  await there.tab.refresh();
  await there.became("ended");
});

test("a stream that is rejected even with a renewed token ends the session", async () => {
  const proxy = await TestProxy.start(t.url);
  const { jar, tab, became } = await listening({ url: proxy.url });
  jar.through((url, init) => {
    const headers = new Headers(init.headers);
    if (url.endsWith("/stream")) headers.set("authorization", "Bearer never");
    return jar.fetch(url, { ...init, headers });
  });
  proxy.cut();
  await became("ended");
  expect(tab.session.get()).toEqual({ status: "signed-out" });
});

test("after signing in as another user a stream receives only that user's notifications", async () => {
  const { tab, jar, counts } = await listening();
  const other = await t.person();
  await tab.signIn(other.account);
  await until(() => (jar.count(`${STREAM} 200`) === 2 ? true : null));
  await other.post("/api/notifications/test");
  await until(() => (counts.at(-1) === 2 ? true : null));
});

test("a stream reconnects after a restart of the API, and receives the unread count of what it missed", async () => {
  const [first] = await t.cluster(1);
  const proxy = await TestProxy.start(first?.url ?? "");
  const { person, counts, statuses, became } = await listening({ url: proxy.url });
  await first?.stop();
  await became("down");
  // A notification that arrives while the stream is down.
  await person.post("/api/notifications/test");
  const [second] = await t.cluster(1);
  proxy.lead(second?.url ?? "");
  await became("open");
  await until(() => (counts.at(-1) === 2 ? true : null));
  expect(statuses).toEqual(["connecting", "open", "down", "open"]);
});

test("if the stream is 501, the unread count is polled at once and every minute; the stream is retried only when the page becomes visible", async () => {
  const page = new TestPage();
  const person = await t.person();
  const jar = new Jar(t.url);
  const none = { statusCode: 501, code: "NOT_SERVED_HERE", message: "None here", requestId: "a" };
  let asked = 0;
  jar.through((url, init) => {
    if (!url.endsWith("/stream")) return jar.fetch(url, init);
    asked += 1;
    return Promise.resolve(Response.json(none, { status: 501 }));
  });
  const tab = jar.tab({ heard: false, page });
  await tab.signIn(person.account);
  const counts: number[] = [];
  const statuses: StreamStatus[] = [];
  tab.notifications.stream({
    onUnreadCount: (count) => counts.push(count),
    onStatus: (now) => statuses.push(now),
  });
  await until(() => (counts.length === 1 ? true : null));
  await page.pass(180);
  expect([counts, statuses, asked]).toEqual([[1, 1, 1, 1], ["connecting", "down"], 1]);
  page.show(true);
  await until(() => (asked === 2 ? true : null));
});
