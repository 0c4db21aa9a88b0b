import { join } from "node:path";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { CHROMIUM } from "../../web/support/browser.ts";
import { settled } from "../../web/support/pages.ts";
import { prepareRecords, signIn, startDemo } from "./demo.ts";
import { type PicturePage, picturePages, type Viewer } from "./pages.ts";

/*
 * `bun run proof pictures [words]` finds pages that are wider than the screen, and shows people the others. It takes
 * pictures of the console's pages with the demo data, or only of those with one of the words in their names.
 */

const FOLDER = process.env.PICTURES_FOLDER ?? join(import.meta.dir, "../../web/golden/pages");
const WIDTHS = [1440, 768, 375];
const SCHEMES = ["light", "dark"] as const;
/** The least and the greatest height of a picture; longer pages are cut. */
const [MIN_HEIGHT, MAX_HEIGHT] = [900, 1600];
const QUALITY = 38;
const REST_MS = 400;
/** The time after which the menu loads its count of tickets. */
const COUNT_MS = 2_500;

const words = process.argv.slice(2);
const demo = await startDemo();
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
try {
  const pages = picturePages(await prepareRecords(demo.url)).filter(
    ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
  );
  for (const colorScheme of SCHEMES) {
    const shown = pages.filter(({ isDarkToo }) => colorScheme === "light" || isDarkToo);
    for (const [viewer, views] of Map.groupBy(shown, ({ viewer }) => viewer)) {
      const context = await openContext(viewer, colorScheme);
      for (const view of views) await takePictures(context, view, colorScheme);
      await context.close();
    }
  }
} finally {
  await browser.close();
  await demo.stop();
}
process.exit(0);

/** Opens a browser in which the viewer is signed in. */
async function openContext(viewer: Viewer | undefined, colorScheme: "light" | "dark") {
  const context = await browser.newContext({
    baseURL: demo.url,
    locale: "en-GB",
    timezoneId: "UTC",
    colorScheme,
    reducedMotion: "reduce",
  });
  if (viewer === undefined) return context;
  const { cookie } = await signIn(demo.url, viewer);
  const { hostname: domain } = new URL(demo.url);
  await context.addCookies([
    {
      name: "refresh_token",
      value: cookie ?? "",
      path: "/api/auth",
      domain,
      httpOnly: true,
      sameSite: "Lax",
    },
  ]);
  await context.addInitScript("localStorage.setItem('session:', 'signed-in')");
  return context;
}

/** Takes the pictures of a page at all widths. */
async function takePictures(context: BrowserContext, { name, path }: PicturePage, colorScheme: string) {
  const page = await context.newPage();
  await page.goto(path);
  await Bun.sleep(COUNT_MS);
  for (const width of WIDTHS) {
    await fit(page, width);
    const session = await context.newCDPSession(page);
    const options = { format: "webp", quality: QUALITY } as const;
    const { data } = await session.send("Page.captureScreenshot", options);
    await session.detach();
    const file = [name, ...(colorScheme === "dark" ? ["dark"] : []), width].join("-");
    await Bun.write(join(FOLDER, `${file}.webp`), Buffer.from(data, "base64"));
    const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
    console.log(`${file}${overflow > 0 ? `: the page is ${overflow} px wider than the screen` : ""}`);
  }
  await page.close();
}

/** Makes the window as high as the page. Twice, because a higher window can load more of the page. */
async function fit(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: MIN_HEIGHT });
  for (let round = 0; round < 2; round += 1) {
    await settled(page);
    await page.evaluate("document.fonts.ready");
    // Charts are drawn again after a change of the width.
    await Bun.sleep(REST_MS);
    const height = await page.evaluate<number>("document.documentElement.scrollHeight");
    await page.setViewportSize({ width, height: Math.min(Math.max(height, MIN_HEIGHT), MAX_HEIGHT) });
  }
  await settled(page);
}
