import { afterEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { createOrganization } from "../support/organizations.ts";
import { expectStatus } from "../support/service.ts";
import { expectQuiet, open, startConsole, withoutBrowser } from "./support/browser.ts";
import { settled } from "./support/pages.ts";

const t = await startConsole();
afterEach(expectQuiet);

/** Maximum gzipped sizes in bytes of page, scripts and styles together. */
const LIMIT = 119 * 1024;
/** The home page has charts, and the sentences of the newest events. */
const HOME_LIMIT = 180 * 1024;

/** Maximum number of requests of a page that is opened by its address, with those to the API. */
const REQUESTS = 15;
/** The count of the inbox in the menu, which is requested two seconds after the page. */
const LATER = /helpdesk\/tickets\?/;

describe.skipIf(withoutBrowser)("the first load", () => {
  test("of the sign-in page stays within its limit", async () => {
    const page = await open(t, "/sign-in");
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    expect(await loaded(page)).toBeLessThan(LIMIT);
  });

  test.each(["en", "el"] as const)(
    "of the home page stays within its limit in the language %s, without menus and other parts that are loaded later",
    async (language) => {
      const { admin } = await createOrganization(t);
      expectStatus(await admin.patch("/api/profile", { language }), 200);
      const page = await open(t, "/", { as: admin, language, saveData: true });
      await page.getByRole("heading", { name: { en: "News", el: "Νέα" }[language] }).waitFor();
      expect(await textFiles(page)).toEqual([`texts-home-${language}`]);
      expect(await loaded(page)).toBeLessThan(HOME_LIMIT);
    },
  );

  test("has the texts of one language, and another language is loaded when it is chosen", async () => {
    const page = await open(t, "/sign-in", { language: "el" });
    await page.getByRole("button", { name: "Σύνδεση" }).waitFor();
    expect(await textFiles(page)).toEqual(["texts-public-el"]);

    await page.getByRole("button", { name: "English" }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    expect(await textFiles(page)).toEqual(["texts-public-el", "texts-public-en"]);

    // The chosen language is remembered, and is the only one after that.
    await page.goto("/register");
    await page.getByRole("textbox", { name: "First name" }).waitFor();
    expect(await textFiles(page)).toEqual(["texts-entry-en"]);
  });

  test.each(["/members", "/roles", "/profile/security"])(
    "of the deep link %s takes few requests, and its page is loaded with the first script",
    async (path) => {
      const { admin } = await createOrganization(t);
      const page = await open(t, path, { as: admin, saveData: true });
      await settled(page);
      const requests = (await resources(page)).map(({ name }) => name).filter((name) => !LATER.test(name));
      // The document is no entry of this list. A failure shows the requests.
      if (requests.length >= REQUESTS) expect(requests).toEqual([]);
      const scripts = (await resources(page)).filter(({ name }) => /assets.*\.js$/.test(name));
      const first = Math.min(
        ...(await resources(page))
          .filter(({ name }) => name.includes("/api/"))
          .map(({ startTime }) => startTime),
      );
      // The scripts of the page are preloaded: none waits for the first request of the API.
      expect(scripts.filter(({ startTime }) => startTime > first)).toEqual([]);
    },
  );
});

/** Returns the names of the files of texts that a page has loaded, without their hashes. */
const textFiles = async (page: Page) =>
  (await resources(page)).flatMap(({ name }) => /texts-\w+-\w+/.exec(name)?.[0] ?? []).sort();

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
  expect(assets.size).toBeGreaterThan(3);

  const sizes = [page.url(), ...assets].map(async (url) => {
    const bytes = await (await fetch(url)).arrayBuffer();
    return Bun.gzipSync(bytes, { level: 9 }).length;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
