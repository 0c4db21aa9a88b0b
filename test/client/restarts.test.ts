import { expect, test } from "bun:test";
import type { Client } from "../../src/client/client.ts";
import { Jar } from "../support/browser.ts";
import { until } from "../support/cluster.ts";
import { TestProxy } from "../support/proxy.ts";
import { ROUNDS } from "../support/race.ts";
import { startService } from "../support/service.ts";

const t = await startService();
const TABS = 10;
/** The number of restarts: 50 with ROUNDS=200. */
const RESTARTS = Math.ceil(ROUNDS / 4);

const reuses = async () =>
  (await t.sql("SELECT FROM audit_events WHERE action = 'REFRESH_TOKEN_REUSED'")).length;

test("ten tabs that refresh, request and stream through repeated restarts stay signed in", async () => {
  const person = await t.person();
  let [instance] = await t.cluster(1);
  const proxy = await TestProxy.start(instance?.url ?? "");
  const jar = new Jar(proxy.url);
  const ended: string[] = [];
  const tabs = Array.from({ length: TABS }, () => jar.tab({ onSignedOut: (why) => ended.push(why) }));
  await (tabs[0] as Client).signIn(person.account);
  const counts = tabs.map(() => 0);
  tabs.slice(0, 5).forEach((tab, index) => {
    tab.notifications.stream({
      onUnreadCount: () => {
        counts[index] = (counts[index] ?? 0) + 1;
      },
    });
  });
  await until(() => (tabs.every((tab) => tab.session.get().status === "signed-in") ? true : null));

  // These tabs were loaded before the user signed in.
  const refused = jar.count("POST /api/auth/refresh 401");

  const over = new AbortController();
  const failures: string[] = [];
  const done = tabs.map(() => 0);
  const working = tabs.map(async (tab, index) => {
    while (!over.signal.aborted) {
      const what = index % 2 === 0 ? tab.refresh() : tab.request("GET /api/profile");
      await what.then(
        () => {
          done[index] = (done[index] ?? 0) + 1;
        },
        (error) => failures.push(error.code),
      );
      await Bun.sleep(20 + Math.random() * 80);
    }
  });

  for (let round = 0; round < RESTARTS; round += 1) {
    const before = [...done];
    const [next] = await t.cluster(1);
    await instance?.stop();
    // Requests fail while no process listens on the port.
    await Bun.sleep(Math.random() * 300);
    instance = next;
    proxy.lead(next?.url ?? "");
    await until(() => (done.every((count, index) => count > (before[index] ?? 0) + 1) ? true : null));
  }
  const heard = [...counts];
  await tabs[9]?.request("POST /api/notifications/test");
  await until(() => (counts.slice(0, 5).every((count, index) => count > (heard[index] ?? 0)) ? true : null));
  over.abort();
  await Promise.all(working);

  expect([ended, await reuses()]).toEqual([[], 0]);
  expect(tabs.filter((tab) => tab.session.get().status !== "signed-in")).toEqual([]);
  expect(new Set(failures).isSubsetOf(new Set(["NETWORK_ERROR", "SERVICE_UNAVAILABLE"]))).toBe(true);
  expect(jar.count("POST /api/auth/refresh 401")).toBe(refused);
}, 1_800_000);
