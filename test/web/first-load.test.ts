import { afterEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { createOrganization } from "../support/organizations.ts";
import { expectQuiet, open, startConsole, withoutBrowser } from "./support/browser.ts";

const t = await startConsole();
afterEach(expectQuiet);

/** Bytes, gzipped: page, scripts, styles and icons. */
const LIMIT = 180 * 1024;

describe.skipIf(withoutBrowser)("the first load", () => {
  test("of the sign-in page stays within its limit", async () => {
    const page = await open(t, "/sign-in");
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    expect(await loaded(page)).toBeLessThan(LIMIT);
  });

  test("of the home page stays within its limit, menus and all else that is asked for later apart", async () => {
    const { admin } = await createOrganization(t);
    const page = await open(t, "/", { as: admin });
    await page.getByRole("heading", { name: "News" }).waitFor();
    expect(await loaded(page)).toBeLessThan(LIMIT);
  });
});

/** The bytes of everything that the page has loaded, as they would be sent. */
async function loaded(page: Page): Promise<number> {
  await page.waitForLoadState("load");
  const names = await page.evaluate(() => {
    const { performance } = globalThis as unknown as { performance: Performance };
    return performance.getEntriesByType("resource").map(({ name }) => name);
  });
  const assets = new Set(names.filter((name) => name.includes("/assets/")));
  // What would be counted as nothing must not pass.
  expect(assets.size).toBeGreaterThan(5);
  const sizes = [page.url(), ...assets].map(async (url) => {
    const bytes = await (await fetch(url)).arrayBuffer();
    return Bun.gzipSync(bytes, { level: 9 }).length;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
