import { afterEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { createOrganization } from "../support/organizations.ts";
import { expectStatus } from "../support/service.ts";
import { expectQuiet, open, sharedConsole, withoutBrowser } from "./support/browser.ts";

const t = await sharedConsole();
afterEach(expectQuiet);

/** Maximum gzipped sizes in bytes of page, scripts and styles together. */
const LIMIT = 175 * 1024;
/** The home page has charts, and the sentences of the newest events. */
const HOME_LIMIT = 250 * 1024;

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
      const page = await open(t, "/", { as: admin, language });
      await page.getByRole("heading", { name: { en: "News", el: "Νέα" }[language] }).waitFor();
      expect(await loaded(page)).toBeLessThan(HOME_LIMIT);
    },
  );
});

/** Returns the gzipped size in bytes of the page and all assets that it has loaded. */
async function loaded(page: Page): Promise<number> {
  await page.waitForLoadState("load");
  const names = await page.evaluate(() => {
    const { performance } = globalThis as unknown as { performance: Performance };
    return performance.getEntriesByType("resource").map(({ name }) => name);
  });
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
