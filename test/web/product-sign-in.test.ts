import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { startIdentityProvider } from "../../src/dev/identity-provider.ts";
import { PRODUCT_KEY } from "../support/product.ts";
import { codeOfStep, currentStep, fromBase32, withTwoFactor } from "../support/two-factor.ts";
import { expectQuiet, open, startConsole, withoutBrowser } from "./support/browser.ts";
import { settled } from "./support/pages.ts";
import { startSite } from "./support/product.ts";
import { heading } from "./support/steps.ts";

const site = startSite();
const { origin } = site;
const oidc = { id: "service", secret: "only-for-tests" };
const redirectUris = [`${origin}/api/auth/oidc/acme/callback`];
const grace = {
  email: "grace@provider.test",
  email_verified: true,
  given_name: "Grace",
  family_name: "Hopper",
};
const provider = await startIdentityProvider({
  client: { ...oidc, redirectUris },
  people: new Map([["grace", grace]]),
});
afterAll(() => provider.stop());
const t = await startConsole({
  PRODUCT_KEY,
  APP_URL: origin,
  OIDC_PROVIDERS: "acme",
  OIDC_ACME_ISSUER: provider.issuer,
  OIDC_ACME_CLIENT_ID: oidc.id,
  OIDC_ACME_CLIENT_SECRET: oidc.secret,
  OIDC_ACME_NAME: "Acme ID",
});
site.to(t?.url ?? "");
/** A second service, which requires a second factor of all users; for it the product has another origin. */
const strict = await startConsole({ PRODUCT_KEY, REQUIRE_TWO_FACTOR: "all" });
afterEach(expectQuiet);

const signIn = async (page: Page, { email, password }: { email: string; password: string }) => {
  await page.locator("input[type=email]").fill(email);
  await page.locator("input[type=password]").fill(password);
  await page.keyboard.press("Enter");
};

describe.skipIf(withoutBrowser)("signing in for a product", () => {
  test("people whom it sends to sign in come back: by password, second factor and third-party sign-in; who is signed in, at once", async () => {
    const person = await t.person();
    const page = await open(t, `${site.url}/4711?tab=photos`);
    await page.getByRole("link", { name: "Sign in" }).click();
    await signIn(page, person.account);
    await heading(page, "/inspections/4711?tab=photos");
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.waitForURL(`${site.url}/4711?tab=photos`);

    const factor = await withTwoFactor(t);
    const careful = await open(t, `${site.url}/4712`, { language: "el" });
    await careful.getByRole("link", { name: "Sign in" }).click();
    await signIn(careful, factor.person.account);
    await careful.locator("input[inputmode=numeric]").fill(factor.code());
    await careful.keyboard.press("Enter");
    await heading(careful, "/inspections/4712");

    const foreign = await open(t, `${site.url}/4713`);
    await foreign.getByRole("link", { name: "Sign in" }).click();
    await foreign.getByRole("button", { name: "Continue with Acme ID" }).click();
    await foreign.getByRole("button", { name: /grace@provider.test/ }).click();
    await heading(foreign, "/inspections/4713");
  });

  test("who must set up a second factor does so before the product sees the session", async () => {
    const { account } = await strict.person();
    const next = `${site.url}/4711`;
    const page = await open(strict, `/sign-in?${new URLSearchParams({ next })}`);
    await signIn(page, account);
    await page.waitForURL((url) => url.pathname === "/two-factor" && url.searchParams.get("next") === next);
    await heading(page, "Protect your account");
    await page.getByLabel("Password", { exact: true }).fill(account.password);
    await page.getByRole("button", { name: "Begin" }).click();
    const secret = fromBase32((await page.getByLabel("Key", { exact: true }).textContent()) ?? "");
    await page.getByLabel(/Enter the code/).fill(codeOfStep(secret, currentStep()));
    await page.getByRole("button", { name: "Turn on" }).click();
    await page.getByRole("button", { name: "I have saved" }).click();
    await heading(page, "/inspections/4711");
  });

  test("an address that is not below its URL is ignored after sign-in, also where browsers read more than the text says", async () => {
    const page = await open(t, `${origin}/`, { as: await t.person() });
    for (const next of [
      FOREIGN[0],
      `${origin}\\@evil.test/inspections`,
      `${origin}/inspections/..%2ftodos`,
    ]) {
      await page.goto(`${origin}/sign-in?${new URLSearchParams({ next: next ?? "" })}`);
      await settled(page);
      await page.waitForURL(`${origin}/`);
    }
    await page.goto(`${origin}/sign-in?${new URLSearchParams({ next: `${site.url}/a/..b?to=/../#x` })}`);
    await page.waitForURL(`${site.url}/a/..b?to=/../#x`);
  });
});

const host = origin.replace("http://", "");
const FOREIGN = [
  "https://evil.test/inspections",
  `https://${host}/inspections`,
  `${origin}/`,
  `${origin}/inspections2`,
  `${origin}/Inspections`,
  `${origin}/inspections/../todos`,
  `${origin}/inspections/%2e%2E/todos`,
  `${origin}/inspections/..%2ftodos`,
  `${origin}/inspections/x/./y`,
  `${origin}/inspections\\..\\todos`,
  `${origin}\\@evil.test/inspections`,
  `http://user@${host}/inspections`,
  `http://@${host}/inspections`,
  `http://${host}@evil.test/inspections`,
  `http:/${host}/inspections`,
  `http:${host}/inspections`,
  `//${host}/inspections`,
  ` ${origin}/inspections`,
  `${origin}/inspec\ttions`,
  `${origin}.evil.test/inspections`,
  `javascript:alert(1)//${host}/inspections`,
  `blob:${origin}/inspections`,
];

test("the sign-in page accepts the addresses below the product's URL, and no others", async () => {
  // Modules of the console read the page when they are loaded, and their types need those of a browser.
  const querySelector = (selector: string) =>
    selector.includes("product") ? { content: JSON.stringify({ url: site.url }) } : null;
  Object.assign(globalThis, { document: { querySelector }, location: { origin } });
  const { nextOf } = await import(join(import.meta.dir, "../../src/web/account/search.ts"));
  for (const next of FOREIGN) expect([next, nextOf({ next })]).toEqual([next, {}]);
  for (const next of ["", "/", "?tab=..", "/a/..b?to=/../#x"].map((path) => site.url + path))
    expect(nextOf({ next })).toEqual({ next });
});
