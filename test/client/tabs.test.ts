import { expect, test } from "bun:test";
import type { Client } from "../../src/client/client.ts";
import { Jar, TestPage } from "../support/browser.ts";
import { until } from "../support/cluster.ts";
import { ROUNDS, race } from "../support/race.ts";
import { startService } from "../support/service.ts";

const t = await startService();

/** How often ten tabs refresh together: 1,000 times with ROUNDS=200. */
const REFRESHES = ROUNDS * 5;
const TABS = 10;

/** Opens ten tabs of one browser, all signed in as the same user. */
async function browserWith(options: { heard?: boolean } = {}) {
  const person = await t.person();
  const jar = new Jar(t.url);
  const ended: string[] = [];
  const tabs = Array.from({ length: TABS }, () =>
    jar.tab({ ...options, onSignedOut: (why) => ended.push(why) }),
  );
  const [first] = tabs as [Client, ...Client[]];
  await first.signIn(person.account);
  // Tabs without the shared channel learn of the sign-in by a refresh.
  await Promise.all(tabs.map((tab) => tab.refresh()));
  await until(() => (tabs.every((tab) => tab.session.get().status === "signed-in") ? true : null));
  return { person, jar, tabs, first, ended };
}

const signedIn = (tabs: Client[]) => tabs.filter((tab) => tab.session.get().status === "signed-in").length;
const reuses = async () =>
  Number((await t.sql("SELECT FROM audit_events WHERE action = 'REFRESH_TOKEN_REUSED'")).length);

/** Waits up to 30 ms, because actions of people and timers in two tabs are never simultaneous. */
const moment = () => Bun.sleep(Math.random() * 30);

test("ten tabs of one browser refresh together repeatedly without being signed out", async () => {
  const { jar, tabs, ended } = await browserWith();
  const before = jar.sent.length;
  for (let done = 0; done < REFRESHES; done += TABS)
    await race(TABS, async (index) => {
      await moment();
      await tabs[index]?.refresh();
    });
  const asked = jar.sent.slice(before);
  expect([ended, signedIn(tabs), await reuses()]).toEqual([[], TABS, 0]);
  expect(asked.filter((one) => one !== "POST /api/auth/refresh 200")).toEqual([]);
  expect(asked.length).toBeGreaterThan(REFRESHES / TABS);
});

test("ten tabs without a shared channel that refresh at the same moment are not signed out either", async () => {
  const { jar, tabs, ended } = await browserWith({ heard: false });
  const before = jar.sent.length;
  for (let done = 0; done < REFRESHES; done += TABS)
    await race(TABS, async (index) => tabs[index]?.refresh());
  const asked = jar.sent.slice(before);
  expect([ended, signedIn(tabs), await reuses()]).toEqual([[], TABS, 0]);
  expect(asked.filter((one) => one !== "POST /api/auth/refresh 200")).toEqual([]);
  expect(asked.length).toBeGreaterThanOrEqual(REFRESHES);
});

test("ten tabs that are open for two hours send about one refresh per token lifetime together", async () => {
  const person = await t.person();
  const jar = new Jar(t.url);
  const pages = Array.from({ length: TABS }, () => new TestPage({ random: Math.random }));
  const tabs = pages.map((page) => jar.tab({ page }));
  const signingIn = tabs[0]?.signIn(person.account);
  await until(async () => {
    for (const page of pages) await page.pass(0.1);
    return signedIn(tabs) === TABS ? true : null;
  });
  await signingIn;
  // Tokens issued in the same second as the sign-in do not replace its token, and the service's clock is real time.
  const second = Math.floor(Date.now() / 1000);
  await until(() => (Math.floor(Date.now() / 1000) > second ? true : null));
  const before = jar.sent.length;
  for (let minutes = 0; minutes < 120; minutes += 1 / 60) {
    for (const page of pages) await page.pass(1);
    if (jar.sent.at(-1)?.endsWith(" 0")) await until(() => (jar.sent.at(-1)?.endsWith(" 0") ? null : true));
  }
  const asked = jar.sent.slice(before);
  expect(asked.filter((one) => one !== "POST /api/auth/refresh 200")).toEqual([]);
  // A token lives 15 minutes and is refreshed up to one minute before its end; two tabs may choose the same second.
  expect(asked.length).toBeGreaterThanOrEqual(8);
  expect(asked.length).toBeLessThanOrEqual(16);
});

test("tabs that switch the organization, refresh and make requests at the same time are not signed out", async () => {
  const { person, tabs, ended, first } = await browserWith();
  for (const name of ["One", "Two"]) await first.request("POST /api/auth/organizations", { body: { name } });
  const organizations = await first.request("GET /api/auth/organizations");
  const ids = organizations.map(({ id }) => id);
  for (let round = 0; round < ROUNDS; round += 1) {
    const id = ids[round % ids.length] as string;
    await race(TABS, async (index) => {
      const tab = tabs[index] as Client;
      await moment();
      if (index === 0) await tab.switchOrganization(id);
      else if (index < 5) await tab.refresh();
      else await tab.request("GET /api/profile");
    });
    // All tabs receive the new organization, even if another refresh completed meanwhile.
    await until(() => (tabs.every((tab) => organizationOf(tab) === id) ? true : null));
  }
  expect([person.email !== "", ended, signedIn(tabs), await reuses()]).toEqual([true, [], TABS, 0]);
});

test("signing out in one tab signs out all tabs, even while they refresh, and no other session of the user", async () => {
  for (let round = 0; round < Math.min(ROUNDS, 20); round += 1) {
    const { person, tabs, ended } = await browserWith();
    await race(TABS, async (index) => {
      const tab = tabs[index] as Client;
      if (index === 0) await tab.signOut();
      else await tab.refresh();
    });
    await until(() => (signedIn(tabs) === 0 ? true : null));
    expect(ended.length).toBe(TABS);
    // A tab of another browser, with its own session.
    expect((await person.refresh()).status).toBe(200);
  }
  expect(await reuses()).toBe(0);
});

test("if the service has ended the session, all tabs name that as the reason, whichever asks first", async () => {
  const { person, tabs, ended } = await browserWith();
  const end =
    "UPDATE refresh_tokens SET expires_at = now() WHERE user_id = (SELECT id FROM users WHERE email = $1)";
  await t.sql(end, [person.email]);
  await tabs[3]?.refresh();
  await until(() => (signedIn(tabs) === 0 ? true : null));
  expect(ended).toEqual(tabs.map(() => "ended"));
});

test("only the tab in which the user signs out names that as the reason; the others name another tab", async () => {
  const { tabs, first, ended } = await browserWith();
  await first.signOut();
  await until(() => (signedIn(tabs) === 0 ? true : null));
  expect(ended.sort()).toEqual(["signed-out", ...tabs.slice(1).map(() => "signed-out-elsewhere")]);
});

test("signing in as another user in one tab applies to all tabs", async () => {
  const { tabs, first } = await browserWith();
  const other = await t.person();
  await first.signIn(other.account);
  const { userId } = first.session.get() as { userId: string };
  await until(() =>
    tabs.every((tab) => (tab.session.get() as { userId: string }).userId === userId) ? true : null,
  );
  const profile = await tabs[5]?.request("GET /api/profile");
  expect(profile?.email).toBe(other.email);
});

const organizationOf = (tab: Client) => {
  const session = tab.session.get();
  return session.status === "signed-in" ? session.organization?.id : undefined;
};

test("concurrent switches of the organization in several tabs are serialized, and none fails", async () => {
  const { tabs, ended, first, jar } = await browserWith();
  for (const name of ["One", "Two"]) await first.request("POST /api/auth/organizations", { body: { name } });
  const ids = (await first.request("GET /api/auth/organizations")).map(({ id }) => id);
  const before = jar.sent.length;
  for (let round = 0; round < Math.min(ROUNDS, 20); round += 1)
    await race(3, async (index) => {
      await moment();
      await tabs[index]?.switchOrganization(ids[index % ids.length] as string);
    });
  const refused = jar.sent.slice(before).filter((one) => !one.endsWith(" 200"));
  expect([refused, ended, signedIn(tabs), await reuses()]).toEqual([[], [], TABS, 0]);
});

test("a tab that disappears during an operation blocks the others for at most ten seconds", async () => {
  const person = await t.person();
  const jar = new Jar(t.url);
  const [first, second] = [jar.tab(), jar.tab()];
  await first.signIn(person.account);
  await until(() => (second.session.get().status === "signed-in" ? true : null));
  jar.through(() => new Promise(() => {}));
  void first.refresh().catch(() => {});
  await Bun.sleep(100);
  first.close();
  jar.through(jar.fetch);
  await second.refresh();
  expect(second.session.get().status).toBe("signed-in");
});
