import { expect, test } from "bun:test";
import type { ApiResponse, Caller } from "../../support/caller.ts";
import { until } from "../../support/cluster.ts";
import { withTokenUntil } from "../../support/notifications.ts";
import { race } from "../../support/race.ts";
import { expectStatus, startService } from "../../support/service.ts";
import { Stream } from "../../support/stream.ts";

/* Who can open a notification stream, how many, and who can send a test notification. */
const t = await startService();
const production = await startService({
  NODE_ENV: "production",
  APP_URL: "https://app.test",
  STORAGE_DIR: "/tmp",
});
const SECRET = t.environment.JWT_SECRET ?? "";
const STREAM = "/api/notifications/stream";
const TEST = "/api/notifications/test";
const MAX_STREAMS = 10;

const nowSeconds = () => Math.floor(Date.now() / 1000);

/** Opens more streams than allowed; returns how many a user got, and closes them. */
async function freeSlots(person: Caller, url = person.url): Promise<number> {
  const streams = await race(MAX_STREAMS + 2, () => Stream.open(person, url));
  for (const stream of streams) stream.close();
  return streams.filter(({ response }) => response.status === 200).length;
}

/** Waits until a user can open all ten streams; the service notices closed connections with a delay. */
const untilAllFree = (person: Caller) =>
  until(async () => ((await freeSlots(person)) === MAX_STREAMS ? true : null));

function expectTooMany({ status, body, headers }: ApiResponse) {
  expect([status, body.code]).toEqual([429, "TOO_MANY_REQUESTS"]);
  expect(headers.get("content-type")).toBe("application/json");
  expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
}

test("opening a stream without a valid token is 401 with a JSON body", async () => {
  const person = await t.person();
  const expired = await withTokenUntil(person, SECRET, nowSeconds() - 1);
  const forged = await withTokenUntil(person, "another-secret-0123456789-0123456789", nowSeconds() + 60);
  for (const caller of [t.anonymous(), expired, forged]) {
    const response = expectStatus(await caller.get(STREAM), 401);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.body.code).toBe("UNAUTHENTICATED");
  }
  // A token in the URL is ignored, because URLs are logged.
  expectStatus(await t.anonymous().get(`${STREAM}?token=${person.accessToken}`), 401);
});

test("opening a stream with X-Organization-Id is refused, except for platform administrators", async () => {
  const [person, admin] = [await t.person(), await t.platformAdmin()];
  const headers = { "x-organization-id": crypto.randomUUID() };
  const response = expectStatus(await person.get(STREAM, { headers }), 403);
  expect(response.body.code).toBe("ORGANIZATION_OVERRIDE_FORBIDDEN");
  expectStatus(await admin.get(STREAM, { headers }), 200);
  expectStatus(await admin.get(STREAM), 200);
});

test("an invalid request is refused before the stream opens", async () => {
  const person = await t.person();
  const response = expectStatus(
    await person.get(`${STREAM}?since=1`, { headers: { "x-filter-unit": "nothing" } }),
    400,
  );
  expect(response.body.errors).toHaveLength(2);
  expect(await freeSlots(person)).toBe(MAX_STREAMS);
});

test("of many concurrent requests of one user, ten get a stream, and the others are 429 with a JSON body", async () => {
  const person = await t.person();
  const streams = await race(25, () => Stream.open(person));
  expect(streams.filter(({ response }) => response.status === 200)).toHaveLength(MAX_STREAMS);
  expectTooMany(await person.get(STREAM));
  for (const stream of streams) stream.close();
  await untilAllFree(person);
});

test("the limit of ten streams applies per user and instance", async () => {
  const [person, other] = [await t.person(), await t.person()];
  const second = await t.beside();
  const streams = await race(MAX_STREAMS, () => Stream.open(person));
  expectTooMany(await person.get(STREAM));
  expect(await freeSlots(other)).toBe(MAX_STREAMS);
  expect(await freeSlots(person, second.url)).toBe(MAX_STREAMS);
  // All sessions of a user share the limit.
  await person.login();
  expectTooMany(await person.get(STREAM));
  for (const stream of streams) expect(stream.isOver).toBe(false);
});

test("a client that disconnects frees its slot of the ten streams", async () => {
  for (let round = 0; round < 5; round += 1) {
    const person = await t.person();
    const streams = await race(MAX_STREAMS, () => Stream.open(person));
    for (const stream of streams) await stream.untilCount(1);
    for (const stream of streams) stream.close();
    await untilAllFree(person);
  }
});

test("clients that disconnect before the response free their slots of the ten streams", async () => {
  const person = await t.person();
  await race(50, async (index) => {
    const abort = new AbortController();
    const headers = { authorization: `Bearer ${person.accessToken}` };
    const response = fetch(`${t.url}${STREAM}`, { headers, signal: abort.signal }).catch(() => null);
    await Bun.sleep(index % 5);
    abort.abort();
    await response;
  });
  await untilAllFree(person);
});

test("HEAD of the stream responds like GET, and uses no slot of the ten streams", async () => {
  const person = await t.person();
  for (let nth = 0; nth < 3 * MAX_STREAMS; nth += 1) {
    const { status, headers } = await person.send("HEAD", STREAM);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toMatch(/^text\/event-stream\b/);
    expect(headers.get("x-accel-buffering")).toBe("no");
  }
  await untilAllFree(person);
});

test("streams that end because their token expired free their slots of the ten streams", async () => {
  const person = await t.person();
  // All streams are opened before this time, also on a busy machine.
  const soon = await withTokenUntil(person, SECRET, nowSeconds() + 7);
  const streams = await race(MAX_STREAMS, () => Stream.open(soon));
  expectTooMany(await person.get(STREAM));
  for (const stream of streams) await stream.untilOver();
  expect(streams.map((stream) => stream.dataOf("token-expired").length)).toEqual(streams.map(() => 1));
  expect(await freeSlots(person)).toBe(MAX_STREAMS);
});

test("a signed-in user can send themselves a test notification", async () => {
  const person = await t.person();
  const stream = await Stream.open(person);
  await stream.untilCount(1);
  const { body } = expectStatus(await person.post(TEST), 201);
  expect([body.type, body.readAt]).toEqual(["TEST", null]);
  expect(Object.keys(body.data)).toEqual(["sentAt"]);
  expect(new Date(body.data.sentAt).toISOString()).toBe(body.data.sentAt);
  await stream.untilCount(2);
  expect(stream.dataOf("notification")).toEqual([{ id: body.id }]);
  expectStatus(await t.anonymous().post(TEST), 401);
  expectStatus(await person.post(TEST, { userId: crypto.randomUUID() }), 400);
});

test("ten test notifications a minute are accepted, then 429", async () => {
  const [person, other] = [await t.person(), await t.person()];
  const sent = await race(15, () => person.post(TEST));
  expect(sent.filter(({ status }) => status === 201)).toHaveLength(10);
  for (const response of sent.filter(({ status }) => status !== 201)) expectTooMany(response);
  expect((await person.get("/api/notifications")).body.total).toBe(11);
  // The user's other browser shares the limit; another user has a separate one.
  await person.login();
  expectTooMany(await person.post(TEST));
  expectStatus(await other.post(TEST), 201);
});

test("in production the route of test notifications is 404, even without a token, and not in the OpenAPI document", async () => {
  const person = await production.person();
  // Uses fetch, because the tests' caller compares responses with the development document.
  const send = async (path: string, caller: Caller, body: string | null) => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${caller.accessToken}` };
    const response = await fetch(production.url + path, { method: "POST", body, headers });
    return { ...((await response.json()) as object), requestId: "" };
  };
  const unknown = await send("/api/notifications/nothing", production.anonymous(), null);
  expect(unknown).toMatchObject({ statusCode: 404, code: "NOT_FOUND" });
  for (const caller of [production.anonymous(), person]) {
    for (const body of [null, "{}", '{"a":1}', "{"]) expect(await send(TEST, caller, body)).toEqual(unknown);
  }
  expect((await person.get("/api/notifications")).body.total).toBe(1);
  const paths = async (service: typeof t) =>
    Object.keys((await service.anonymous().get("/api/docs-json")).body.paths);
  expect(await paths(t)).toContain(TEST);
  expect(await paths(production)).not.toContain(TEST);
  expect(await paths(production)).toContain(STREAM);
});
