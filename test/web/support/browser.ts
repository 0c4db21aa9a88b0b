import { afterAll, beforeAll, expect } from "bun:test";
import { existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { buildWeb } from "../../../src/dev/web/build.ts";
import type { Caller } from "../../support/caller.ts";
import { type Service, startService } from "../../support/service.ts";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const isThere = existsSync(CHROMIUM);
if (!isThere && process.env.REQUIRE_BROWSER)
  throw new Error(`There is no ${CHROMIUM}: apt-get install chromium`);
if (!isThere)
  console.warn(`Browser tests skipped: there is no ${CHROMIUM} (Debian: apt-get install chromium)`);

/** How long a page may take on a busy machine; it says nothing about the console. */
const PATIENCE_MS = 90_000;

/** Why `describe.skipIf` skips a file of browser tests: no Chromium on this machine. Never in CI. */
export const withoutBrowser = !isThere;

/** One build for all files of a run. */
async function built(): Promise<string> {
  const folder = join(process.env.TMPDIR ?? tmpdir(), "console");
  if (process.env.TEST_CLUSTER_URL && existsSync(join(folder, "index.html"))) return folder;
  const own = `${folder}-${crypto.randomUUID()}`;
  await buildWeb({ folder: own, compress: false });
  // Whoever was first has the name; the others use theirs.
  return rename(own, folder).then(
    () => folder,
    () => own,
  );
}

/**
 * A service with its console, for a file of browser tests; null without a browser.
 * @param options of `startService`, such as the database of another one
 */
export async function startConsole(
  overrides: Record<string, string> = {},
  options: Parameters<typeof startService>[1] = {},
): Promise<Service> {
  if (withoutBrowser) return null as unknown as Service;
  // Here, not in this module: several files may share it in one process.
  beforeAll(async () => {
    // As root Chromium's sandbox does not start.
    browser ??= await chromium.launch({
      executablePath: CHROMIUM,
      args: ["--no-sandbox"],
      timeout: PATIENCE_MS,
    });
  });
  afterAll(async () => {
    await browser?.close();
    browser = undefined;
  });
  return startService({ WEB: "on", ...overrides }, { webFolder: await built(), ...options });
}

/** Opens one more page in the browser of another: a tab beside it. */
export async function openBeside(other: Page, path: string): Promise<Page> {
  const page = await other.context().newPage();
  listenTo(page);
  await page.goto(path);
  return page;
}

function listenTo(page: Page) {
  // A busy machine is no failure.
  page.setDefaultTimeout(PATIENCE_MS);
  page.on("console", (message) => problems.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => problems.push(`page error: ${error.message}`));
}

export type Looks = {
  /** Whose session the browser has; nobody's without. */
  as?: Caller;
  language?: "en" | "el";
  colorScheme?: "light" | "dark";
  width?: number;
};

let browser: Browser | undefined;
const problems: string[] = [];
const contexts: BrowserContext[] = [];

/** Opens a page of the console in a browser of its own. What the console of that browser says fails `expectQuiet`. */
export async function open(t: Service, path: string, looks: Looks = {}): Promise<Page> {
  if (browser === undefined) throw new Error("There is no browser");
  const { as, language = "en", colorScheme = "light", width = 1280 } = looks;
  const { origin, hostname } = new URL(path, t.url);
  const cookie = { name: "refresh_token", value: as?.cookie ?? "", path: "/api/auth", domain: hostname };
  const context = await browser.newContext({
    baseURL: t.url,
    // What a sign-in leaves behind.
    ...(as?.cookie && {
      storageState: {
        cookies: [{ ...cookie, httpOnly: true, secure: false, sameSite: "Lax", expires: -1 }],
        origins: [{ origin, localStorage: [{ name: "session:", value: "signed-in" }] }],
      },
    }),
    locale: language === "el" ? "el-GR" : "en-GB",
    colorScheme,
    viewport: { width, height: 800 },
    reducedMotion: "reduce",
  });
  contexts.push(context);
  const page = await context.newPage();
  listenTo(page);
  await page.goto(path);
  return page;
}

/** What Chromium itself says of an answer that a test expects, such as a 401. */
const EXPECTED = /^error: Failed to load resource: the server responded with a status of 4\d\d/;
const tolerated: RegExp[] = [];

/** Messages of the browser like these are no failure of this test, such as those about a network that it takes away. */
export function tolerate(message: RegExp): void {
  tolerated.push(message);
}

/** Fails if the browser's console said anything; closes all pages. Call it in `afterEach`. */
export async function expectQuiet(): Promise<void> {
  await Promise.all(contexts.splice(0).map((context) => context.close()));
  const expected = [EXPECTED, ...tolerated.splice(0)];
  expect(problems.splice(0).filter((problem) => !expected.some((one) => one.test(problem)))).toEqual([]);
}
