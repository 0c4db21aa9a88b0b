import { expect } from "bun:test";
import type { Locator, Page } from "playwright-core";

/** Maximum time in ms until a page has an expected state, on a busy machine. */
const LIMIT_MS = 90_000;
const EVERY_MS = 50;

/**
 * Reads a value again until it equals the expected one, because Playwright's reads, such as `count()` and
 * `inputValue()`, do not wait for a state.
 * @example await expectSoon(() => rows.count(), 2);
 */
export async function expectSoon<T>(read: () => T | Promise<T>, expected: unknown): Promise<void> {
  const deadline = Date.now() + LIMIT_MS;
  for (;;) {
    const value = await read();
    try {
      return expect(value).toEqual(expected as never);
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await Bun.sleep(EVERY_MS);
  }
}

/** Waits until an element has the focus: keys that are pressed earlier go elsewhere. */
export const focused = (locator: Locator): Promise<void> =>
  locator.and(locator.page().locator(":focus")).waitFor();

/**
 * Waits until the focus is within a dialog or menu. It moves there a moment after the dialog is shown, in a menu first to
 * an element without size.
 */
export const focusWithin = (locator: Locator): Promise<void> =>
  locator.page().locator(":focus").and(locator.locator("*").or(locator)).waitFor({ state: "attached" });

/** Waits until the address of a page has this search parameter. */
export const searchIs = (page: Page, name: string, value: string): Promise<void> =>
  page.waitForURL((url) => url.searchParams.get(name) === value);

/** Holds all requests with this method and path until `release()` is called. */
export async function hold(page: Page, method: string, path: string) {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  let count = 0;
  await page.route(path, async (route) => {
    if (route.request().method() !== method) return route.fallback();
    count += 1;
    await promise;
    await route.continue();
  });
  return { release, count: () => count };
}
