import { expect, test } from "bun:test";
import type { Client } from "../../src/client/client.ts";
import { Jar, TestPage } from "../support/browser.ts";
import { until } from "../support/cluster.ts";
import { createOrganization } from "../support/organizations.ts";
import { TestProxy } from "../support/proxy.ts";
import { race } from "../support/race.ts";
import { startService } from "../support/service.ts";

const t = await startService();
const MINUTE = 60;
const REFRESHED = "POST /api/auth/refresh 200";

/** Signs in a user in one tab; its clock advances only by `page.pass()`. */
async function signedIn({ page = new TestPage(), url = t.url } = {}) {
  const person = await t.person();
  const jar = new Jar(url);
  const ended: string[] = [];
  const tab = jar.tab({ page, heard: false, onSignedOut: (why) => ended.push(why) });
  await tab.signIn(person.account);
  jar.sent.length = 0;
  return { person, jar, page, tab, ended };
}

/** Sends the next `requests` requests with an invalid token, as if the token had expired. */
const spoil = (jar: Jar, requests: number) => {
  let left = requests;
  jar.through((url, init) => {
    const headers = new Headers(init.headers);
    if (left > 0) headers.set("authorization", "Bearer expired");
    left -= 1;
    return jar.fetch(url, { ...init, headers });
  });
};

const statusOf = (tab: Client) => tab.session.get().status;

test("a loading page refreshes once to find its session", async () => {
  const { jar } = await signedIn();
  const again = jar.tab();
  expect(again.session.get()).toEqual({ status: "loading", problem: null });
  // The other requests wait for the refresh that is in flight.
  const profile = await again.request("GET /api/profile");
  expect(again.session.get()).toMatchObject({ status: "signed-in", userId: profile.id });
  expect(jar.sent).toEqual([REFRESHED, "GET /api/profile 200"]);
});

test('a page without a session is signed out, without a "session ended" event', async () => {
  const ended: string[] = [];
  const tab = new Jar(t.url).tab({ onSignedOut: (why) => ended.push(why) });
  await tab.refresh();
  expect([tab.session.get(), ended]).toEqual([{ status: "signed-out" }, []]);
});

test("concurrently rejected requests share one refresh, and each is retried once", async () => {
  const { jar, tab } = await signedIn();
  spoil(jar, 12);
  const profiles = await race(12, () => tab.request("GET /api/profile"));
  expect(new Set(profiles.map(({ id }) => id)).size).toBe(1);
  expect(jar.count("POST /api/auth/refresh")).toBe(1);
  expect([jar.count("GET /api/profile 401"), jar.count("GET /api/profile 200")]).toEqual([12, 12]);
});

test("a request that is rejected even with a refreshed token fails without another retry", async () => {
  const { jar, tab } = await signedIn();
  const real = jar.fetch;
  jar.through((url, init) => {
    const headers = new Headers(init.headers);
    if (!url.includes("/api/auth/")) headers.set("authorization", "Bearer never");
    return real(url, { ...init, headers });
  });
  const failure = await tab.request("GET /api/profile").catch((error) => error);
  expect([failure.name, failure.code]).toEqual(["ApiError", "UNAUTHENTICATED"]);
  expect(jar.sent).toEqual(["GET /api/profile 401", REFRESHED, "GET /api/profile 401"]);
  expect(statusOf(tab)).toBe("signed-in");
});

test('after the service ends a session, the next refresh signs the tab out, with one "session ended" event', async () => {
  const { person, tab, ended } = await signedIn();
  await t.sql("DELETE FROM refresh_tokens WHERE user_id = (SELECT id FROM users WHERE email = $1)", [
    person.email,
  ]);
  await race(5, () => tab.refresh());
  expect([tab.session.get(), ended]).toEqual([{ status: "signed-out" }, ["ended"]]);
});

test("a visible page refreshes its token before it expires; a hidden one when it becomes visible", async () => {
  const { jar, page } = await signedIn();
  await page.pass(13 * MINUTE);
  expect(jar.sent).toEqual([]);
  await page.pass(MINUTE + 59);
  await until(() => (jar.sent.at(-1) === REFRESHED ? true : null));
  page.show(false);
  await page.pass(40 * MINUTE);
  expect(jar.sent).toEqual([REFRESHED]);
  page.show(true);
  await page.pass(1);
  await until(() => (jar.count(REFRESHED) === 2 ? true : null));
});

test("a refresh that is 429 with Retry-After 60 is not sent again within that minute", async () => {
  const { jar, page, tab, ended } = await signedIn();
  const body = { statusCode: 429, code: "TOO_MANY_REQUESTS", message: "Too many", requestId: "x" };
  let sent = 0;
  jar.through(async () => {
    sent += 1;
    return Response.json(body, { status: 429, headers: { "retry-after": "60" } });
  });
  const refuse = () => tab.refresh().catch((error) => [error.code, error.retryAfter]);
  expect(await refuse()).toEqual(["TOO_MANY_REQUESTS", 60]);
  await page.pass(58);
  expect(await refuse()).toEqual(["TOO_MANY_REQUESTS", 60]);
  expect(sent).toBe(1);
  await page.pass(10);
  await until(() => (sent === 2 ? true : null));
  expect(ended).toEqual([]);
});

test("a hidden page refreshes its token only for a request", async () => {
  const { jar, page, tab } = await signedIn();
  page.show(false);
  await page.pass(20 * MINUTE);
  await tab.request("GET /api/profile");
  expect(jar.sent).toEqual([REFRESHED, "GET /api/profile 200"]);
});

test("after the computer slept, a request refreshes the expired token first", async () => {
  const { jar, page, tab, ended } = await signedIn();
  page.sleep(8 * 60 * MINUTE);
  await tab.request("GET /api/profile");
  expect([jar.sent, ended]).toEqual([[REFRESHED, "GET /api/profile 200"], []]);
});

test("a page that was frozen refreshes when it resumes, because it may have missed the end of the session", async () => {
  const { person, page, tab, ended } = await signedIn();
  await person.login();
  await t.sql("DELETE FROM refresh_tokens WHERE user_id = (SELECT id FROM users WHERE email = $1)", [
    person.email,
  ]);
  page.show(true, { restored: true });
  await until(() => (statusOf(tab) === "signed-out" ? true : null));
  expect(ended).toEqual(["ended"]);
});

for (const minutes of [-10, 10])
  test(`a browser clock that is ${minutes} minutes off does not change when tokens are refreshed`, async () => {
    const page = new TestPage({ skewMs: minutes * 60_000 });
    const { jar, tab } = await signedIn({ page });
    await tab.request("GET /api/profile");
    await page.pass(13 * MINUTE);
    await tab.request("GET /api/profile");
    expect(jar.count("POST /api/auth/refresh")).toBe(0);
    await page.pass(2 * MINUTE);
    await until(() => (jar.count(REFRESHED) === 1 ? true : null));
  });

test("a change of the browser's clock while the page is open ends no session", async () => {
  for (const minutes of [-10, 10]) {
    const { page, tab, jar, ended } = await signedIn();
    page.sleep(minutes * MINUTE);
    await tab.request("GET /api/profile");
    await page.pass(5 * MINUTE);
    await tab.request("GET /api/profile");
    expect([statusOf(tab), ended]).toEqual(["signed-in", []]);
    expect(jar.count("POST /api/auth/refresh")).toBeLessThanOrEqual(1);
  }
});

test("neither an unavailable network nor a busy service ends a session, and both are retried", async () => {
  const { jar, page, tab, ended } = await signedIn();
  const real = jar.fetch;
  const busy = { statusCode: 503, code: "SERVICE_UNAVAILABLE", message: "Busy", requestId: "x" };
  for (const response of [
    () => Promise.reject(new TypeError("fetch failed")),
    async () => Response.json(busy, { status: 503, headers: { "retry-after": "1" } }),
    async () => new Response("<h1>502 Bad Gateway</h1>", { status: 502 }),
  ]) {
    let asked = 0;
    jar.through(() => {
      asked += 1;
      return response();
    });
    const failing = tab.refresh().catch((error) => error.code);
    await untilSettled(page, failing);
    expect(await failing).toMatch(/NETWORK_ERROR|SERVICE_UNAVAILABLE|UNEXPECTED_RESPONSE/);
    expect(asked).toBe(4);
    expect([statusOf(tab), ended]).toEqual(["signed-in", []]);
  }
  jar.through(real);
  await page.pass(60);
  await until(() => (jar.sent.at(-1) === REFRESHED ? true : null));
});

test("a page that loads while the service is down keeps the status `loading` with the error, and retries", async () => {
  const { jar } = await signedIn();
  const real = jar.fetch;
  jar.through(() => Promise.reject(new TypeError("fetch failed")));
  const page = new TestPage();
  const tab = jar.tab({ page, heard: false });
  await untilSettled(
    page,
    tab.request("GET /api/profile").catch((error) => error.code),
  );
  expect(tab.session.get()).toMatchObject({ status: "loading", problem: { code: "NETWORK_ERROR" } });
  jar.through(real);
  await page.pass(31);
  await until(() => (statusOf(tab) === "signed-in" ? true : null));
});

test("a refresh whose response was lost is retried at once, within the grace period of the replaced cookie", async () => {
  const proxy = await TestProxy.start(t.url);
  const { jar, page, tab } = await signedIn({ url: proxy.url });
  proxy.silenceResponses(true);
  const refreshing = tab.refresh();
  await until(async () => ((await rotated(jar)) ? true : null));
  proxy.silenceResponses(false);
  proxy.cut();
  await untilSettled(page, refreshing);
  await tab.request("GET /api/profile");
  expect(statusOf(tab)).toBe("signed-in");
});

test("a refresh that hangs is aborted and retried", async () => {
  const proxy = await TestProxy.start(t.url);
  const { page, tab } = await signedIn({ url: proxy.url });
  proxy.silence(true);
  const refreshing = tab.refresh();
  await page.pass(7, { patiently: false });
  proxy.silence(false);
  await page.pass(2, { patiently: false });
  await untilSettled(page, refreshing);
  expect(statusOf(tab)).toBe("signed-in");
});

test("all attempts of a refresh begin within the grace period of the replaced cookie, even if each one hangs", async () => {
  const { jar, page, tab } = await signedIn();
  const begun: number[] = [];
  jar.through((_url, init) => {
    begun.push(page.seconds);
    return new Promise((_, reject) => {
      init.signal?.addEventListener("abort", () => reject(init.signal?.reason));
    });
  });
  const refreshing = tab.refresh().catch((error) => error.code);
  while (begun.length < 4) await page.pass(0.1, { patiently: false });
  jar.through(jar.fetch);
  await page.pass(10, { patiently: false });
  expect(await refreshing).toBe("TIMEOUT");
  const [first = 0] = begun;
  expect(begun.every((at) => at - first < 30)).toBe(true);
});

test("a session is the same object until it changes", async () => {
  const { admin } = await createOrganization(t);
  const jar = new Jar(t.url);
  const tab = jar.tab();
  await tab.signIn(admin.account);
  const first = tab.session.get();
  const told: unknown[] = [];
  const forget = tab.session.subscribe(() => told.push(tab.session.get()));
  await tab.refresh();
  expect(tab.session.get()).toBe(first);
  await tab.request("PATCH /api/organization", { body: { name: "Renamed" } });
  await tab.refresh();
  expect(told).toEqual([{ ...first, organization: expect.objectContaining({ name: "Renamed" }) }]);
  forget();
  await tab.signOut();
  expect(told.length).toBe(1);
});

/** Advances the page's clock until a promise is settled. */
async function untilSettled(page: TestPage, work: Promise<unknown>): Promise<void> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  void work.then(over, over);
  await until(async () => {
    await page.pass(0.1);
    return isOver ? true : null;
  });
}

/** Returns whether the service has revoked the browser's refresh cookie. */
async function rotated(jar: Jar): Promise<boolean> {
  const digest = new Bun.CryptoHasher("sha256").update(jar.cookie ?? "").digest("hex");
  const rows = await t.sql<{ revoked: boolean }>(
    "SELECT revoked_at IS NOT NULL AS revoked FROM refresh_tokens WHERE token_hash = $1",
    [digest],
  );
  return rows[0]?.revoked ?? false;
}

test("with `remember`, a page refreshes at load only if a user was signed in; `refresh()` always does", async () => {
  const person = await t.person();
  const jar = new Jar(t.url);
  const kept = { isSignedIn: null as boolean | null };
  const ended: string[] = [];
  const page = () => jar.remembering(kept, { onSignedOut: (why) => ended.push(why) });
  const settled = (tab: Client) => until(() => (statusOf(tab) === "loading" ? null : statusOf(tab)));

  // Nothing is remembered (null), so the page refreshes.
  expect([await settled(page()), jar.count("POST /api/auth/refresh 401")]).toEqual(["signed-out", 1]);
  kept.isSignedIn = false;
  const first = page();
  expect([await settled(first), jar.count("POST /api/auth/refresh")]).toEqual(["signed-out", 1]);
  await first.signIn(person.account);
  expect(await settled(page())).toBe("signed-in");
  // The memory was cleared, but the browser still has the cookie.
  kept.isSignedIn = false;
  const asking = page();
  void asking.refresh();
  expect([await settled(asking), kept.isSignedIn]).toEqual(["signed-in", true]);
  expect(ended).toEqual([]);

  // The session ended while no page was open.
  jar.cookie = null;
  expect([await settled(page()), ended, kept.isSignedIn]).toEqual(["signed-out", ["ended"], false]);
});
