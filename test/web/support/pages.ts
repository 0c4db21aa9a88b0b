import { expect } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { axe } from "./axe.ts";
import { expectSoon } from "./waits.ts";

/** Maximum time in ms until a page is loaded without placeholders, on a busy machine. */
const LIMIT_MS = 90_000;

const folder = join(import.meta.dir, "../../../src/web");

/** Returns the path of every route of the console, read from its `routes.ts` files, so new pages are included. */
export async function routePaths(): Promise<string[]> {
  const files = [...new Bun.Glob("**/{routes,public-pages}.ts").scanSync({ cwd: folder, absolute: true })];
  const texts = await Promise.all(files.map((file) => Bun.file(file).text()));
  const text = texts.join("\n");
  const paths = [...text.matchAll(/(?:\bpage\(\s*|\bpath: )"(\/[^"]*)"|"(\/[^"]*)": lazyPage\(/g)].map(
    ([, route, page]) => route ?? page ?? "",
  );
  // A page whose path is a pattern stands in a constant: it begins a sign-in at once, and has nothing to look at.
  if (paths.length !== text.match(/\bpage\(|(?<!const \w+ = )lazyPage\(/g)?.length)
    throw new Error("A route has no path that could be read");
  return paths.sort();
}

/** Whether a page is one before sign-in, which the router does not know. */
async function isPublic(path: string): Promise<boolean> {
  const files = new Bun.Glob("**/public-pages.ts").scanSync({ cwd: folder, absolute: true });
  const texts = await Promise.all([...files].map((file) => Bun.file(file).text()));
  return texts.some((text) => text.includes(`"${path.replace(/\?.*/, "")}":`));
}

/** The part of TanStack Router that it exposes in every page for its developer tools. */
type Router = {
  navigate(to: { href: string }): Promise<void>;
  state: { status: string; resolvedLocation?: { pathname: string } };
};

/**
 * Opens a page of the console, if it is one after sign-in without a reload; waits until it has no placeholder.
 * @throws Error if it redirects elsewhere or keeps a placeholder
 */
export async function visit(page: Page, path: string): Promise<void> {
  if (!(await page.evaluate("'__TSR_ROUTER__' in globalThis")) || (await isPublic(path))) {
    await page.goto(path);
    return settled(page);
  }
  // Compares the router's location, because some pages have the same heading and title.
  const where = () =>
    page.evaluate(() => {
      const { __TSR_ROUTER__: router } = globalThis as unknown as { __TSR_ROUTER__: Router };
      return router.state.resolvedLocation?.pathname;
    });
  const wanted = new URL(path, page.url()).pathname;
  await page.evaluate((href) => {
    const { __TSR_ROUTER__: router } = globalThis as unknown as { __TSR_ROUTER__: Router };
    return router.navigate({ href });
  }, path);
  // The router knows the new location a moment after the navigation, when the page is rendered.
  await expectSoon(where, wanted);
  await settled(page);
  const { pathname } = new URL(page.url());
  if (pathname !== wanted) throw new Error(`${path} leads to ${pathname}`);
}

const WAITING = ".mantine-Skeleton-root, .mantine-Loader-root, [aria-busy=true]";

/**
 * Waits until the page has its heading and no placeholder.
 * @throws Error with the page's address, on a timeout
 */
export async function settled(page: Page): Promise<void> {
  try {
    await page.locator("h1").first().waitFor({ timeout: LIMIT_MS });
    await page.locator(WAITING).first().waitFor({ state: "detached", timeout: LIMIT_MS });
  } catch (cause) {
    throw new Error(`${page.url()} does not come to rest`, { cause });
  }
}

/** Checks that a page has no axe violation, and is not wider than its window. */
export async function fits(page: Page, width = 320): Promise<void> {
  await settled(page);
  await axe(page);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
}
