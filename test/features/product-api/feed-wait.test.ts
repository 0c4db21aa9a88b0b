import { expect, test } from "bun:test";
import { until } from "../../support/cluster.ts";
import { createOrganization } from "../../support/organizations.ts";
import { relay } from "../../support/outgoing-events.ts";
import { PRODUCT_KEY, ProductCaller, startProduct } from "../../support/product.ts";
import { FEED, feedPage, follow, latest, startBeside } from "../../support/product-feed.ts";
import { race } from "../../support/race.ts";
import { expectStatus, startService } from "../../support/service.ts";

const { t, product } = await startProduct();
const org = await createOrganization(t);
await relay(t);
const WAIT = 30;
const change = async () =>
  expectStatus(await org.admin.post("/api/units", { name: crypto.randomUUID(), parentId: null }), 201).body
    .id;

/** Waits until as many calls of an instance wait as may: the next one is refused. */
const untilFull = (caller: ProductCaller, after: string) =>
  until(async () => ((await follow(caller, { after, wait: 1 })).status === 429 ? true : null));

/** Starts calls that wait, again if they are refused because of `untilFull`, and counts those with a response. */
function waiting(count: number, after: string, caller = product) {
  const state = { done: 0 };
  const responses = race(count, async () => {
    for (;;) {
      const response = await follow(caller, { after, wait: WAIT });
      if (response.status === 429) continue;
      state.done += 1;
      return response;
    }
  });
  return { state, responses };
}

test("calls that wait get a change as soon as it has its number, a fifth one is 429 at once, and others read meanwhile", async () => {
  const after = await latest(product);
  const { state, responses } = waiting(4, after);
  await untilFull(product, after);
  const refused = await follow(product, { after, wait: WAIT });
  expect(expectStatus(refused, 429).headers.get("retry-after")).toBe("1");
  // A call that does not wait, the product's other reads, and what it may do at once are not limited by those that wait.
  expectStatus(await follow(product, { after }), 200);
  for (const response of await race(8, () => product.in(org.id, "/api/units"))) expectStatus(response, 200);
  for (const response of await race(8, () => product.get(`/api/organizations/${org.id}`)))
    expectStatus(response, 200);
  const busy =
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'";
  expect(await t.sql(busy)).toEqual([]);
  expect(state.done).toBe(0);

  const unit = await change();
  await relay(t);
  const got = await responses;
  for (const response of got)
    expect(expectStatus(response, 200).body.data).toMatchObject([
      { type: "unit.created", object: { id: unit } },
    ]);
  // The end of the wait was far away.
  const unanswered = waiting(1, got[0]?.body.cursor);
  await Bun.sleep(100);
  expect(unanswered.state.done).toBe(0);
  await change();
  await relay(t);
  await unanswered.responses;
});

test("a call that waited in vain has no entries and the same cursor; one that begins at the end does not wait", async () => {
  const after = await latest(product);
  const since = performance.now();
  expect(await feedPage(product, { after, wait: 1 })).toEqual({ data: [], cursor: after, hasMore: false });
  expect(performance.now() - since).toBeGreaterThan(900);
  expect((await feedPage(product, { after: "latest", wait: WAIT })).cursor).toBe(after);
});

test("waiting takes no time from the database's deadline of the request", async () => {
  const short = await startBeside(t, {}, { maxWaitMs: 5_000 });
  const after = await latest(short.product);
  const { responses } = waiting(1, after, short.product);
  await Bun.sleep(6_000);
  await change();
  await relay(t);
  const [response] = await responses;
  expect(expectStatus(response as never, 200).body.data).toHaveLength(1);
});

test("a client that leaves does not wait any longer, so another one may", async () => {
  const after = await latest(product);
  const leave = new AbortController();
  const url = `${t.url}${FEED}?after=${after}&wait=${WAIT}`;
  const init = { headers: { authorization: `Bearer ${PRODUCT_KEY}` }, signal: leave.signal };
  const isRefused = () => fetch(url, init).then(({ status }) => status === 429);
  const calls = race(4, async () => {
    while (await isRefused().catch(() => false));
  });
  await untilFull(product, after);
  const since = performance.now();
  leave.abort();
  await calls;
  await until(async () => ((await follow(product, { after, wait: 1 })).status === 200 ? true : null));
  // Otherwise they would have ended with their wait.
  expect(performance.now() - since).toBeLessThan(WAIT * 1_000);
});

test("an instance that stops ends the calls that wait", async () => {
  const stopping = await startBeside(t, {});
  const after = await latest(stopping.product);
  const { state, responses } = waiting(4, after, stopping.product);
  await untilFull(stopping.product, after);
  expect(state.done).toBe(0);
  const stopped = stopping.t.running.stop();
  for (const response of await responses)
    expect(expectStatus(response, 200).body).toEqual({ data: [], cursor: after, hasMore: false });
  await stopped;
});

test("a call waits on one instance for a change that another one makes and numbers", async () => {
  const [instance] = await t.cluster(1, { PRODUCT_FILE: process.env.PRODUCT_FILE });
  const after = await latest(product);
  const { responses } = waiting(1, after);
  const units = await org.admin
    .at(instance?.url ?? "")
    .post("/api/units", { name: "Elsewhere", parentId: null });
  const { id } = expectStatus(units, 201).body;
  const [response] = await responses;
  expect(expectStatus(response as never, 200).body.data).toMatchObject([{ object: { id } }]);
  const there = new ProductCaller(instance?.url ?? "");
  expect((await feedPage(there, { after })).data).toMatchObject([{ object: { id } }]);
  await instance?.stop();
});

test("the metric shows how old the oldest entry is whose receipt the product has not sent", async () => {
  const measured = await startBeside(t, { METRICS_PORT: "0" });
  const lag = async () => {
    const text = await (await fetch(measured.t.running.metricsUrl ?? "")).text();
    return Number(/^product_feed_lag_seconds ([\d.e-]+)$/m.exec(text)?.[1] ?? Number.NaN);
  };
  const after = await latest(product);
  await feedPage(product, { after });
  await change();
  await relay(t);
  await until(async () => ((await lag()) > 0 ? true : null));
  await feedPage(product, { after: await latest(product) });
  await until(async () => ((await lag()) === 0 ? true : null));
});

test("without a product no row is for the feed", async () => {
  // Its process has a product, which a spawned instance without a manifest does not.
  const bare = await startService({ PRODUCT_KEY });
  const [instance] = await bare.cluster(1, { PRODUCT_KEY: undefined });
  const before = await bare.sql("SELECT last_position FROM feed_numbering");
  const person = await bare.person();
  const there = person.at(instance?.url ?? "");
  expectStatus(await there.post("/api/auth/organizations", { name: "Acme" }), 201);
  expectStatus(await there.patch("/api/profile", { firstName: "Grace" }), 200);
  expectStatus(await new ProductCaller(instance?.url ?? "").get(FEED), 404);
  await until(async () => ((await bare.sql("SELECT FROM event_outbox")).length === 0 ? true : null));
  expect(await bare.sql("SELECT last_position FROM feed_numbering")).toEqual(before);
  expect(await bare.sql("SELECT type FROM feed")).toEqual([]);
  expect(await bare.sql("SELECT type FROM events ORDER BY sequence")).toEqual([
    { type: "member.created" },
    { type: "member.updated" },
  ]);
  await instance?.stop();
});
