import { afterEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { createOrganization } from "../support/organizations.ts";
import { SIGN_ON } from "../support/sign-on.ts";
import { connect, personOf, somebody } from "../support/sso.ts";
import { SsoProvider } from "../support/sso-provider.ts";
import { freePort } from "./support/authenticators.ts";
import { axe } from "./support/axe.ts";
import { expectQuiet, open, startConsole, withoutBrowser } from "./support/browser.ts";
import { settled } from "./support/pages.ts";
import { expectSoon } from "./support/waits.ts";

/* A provider leads back to APP_URL, so the service listens there. */
const port = freePort();
const ORIGIN = `http://localhost:${port}`;
const provider = await SsoProvider.start();
const t = await startConsole({ ...SIGN_ON, APP_URL: ORIGIN, PORT: String(port) });
afterEach(expectQuiet);

const acme = withoutBrowser ? null : await connect(t, await createOrganization(t, "Acme"), provider);
const connected = () => acme as NonNullable<typeof acme>;

const WORDS = {
  en: {
    email: "Email address",
    next: "Continue",
    acme: "Continue with Acme",
    other: "Use a password instead",
  },
  el: { email: "Διεύθυνση email", next: "Συνέχεια", acme: "Συνέχεια με Acme", other: "Χρήση κωδικού" },
};
const address = (page: Page) => page.getByLabel("Email address");
const password = (page: Page) => page.getByLabel("Password", { exact: true });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
/** Opens the sign-in page, and waits until it asks for the address alone. */
async function openSignIn(path = "/sign-in"): Promise<Page> {
  const page = await open(t, `${ORIGIN}${path}`);
  await button(page, "Continue").waitFor();
  expect(await password(page).count()).toBe(0);
  return page;
}
const isFocused = (page: Page) => page.locator("input[type=password]:focus").isVisible();

describe.skipIf(withoutBrowser)("the address first", () => {
  test("an address of a connected domain leads to the provider and back to the requested page", async () => {
    const ada = somebody(connected());
    const page = await openSignIn("/todos?sort=title");
    await address(page).fill(ada.email);
    await page.keyboard.press("Enter");
    await page.getByText("You can sign in with Acme.").waitFor();
    await button(page, "Continue with Acme").click();
    await page.waitForURL(`${provider.issuer}/authorize**`);
    const asked = page.url();
    expect(new URL(asked).searchParams.get("login_hint")).toBe(ada.email);
    await page.goto(provider.visit(asked, ada));
    await page.getByRole("heading", { name: "Todos", level: 1 }).waitFor();
    await page.waitForURL((url) => url.search === "?sort=title");
  });

  test("a password is possible instead, with the address kept; another address begins again", async () => {
    const person = await personOf(t, connected());
    const page = await openSignIn();
    await address(page).fill(person.email);
    await button(page, "Continue").click();
    await button(page, "Use a password instead").click();
    await expectSoon(() => isFocused(page), true);
    expect(await address(page).inputValue()).toBe(person.email);
    await address(page).fill(`x${person.email}`);
    await button(page, "Continue").waitFor();
    expect(await password(page).count()).toBe(0);

    await address(page).fill(person.email);
    await password(page).fill(person.account.password);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Welcome, Ada" }).waitFor();
  });

  test("without a connection, or if it cannot be looked up, the password is next; a malformed address is an error", async () => {
    const page = await openSignIn();
    await address(page).fill("nobody");
    await page.keyboard.press("Enter");
    await page.getByText("Enter an email address.").waitFor();
    expect(await password(page).count()).toBe(0);
    for (const isDown of [false, true]) {
      if (isDown)
        await page.route("**/api/auth/sso/discover", (route) =>
          route.fulfill({ status: 429, json: { statusCode: 429, code: "TOO_MANY_REQUESTS", message: "" } }),
        );
      await address(page).fill(`${isDown}@${isDown ? connected().domain : "example.org"}`);
      await page.keyboard.press("Enter");
      await button(page, "Sign in").waitFor();
      expect(await isFocused(page)).toBe(true);
    }
  });

  test.each(["en", "el"] as const)("is accessible and fits narrow screens in %s", async (language) => {
    const words = WORDS[language];
    const page = await open(t, `${ORIGIN}/sign-in`, { language, width: 320 });
    await button(page, words.next).waitFor();
    await settled(page);
    await axe(page);
    await page.getByLabel(words.email).fill(`ada@${connected().domain}`);
    await page.keyboard.press("Enter");
    await button(page, words.acme).waitFor();
    await button(page, words.other).waitFor();
    await settled(page);
    await axe(page);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
  });
});
