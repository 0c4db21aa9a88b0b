import { afterEach, expect, test } from "bun:test";
import { AppDocuments, type Served } from "../../support/app-documents.ts";
import { AUTHORIZATIONS, queryOf } from "../../support/apps.ts";
import type { Caller } from "../../support/caller.ts";
import { until } from "../../support/cluster.ts";
import { counter } from "../../support/front-door.ts";
import { expectStatus, startService } from "../../support/service.ts";

/* How long documents of apps are kept, and how many are fetched (rule 46.43; AP27). */

const documents = await AppDocuments.start();
const t = await startService({ OAUTH: "on", METRICS_PORT: "0" });
const person = await t.person();

const begin = ({ id, redirectUri }: Served, caller: Caller) =>
  caller.post(AUTHORIZATIONS, { query: queryOf(id, { redirect_uri: redirectUri }) });
const people = await Promise.all(Array.from({ length: 50 }, () => t.person()));
const age = ({ id }: Served, by: { minutes?: number; seconds?: number; days?: number; hours?: number }) =>
  t.age("oauth_client_documents", { url: id }, by);
const isKept = async ({ id }: Served) =>
  (await t.sql("SELECT FROM oauth_client_documents WHERE url = $1", [id])).length === 1;

const { now } = performance;
afterEach(() => {
  performance.now = now;
});

test("a document is kept as max-age says, between five minutes and a day, and an hour without it", async () => {
  const cases: [cacheControl: string, seconds: number][] = [
    ["max-age=600", 600],
    ["public, Max-Age=7200, must-revalidate", 7_200],
    ["max-age=1", 300],
    ["no-store, max-age=0", 300],
    ["max-age=999999999999999999999", 86_400],
    ["s-maxage=7200", 3_600],
    ["", 3_600],
  ];
  const caller = await t.person();
  for (const [cacheControl, seconds] of cases) {
    const served = documents.publish({}, { headers: { "cache-control": cacheControl } });
    expectStatus(await begin(served, caller), 200);
    await age(served, { seconds: seconds - 30 });
    expectStatus(await begin(served, caller), 200);
    expect([cacheControl, documents.countOf(served)]).toEqual([cacheControl, 1]);
    await age(served, { seconds: 31 });
    expectStatus(await begin(served, caller), 200);
    expect([cacheControl, documents.countOf(served)]).toEqual([cacheControl, 2]);
  }
});

test("a document that has expired is not used while it cannot be fetched; a failure counts for a minute", async () => {
  const served = documents.publish();
  expectStatus(await begin(served, person), 200);
  await age(served, { hours: 1, seconds: 1 });
  served.sending.status = 503;
  expectStatus(await begin(served, person), 400);
  served.sending.status = 200;
  expectStatus(await begin(served, person), 400);
  expect(documents.countOf(served)).toBe(2);
  await age(served, { seconds: 61 });
  expectStatus(await begin(served, person), 200);
  expect(documents.countOf(served)).toBe(3);
  // A failure that is past does not count.
  expectStatus(await begin(served, person), 200);
  expect(documents.countOf(served)).toBe(3);
});

test("50 people at once cause one fetch, on two instances two at most (AP27)", async () => {
  const served = documents.publish({}, { delayMs: 300 });
  const statuses = async (at?: string) =>
    new Set(
      (await Promise.all(people.map((one) => begin(served, at ? one.at(at) : one)))).map((r) => r.status),
    );
  expect(await statuses()).toEqual(new Set([200]));
  expect(documents.countOf(served)).toBe(1);

  const other = await t.beside();
  await age(served, { hours: 2 });
  await Promise.all([statuses(), statuses(other.url)]);
  expect(documents.countOf(served)).toBeLessThanOrEqual(3);
  await statuses(other.url);
  expect(documents.countOf(served)).toBeLessThanOrEqual(3);
});

test("10 documents are fetched at once, two for one person; the others wait", async () => {
  const alone = await t.person();
  const cases: [callers: Caller[], atOnce: number][] = [
    [Array.from({ length: 6 }, () => alone), 2],
    [people.slice(0, 30), 10],
  ];
  for (const [callers, atOnce] of cases) {
    documents.mostAtOnce = 0;
    const gate = Promise.withResolvers<void>();
    const waiting = callers.map((caller) => begin(documents.publish({}, { after: gate.promise }), caller));
    await until(async () => (documents.atOnce === atOnce ? true : null));
    gate.resolve();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(callers.map(() => 200));
    expect(documents.mostAtOnce).toBe(atOnce);
  }
});

test("a person may cause 30 fetches an hour; what is known stays readable, and others are not concerned (AP27)", async () => {
  const caller = await t.person();
  for (let at = 0; at < 30; at += 1) expectStatus(await begin(documents.publish(), caller), 200);
  // Past the limit of the route, which is by the minute.
  performance.now = () => now.call(performance) + 61_000;
  const served = documents.publish();
  const refused = expectStatus(await begin(served, caller), 429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(3_000);
  expect(documents.countOf(served)).toBe(0);
  expect((await counter(t, "oauth_documents_total"))["outcome=limited"]).toBe(1);

  expectStatus(await begin(served, await t.person()), 200);
  expectStatus(await begin(served, caller), 200);
});

test("one who is over the limit does not keep others from a document that they ask for at once", async () => {
  const caller = await t.person();
  for (let at = 0; at < 30; at += 1) expectStatus(await begin(documents.publish(), caller), 200);
  performance.now = () => now.call(performance) + 61_000;
  const served = documents.publish();
  const others = people.slice(0, 5);
  const [first, ...rest] = await Promise.all([caller, ...others].map((one) => begin(served, one)));
  expect([200, 429]).toContain(first?.status ?? 0);
  expect(rest.map(({ status }) => status)).toEqual(Array(5).fill(200));
  expect(documents.countOf(served)).toBe(1);
});

test("nothing is fetched for those who are not signed in, nor by the token endpoint (AP27)", async () => {
  const served = documents.publish();
  expectStatus(await begin(served, t.anonymous()), 401);
  const form = new URLSearchParams({ grant_type: "authorization_code", code: "x", client_id: served.id });
  for (const path of ["token", "revoke"])
    await fetch(`${t.url}/api/oauth/${path}`, { method: "POST", body: form });
  expect(documents.countOf(served)).toBe(0);
  expect(await isKept(served)).toBe(false);
});

test("documents that nobody asked for in 30 days are deleted", async () => {
  const [old, recent] = [documents.publish(), documents.publish({}, { status: 404 })];
  await begin(old, person);
  await begin(recent, person);
  await age(old, { days: 30, minutes: 1 });
  await age(recent, { days: 29 });
  await t.sql("INSERT INTO pgboss.job (name) VALUES ('sessions.clean-up')");
  await t.drain();
  expect([await isKept(old), await isKept(recent)]).toEqual([false, true]);
});
