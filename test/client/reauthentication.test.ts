import { expect, test } from "bun:test";
import { type ReauthenticationDetails, settle } from "../../src/client/index.ts";
import { Jar } from "../support/browser.ts";
import type { Caller } from "../support/caller.ts";
import { idOf } from "../support/outcomes.ts";
import { startService } from "../support/service.ts";

const t = await startService();
const OPTIONS = "POST /api/profile/passkeys/options";

const makeStale = (person: Caller) =>
  t.sql("UPDATE session_proofs SET proved_at = now() - interval '11 minutes' WHERE user_id = $1", [
    idOf(person),
  ]);

/** Opens a tab of a user whose last proof is too old; `onRefusal` is what the application does with a refusal. */
async function staleTab(onRefusal?: (details: ReauthenticationDetails) => Promise<boolean>) {
  const person = await t.person();
  const jar = new Jar(t.url);
  const tab = jar.tab(onRefusal === undefined ? {} : { onReauthenticate: onRefusal });
  await tab.signIn({ email: person.email, password: person.account.password });
  await makeStale(person);
  await tab.refresh();
  const prove = () =>
    tab.request("POST /api/profile/reauthenticate", { body: { password: person.account.password } });
  return { person, jar, tab, prove };
}

test("after a refusal for lack of a recent proof, `onReauthenticate` gets the methods, and the request is repeated once", async () => {
  const asked: ReauthenticationDetails[] = [];
  const { jar, tab, prove } = await staleTab(async (details) => {
    asked.push(details);
    await prove();
    return true;
  });
  expect((await tab.request(OPTIONS)).options.rp.id).toBe("app.test");
  expect(asked).toEqual([{ methods: ["password"], maxAgeSeconds: 600 }]);
  expect([jar.count(`${OPTIONS} 403`), jar.count(`${OPTIONS} 200`)]).toEqual([1, 1]);
});

test("concurrent refusals share one call of `onReauthenticate`, and `raw` and `fetch` are repeated as well", async () => {
  let asked = 0;
  const { tab, prove } = await staleTab(async () => {
    asked += 1;
    // All three requests are refused before the proof.
    await Bun.sleep(2_000);
    await prove();
    return true;
  });
  const [one, two, three] = await Promise.all([
    tab.request(OPTIONS),
    tab.raw(OPTIONS),
    tab.fetch(`${t.url}/api/profile/passkeys/options`, { method: "POST" }),
  ]);
  expect([one.options.rp.id, two.status, three.status, asked]).toEqual(["app.test", 200, 200, 1]);
});

for (const isProven of [false, true])
  test(`a refusal that arrives after the question was answered ${isProven ? "is repeated" : "stays"} without another question`, async () => {
    let asked = 0;
    const { jar, tab, prove } = await staleTab(async () => {
      asked += 1;
      if (isProven) await prove();
      return isProven;
    });
    const [refused, settled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let sent = 0;
    jar.through(async (url, init) => {
      if (!url.endsWith("/passkeys/options") || sent++ > 0) return jar.fetch(url, init);
      const response = await jar.fetch(url, init);
      refused.resolve();
      await settled.promise;
      return response;
    });
    const late = settle(tab.request(OPTIONS));
    await refused.promise;
    expect((await settle(tab.request(OPTIONS))).ok).toBe(isProven);
    settled.resolve();
    expect((await late).ok).toBe(isProven);
    expect(asked).toBe(1);
    // A request that begins later is asked about again.
    if (isProven) return;
    await settle(tab.request(OPTIONS));
    expect(asked).toBe(2);
  });

test("a request is refused if the user declines, if the proof does not help, and without `onReauthenticate`", async () => {
  const declining = await staleTab(async () => false);
  const unhelpful = await staleTab(async () => true);
  const without = await staleTab();
  for (const { tab } of [declining, unhelpful, without]) {
    const outcome = await settle(tab.request(OPTIONS));
    if (outcome.ok || outcome.error.code !== "REAUTHENTICATION_REQUIRED") throw new Error("Not refused");
    expect(outcome.error.details.methods).toEqual(["password"]);
    expect((await tab.fetch(`${t.url}/api/profile/passkeys/options`, { method: "POST" })).status).toBe(403);
  }
  expect(declining.jar.count(`${OPTIONS} 403`)).toBe(2);
  expect(unhelpful.jar.count(`${OPTIONS} 403`)).toBe(4);
});

test("a refused request is not repeated for another user, who signed in while the first one was asked", async () => {
  const other = await t.person();
  const { jar, tab } = await staleTab(async () => {
    await tab.signIn({ email: other.email, password: other.account.password });
    return true;
  });
  expect(await settle(tab.request(OPTIONS))).toMatchObject({ ok: false, error: { status: 403 } });
  expect(jar.count(OPTIONS)).toBe(1);
});
