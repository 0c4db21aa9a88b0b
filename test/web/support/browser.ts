import { afterAll, expect } from "bun:test";
import { existsSync } from "node:fs";
import { mkdtemp, rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { buildWeb } from "../../../src/dev/web/build.ts";
import type { Caller } from "../../support/caller.ts";
import { type Service, startService } from "../../support/service.ts";
import { allowSlowTests } from "../../support/slow-tests.ts";
import { LOCAL } from "../../support/webhooks.ts";

/** Chromium without a window needs a third of the CPU time of the complete one. */
const BROWSERS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
export const CHROMIUM =
  process.env.CHROMIUM ?? BROWSERS.find((path) => existsSync(path)) ?? "/usr/bin/chromium-headless-shell";
const isThere = existsSync(CHROMIUM);
const MISSING = `there is no ${CHROMIUM} (Debian: apt-get install chromium-headless-shell)`;
if (!isThere && process.env.REQUIRE_BROWSER) throw new Error(`The browser tests cannot run: ${MISSING}`);
if (!isThere) console.warn(`Browser tests skipped: ${MISSING}`);

/** Timeout in ms of a page on a busy machine; no statement about the console's speed. */
export const TIMEOUT_MS = 300_000;

/** True if this machine has no Chromium: `describe.skipIf` then skips browser tests. Never in CI. */
export const withoutBrowser = !isThere;

/** Returns the folder of the console's build; all test files of a run share one. */
export async function built(): Promise<string> {
  const folder = join(process.env.TMPDIR ?? tmpdir(), "console");
  if (process.env.TEST_CLUSTER_URL && existsSync(join(folder, "index.html"))) return folder;
  const own = `${folder}-${crypto.randomUUID()}`;
  await buildWeb({ folder: own, compress: false });
  // The first process publishes its build under the shared name; the others use their own.
  return rename(own, folder).then(
    () => folder,
    () => own,
  );
}

let shared: Promise<Service> | undefined;

/**
 * Returns the console of the files that need no settings of their own; null without a browser. All files of a process have the
 * same one: a service with its database costs seconds, and so does a browser that has not yet loaded its code.
 */
export function sharedConsole(): Promise<Service> {
  allowSlowTests();
  shared ??= startSharedConsole().catch((error) => {
    // The next file tries again.
    shared = undefined;
    throw error;
  });
  return shared;
}

async function startSharedConsole(): Promise<Service> {
  const settings = {
    STORAGE_DRIVER: "local",
    STORAGE_DIR: await mkdtemp(join(tmpdir(), "storage-test-")),
    OAUTH_APPS: "any",
    OAUTH_APPROVED_APPS: "operator.example",
    OAUTH_DOCUMENT_NETWORKS: "127.0.0.0/8",
    ...LOCAL,
  };
  return startConsole(settings, { keep: true });
}

/**
 * Starts a service with its console for a file of browser tests; returns null without a browser. It has no single sign-on,
 * so the sign-in page asks for the password at once, unless `overrides` turn it on.
 * @param options of `startService`, such as another service's database
 */
export async function startConsole(
  overrides: Record<string, string> = {},
  options: Parameters<typeof startService>[1] = {},
): Promise<Service> {
  if (withoutBrowser) return null as unknown as Service;
  const service = await startService(
    { WEB: "on", SSO: "off", ...overrides },
    { webFolder: await built(), ...options },
  );
  if (!options.keep)
    afterAll(async () => {
      const own = idle.filter(({ url }) => url === service.url);
      for (const one of own) idle.splice(idle.indexOf(one), 1);
      await Promise.all(own.map(({ page }) => page.context().close()));
    });
  return service;
}

/** Opens another tab in the browser of a page. */
export async function openBeside(other: Page, path: string): Promise<Page> {
  const page = await other.context().newPage();
  listenTo(page);
  await page.goto(path);
  return page;
}

function listenTo(page: Page) {
  // The timeout of actions is long enough that a busy machine fails no test.
  page.setDefaultTimeout(TIMEOUT_MS);
  page.on("console", (message) => problems.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => problems.push(`page error: ${error.message}`));
  page.on("crash", () => {
    problems.push(`page crashed: ${page.url()}`);
    closeAfterTest(page);
  });
}

/**
 * Prints what a page shows shortly before a wait for something else would end, so that a failure can be understood. No later
 * test gets the page: what this one began in it may go on.
 */
async function show(page: Page) {
  closeAfterTest(page);
  const text = await page
    .locator("body")
    .ariaSnapshot({ timeout: 5_000 })
    .catch((error: Error) => error.message);
  console.log(
    `A page is open for a long time: ${page.url()}\n${text.replaceAll(/\s+/g, " ").slice(0, 1_000)}`,
  );
}

export type Looks = {
  /** The user whose session the browser has; undefined for a signed-out browser. */
  as?: Caller;
  language?: "en" | "el";
  colorScheme?: "light" | "dark";
  width?: number;
  /** The browser's setting to save data: with it the console loads no page in advance, which takes a tenth of the time. */
  saveData?: boolean;
};

/** The files of one process share its browser, which ends with the process. */
let browser: Promise<Browser> | undefined;
const problems: string[] = [];
/** The open pages of this test; those that a test opens beside them have the same contexts. */
const shown: { page: Page; origin: string; url: string; look: string; timer: Timer }[] = [];
/**
 * Pages that earlier tests of the file have left, without cookies and storage, by what cannot change. A new page takes twice the CPU
 * time, because its process is new.
 */
const idle: { page: Page; url: string; look: string }[] = [];
const changed = new WeakSet<Page>();

/** Keeps a page from later tests, because this one changes it, for example by a clock of its own. */
export const closeAfterTest = (page: Page) => changed.add(page);

const ends = new WeakMap<Page, (() => Promise<unknown>)[]>();

/** Ends what a test began in a page before later tests get the page. */
export const endAfterTest = (page: Page, end: () => Promise<unknown>) =>
  ends.set(page, [...(ends.get(page) ?? []), end]);

/**
 * Opens a page of the console in a browser context that no other page of this test has. Messages in its developer console fail
 * `expectQuiet`.
 */
export async function open(t: Service, path: string, looks: Looks = {}): Promise<Page> {
  const { as, language = "en", colorScheme = "light", width = 1280, saveData = true } = looks;
  const { url } = t;
  const look = [language, saveData].join();
  const at = idle.findIndex((one) => one.look === look && one.url === url);
  const page = idle.splice(at, at < 0 ? 0 : 1)[0]?.page ?? (await newPage(url, language, saveData));
  const timer = setTimeout(() => void show(page), TIMEOUT_MS - 10_000);
  const { origin, hostname } = new URL(path, url);
  shown.push({ page, origin, url, look, timer });
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 800 });
  if (as?.cookie) {
    // The cookie and the local storage of a signed-in browser.
    const cookie = { name: "refresh_token", value: as.cookie, path: "/api/auth", domain: hostname };
    await page.context().addCookies([{ ...cookie, httpOnly: true, secure: false, sameSite: "Lax" }]);
    if (new URL(page.url()).origin !== origin) await page.goto(emptyPageOf(origin));
    await page.evaluate('localStorage.setItem("session:", "signed-in")');
  }
  await page.goto(path);
  return page;
}

async function newPage(baseURL: string, language: "en" | "el", saveData: boolean): Promise<Page> {
  // Chromium's sandbox does not start as root.
  browser ??= chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"], timeout: TIMEOUT_MS });
  const context = await (await browser).newContext({
    baseURL,
    locale: language === "el" ? "el-GR" : "en-GB",
    reducedMotion: "reduce",
  });
  if (saveData)
    await context.addInitScript(() =>
      Object.defineProperty(navigator, "connection", { value: { saveData: true } }),
    );
  const page = await context.newPage();
  listenTo(page);
  return page;
}

/** A page without the console, in which nothing runs. */
const emptyPageOf = (origin: string) => `${origin}/api/health/live`;

/** Chromium's own messages about 4xx responses, which tests expect, and about a slow machine. */
const EXPECTED = [
  /^error: Failed to load resource: the server responded with a status of 4\d\d/,
  /was preloaded using link preload but not used within a few seconds/,
  /^\w+: \[Intervention\] Slow network is detected/,
];
const tolerated: RegExp[] = [];

/** Allows matching browser messages in this test, such as those about a network that the test disconnects. */
export function tolerate(message: RegExp): void {
  tolerated.push(message);
}

/** Returns a page to those that the next tests use, as if it were new, or closes it, also if it does not respond. */
async function leave(left: (typeof shown)[number]) {
  clearTimeout(left.timer);
  await reset(left).catch(() => left.page.context().close());
}

async function reset({ page, origin, url, look }: (typeof shown)[number]) {
  const context = page.context();
  // A route that is still handling a request would otherwise fail the next test.
  await Promise.all(context.pages().map((one) => one.unrouteAll({ behavior: "ignoreErrors" })));
  if (changed.has(page) || page.isClosed()) return context.close();
  await Promise.all((ends.get(page) ?? []).map((end) => end()));
  ends.delete(page);
  await Promise.all(context.pages().map((one) => one !== page && one.close()));
  await context.setOffline(false);
  await context.clearPermissions();
  // Some tests stop the service.
  const left = await page.goto(emptyPageOf(origin)).catch(() => null);
  if (left === null) return context.close();
  await page.mouse.move(0, 0);
  await page.evaluate("localStorage.clear(); sessionStorage.clear()");
  await context.clearCookies();
  const session = await context.newCDPSession(page);
  await session.send("Page.resetNavigationHistory");
  await session.detach();
  idle.push({ page, url, look });
}

/** Leaves all pages; fails if a browser's developer console has any other message. Call it in `afterEach`. */
export async function expectQuiet(): Promise<void> {
  await Promise.allSettled(shown.splice(0).map(leave));
  const expected = [...EXPECTED, ...tolerated.splice(0)];
  expect(problems.splice(0).filter((problem) => !expected.some((one) => one.test(problem)))).toEqual([]);
}
