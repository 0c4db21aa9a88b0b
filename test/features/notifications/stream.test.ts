import { expect, test } from "bun:test";
import { TIMING } from "../../../src/features/notifications/timing.ts";
import type { Caller } from "../../support/caller.ts";
import { until } from "../../support/cluster.ts";
import { userIdOf, withTokenUntil, write } from "../../support/notifications.ts";
import { ROUNDS } from "../../support/race.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { resetToken } from "../../support/sessions.ts";
import { Stream } from "../../support/stream.ts";

const t = await startService();
const hasty = await startService({}, { timing: { ...TIMING, heartbeatMs: 40 } });
const second = await t.beside();
const SECRET = t.environment.JWT_SECRET ?? "";
const PATH = "/api/notifications";

/** A stream of over a minute, only with ROUNDS above 10 as in CI. It starts here, so that other tests run meanwhile. */
const fullLength = ROUNDS > 10 ? await openFullLength() : null;

async function openFullLength() {
  const [patient] = await t.cluster(1, { JWT_ACCESS_TTL: "62" });
  const person = (await t.person()).at(patient?.url ?? "");
  await person.login();
  const opened = performance.now();
  const stream = await Stream.open(person);
  return { stream, milliseconds: stream.untilOver({ seconds: 90 }).then(() => performance.now() - opened) };
}

const COMMENTS = /^:.*\n\n/gm;

/** Reads a stream until `isEnough` returns true or it ends; returns its text and headers. */
async function textOf(person: Caller, isEnough: (text: string) => boolean, headers = {}) {
  const response = await fetch(`${person.url}${PATH}/stream`, {
    headers: { authorization: `Bearer ${person.accessToken}`, ...headers },
  });
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (isEnough(text)) break;
  }
  return { text, headers: response.headers };
}

/** Creates a user with two streams on one instance and one on another. */
async function withThreeStreams(): Promise<{ person: Caller; streams: Stream[] }> {
  const person = await t.person();
  const streams = await Promise.all([t.url, t.url, second.url].map((url) => Stream.open(person, url)));
  for (const stream of streams) await stream.untilCount(1);
  return { person, streams };
}

const untilCountOnAll = (streams: Stream[], count: number) =>
  Promise.all(streams.map((stream) => stream.untilCount(count)));
const counts = (stream: Stream) => stream.dataOf("unread-count");

test("the stream has the content type of server-sent events, and headers against buffering and transformation by proxies", async () => {
  const person = await t.person();
  const { text, headers } = await textOf(person, (soFar) => soFar.endsWith("}\n\n"), {
    "accept-encoding": "gzip, br",
  });
  expect(headers.get("content-type")).toMatch(/^text\/event-stream\b/);
  expect(headers.get("x-accel-buffering")).toBe("no");
  expect(headers.get("cache-control")?.split(/, */)).toEqual(["no-store", "no-transform"]);
  expect(headers.get("content-encoding")).toBeNull();
  expect(headers.get("content-length")).toBeNull();
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("x-request-id")).not.toBeNull();
  expect(text.replace(COMMENTS, "")).toBe('event: unread-count\ndata: {"count":1}\n\n');
});

test("a `notification` event contains only the id, and an `unread-count` event follows", async () => {
  const { person, streams } = await withThreeStreams();
  const { body } = expectStatus(await person.post(`${PATH}/test`), 201);
  await untilCountOnAll(streams, 2);
  for (const { events } of streams) {
    const at = events.findIndex(({ event }) => event === "notification");
    expect(events.filter(({ event }) => event === "notification")).toEqual([
      { event: "notification", data: { id: body.id } },
    ]);
    expect(events.slice(at + 1)).toContainEqual({ event: "unread-count", data: { count: 2 } });
  }
  const listed = (await person.get(PATH)).body.data.map(({ id }: { id: string }) => id);
  expect(listed).toContain(body.id);
});

test("marking one or all as read, and dismissing, send the new unread count to all streams of the user on all instances", async () => {
  const { person, streams } = await withThreeStreams();
  const ids = [await write(t, person), await write(t, person), await write(t, person)];
  await untilCountOnAll(streams, 4);
  expectStatus(await person.post(`${PATH}/${ids[0]}/read`), 204);
  await untilCountOnAll(streams, 3);
  expectStatus(await person.at(second.url).delete(`${PATH}/${ids[1]}`), 204);
  await untilCountOnAll(streams, 2);
  expectStatus(await person.at(second.url).post(`${PATH}/read-all`), 204);
  await untilCountOnAll(streams, 0);
  for (const stream of streams) expect(stream.dataOf("notification")).toHaveLength(3);
});

test("a change that does not alter the unread count sends it to all streams too", async () => {
  const person = await t.person();
  const id = await write(t, person);
  expectStatus(await person.post(`${PATH}/${id}/read`), 204);
  const stream = await Stream.open(person);
  await stream.untilCount(1);
  for (const change of [
    () => person.post(`${PATH}/${id}/read`),
    () => person.delete(`${PATH}/${id}`),
    () => person.post(`${PATH}/read-all`),
    () => person.post(`${PATH}/read-all`),
  ]) {
    const before = counts(stream).length;
    expectStatus(await change(), 204);
    await until(() => (counts(stream).length > before ? true : null));
  }
  expect(counts(stream).at(-1)).toEqual({ count: 0 });
});

test("every type of notification is streamed", async () => {
  const person = await t.person();
  const stream = await Stream.open(person, second.url);
  await stream.untilCount(1);
  const token = await resetToken(t, person.email);
  const reset = { token, newPassword: "deep green forest" };
  expectStatus(await person.post("/api/auth/reset-password", reset), 204);
  await stream.untilCount(2);
  const [newest] = (await person.get(PATH)).body.data;
  expect(newest.type).toBe("PASSWORD_CHANGED");
  expect(stream.dataOf("notification")).toEqual([{ id: newest.id }]);
});

test("a stream receives no events of other users' notifications", async () => {
  const [person, other] = [await t.person(), await t.person()];
  const streams = [await Stream.open(other), await Stream.open(other, second.url)];
  await untilCountOnAll(streams, 1);
  const first = streams.map((stream) => counts(stream).length);
  for (let nth = 0; nth < 5; nth += 1) await write(t, person);
  // Events keep their order, so once this one has arrived, earlier ones would have arrived too.
  const id = await write(t, other);
  await untilCountOnAll(streams, 2);
  expect(streams.map((stream) => stream.dataOf("notification"))).toEqual([[{ id }], [{ id }]]);
  expect(streams.map((stream) => counts(stream).length)).toEqual(first.map((count) => count + 1));
});

test("a rolled-back transaction stores no notification and sends no event", async () => {
  const { person, streams } = await withThreeStreams();
  // The deferred trigger fails at the commit, after all rows were written and NOTIFY was called.
  await t.sql(
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END'`,
  );
  await t.sql(
    `CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON notifications DEFERRABLE INITIALLY DEFERRED
     FOR EACH ROW WHEN (NEW.user_id = '${userIdOf(person)}') EXECUTE FUNCTION refuse()`,
  );
  const before = streams.map((stream) => stream.events.length);
  expectStatus(await person.post(`${PATH}/test`), 500);
  await t.sql("DROP TRIGGER refuse ON notifications");
  expect((await person.get(PATH)).body.total).toBe(1);
  expect(streams.map((stream) => stream.events.length)).toEqual(before);

  const { body } = expectStatus(await person.post(`${PATH}/test`), 201);
  await untilCountOnAll(streams, 2);
  for (const stream of streams) expect(stream.dataOf("notification")).toEqual([{ id: body.id }]);
});

test("after a reconnection no events are replayed, and the first unread count includes missed notifications", async () => {
  const person = await t.person();
  const stream = await Stream.open(person);
  const seen = await write(t, person);
  await stream.untilCount(2);
  expect(stream.dataOf("notification")).toEqual([{ id: seen }]);
  stream.close();
  await stream.untilOver();
  // Another stream confirms that the event was sent before the new stream opens.
  const other = await Stream.open(person);
  const missed = await write(t, person);
  await other.untilCount(3);
  other.close();
  const again = await textOf(person, (text) => text.includes('"count":3'), { "last-event-id": seen });
  expect(again.text.replace(COMMENTS, "")).toBe('event: unread-count\ndata: {"count":3}\n\n');
  expect((await person.get(PATH)).body.data[0].id).toBe(missed);
});

test("the last unread count of a stream that was opened during changes is correct", async () => {
  const person = await t.person();
  for (let round = 1; round <= ROUNDS; round += 1) {
    const written = [write(t, person), write(t, person)];
    const stream = await Stream.open(person, round % 2 === 0 ? t.url : second.url);
    await Promise.all(written);
    await stream.untilCount(1 + 2 * round);
    stream.close();
  }
});

test("every stream receives comments as heartbeats", async () => {
  const people = [await hasty.person(), await hasty.person()];
  const texts = await Promise.all(people.map((one) => textOf(one, (soFar) => soFar.length > 150)));
  for (const { text } of texts) {
    expect(text.slice(text.indexOf("}\n\n") + 3)).toMatch(/^(: heartbeat\n\n){5,}$/);
  }
});

test("a stream sends `token-expired` and ends one second after its token's `exp`", async () => {
  const person = await t.person();
  // All streams are opened before this time, also on a busy machine.
  const exp = Math.floor(Date.now() / 1000) + 7;
  const soon = await withTokenUntil(person, SECRET, exp);
  const later = await withTokenUntil(person, SECRET, exp + 2);
  const streams = [await Stream.open(soon), await Stream.open(soon, second.url), await Stream.open(later)];
  const stays = await Stream.open(person);
  await untilCountOnAll(streams, 1);
  for (const [index, stream] of streams.entries()) {
    await stream.untilOver();
    // The stream ends after `exp` by this process's clock. A timer may fire a fraction of a millisecond early.
    expect(Date.now()).toBeGreaterThanOrEqual((exp + (index === 2 ? 3 : 1)) * 1000 - 5);
    expect(stream.events.at(-1)).toEqual({ event: "token-expired", data: {} });
    expect(stream.dataOf("token-expired")).toHaveLength(1);
    expect(stream.isAborted).toBe(false);
  }
  await write(t, person);
  await stays.untilCount(2);
  expect(stays.dataOf("token-expired")).toEqual([]);
});

test.skipIf(fullLength === null)(
  "a stream of more than a minute receives two heartbeats 25 s apart, then ends with its token",
  async () => {
    const { stream, milliseconds } = fullLength ?? (await openFullLength());
    expect(await milliseconds).toBeGreaterThan(60_000);
    const events = stream.events.map(({ event }) => event);
    expect(events.slice(events.indexOf("unread-count"))).toEqual([
      "unread-count",
      "comment",
      "comment",
      "token-expired",
    ]);
    expect(stream.isAborted).toBe(false);
  },
);
