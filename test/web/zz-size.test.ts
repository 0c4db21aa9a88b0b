import { afterEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { createOrganization } from "../support/organizations.ts";
import { expectQuiet, open, startConsole, withoutBrowser } from "./support/browser.ts";

const t = await startConsole();
afterEach(expectQuiet);

/** Maximum gzipped sizes in bytes of page, scripts, styles and icons together. */
const LIMIT = 120 * 1024;
/** The home page has charts, and the sentences of the newest events. */
const HOME_LIMIT = 185 * 1024;

/** Maximum number of requests of a page that is opened by its address, with those to the API. */
const REQUESTS = 17;

describe.skipIf(withoutBrowser)("the first load", () => {
  test("of the sign-in page stays within its limit", async () => {
    const page = await open(t, "/sign-in");
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    const n = await loaded(page); console.log("SIZE", n, LIMIT - n); expect(n).toBeLessThan(LIMIT);
  });

  test("of the home page stays within its limit, without menus and other parts that are loaded later", async () => {
    const { admin } = await createOrganization(t);
    const page = await open(t, "/", { as: admin });
    await page.getByRole("heading", { name: "News" }).waitFor();
    const n = await loaded(page); console.log("SIZE", n, HOME_LIMIT - n); expect(n).toBeLessThan(HOME_LIMIT);
  });

  test("of a deep link takes few requests, and its page is loaded with the first script", async () => {
    const { admin } = await createOrganization(t);
    const page = await open(t, "/members", { as: admin });
    await page.getByRole("row").nth(1).waitFor();
    const requests = (await resources(page)).map(({ name }) => name);
    // The document is no entry of this list.
    expect(requests.length).toBeLessThan(REQUESTS);
    const scripts = (await resources(page)).filter(({ name }) => /assets.*\.js$/.test(name));
    const first = Math.min(
      ...(await resources(page))
        .filter(({ name }) => name.includes("/api/"))
        .map(({ startTime }) => startTime),
    );
    // The scripts of the page are preloaded: none waits for the first request of the API.
    expect(scripts.filter(({ startTime }) => startTime > first)).toEqual([]);
  });
});

/** Returns the requests of a page, except the one for the document. */
function resources(page: Page): Promise<{ name: string; startTime: number }[]> {
  return page.evaluate(() => {
    const { performance } = globalThis as unknown as { performance: Performance };
    return performance.getEntriesByType("resource").map(({ name, startTime }) => ({ name, startTime }));
  });
}

/** Returns the gzipped size in bytes of the page and all assets that it has loaded. */
async function loaded(page: Page): Promise<number> {
  await page.waitForLoadState("load");
  const names = (await resources(page)).map(({ name }) => name);
  // Text is shown before its font arrives, so fonts are no part of what a reader waits for.
  const assets = new Set(names.filter((name) => name.includes("/assets/") && !name.endsWith(".woff2")));
  // Without any counted asset, the limit would never be exceeded.
  expect(assets.size).toBeGreaterThan(4);

  const sizes = [page.url(), ...assets].map(async (url) => {
    const bytes = await (await fetch(url)).arrayBuffer();
    return Bun.gzipSync(bytes, { level: 9 }).length;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
