import type { Page } from "playwright-core";

/** Goes to a page of the console without loading it again; waits until nothing on it is a placeholder. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.evaluate(`(() => {
    const heading = document.querySelector("h1");
    heading?.setAttribute("data-old", heading.textContent);
    history.pushState(null, "", ${JSON.stringify(path)});
  })()`);
  // Another heading, or another text in the same one.
  const isOld = `(() => {
    const heading = document.querySelector("h1");
    return heading === null || heading.getAttribute("data-old") === heading.textContent;
  })()`;
  while (await page.evaluate(isOld)) await Bun.sleep(20);
  await settled(page);
}

/** Waits until nothing on the page is a placeholder. */
export async function settled(page: Page): Promise<void> {
  const waiting = ".mantine-Skeleton-root, .mantine-Loader-root, [aria-busy=true]";
  await page.locator(waiting).first().waitFor({ state: "detached" });
}
