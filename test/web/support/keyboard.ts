import type { Locator, Page } from "playwright-core";
import { focusWithin } from "./waits.ts";

/** Executed in the page, not in the test's process. */
const matches = (element: unknown, selector: string) =>
  (element as { matches(selector: string): boolean }).matches(selector);

/** Maximum number of Tab presses; no page has as many focusable elements. */
const MOST = 120;

/** Presses Tab until `target` has visible focus. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let pressed = 0; pressed < MOST; pressed += 1) {
    await page.keyboard.press("Tab");
    const isThere = await target.evaluate(matches, ":focus-visible");
    if (isThere) return;
  }
  throw new Error(`Tab does not lead to ${target}`);
}
/** Locators of elements by their whole names. */
export const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });
export const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });
/** Presses Tab until `target` has focus, then Enter. */
export async function press(page: Page, target: Locator) {
  await tabTo(page, target);
  await page.keyboard.press("Enter");
}
/** Presses ArrowDown until the item of an open menu has focus, then Enter. */
export async function choose(page: Page, name: string) {
  const item = page.getByRole("menuitem", { name });
  await item.waitFor();
  await focusWithin(page.getByRole("menu"));
  for (let pressed = 0; pressed < MOST; pressed += 1) {
    await page.keyboard.press("ArrowDown");
    if (await item.evaluate(matches, ":focus")) return page.keyboard.press("Enter");
  }
  throw new Error(`ArrowDown does not lead to ${name}`);
}
/** Presses Tab until `target` has focus, and types a text in place of its content. */
export async function type(page: Page, target: Locator, text: string) {
  await tabTo(page, target);
  await page.keyboard.press("Control+a");
  await page.keyboard.type(text);
}
