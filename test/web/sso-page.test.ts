import { afterEach, describe, expect, test } from "bun:test";
import { createOrganization } from "../support/organizations.ts";
import { SIGN_ON } from "../support/sign-on.ts";
import { connect, somebody } from "../support/sso.ts";
import { SsoProvider } from "../support/sso-provider.ts";
import { freePort } from "./support/authenticators.ts";
import { expectQuiet, open, startConsole, withoutBrowser } from "./support/browser.ts";

/* A provider leads back to APP_URL, so the service listens there. */
const port = freePort();
const ORIGIN = `http://localhost:${port}`;
const provider = await SsoProvider.start();
const t = await startConsole({ ...SIGN_ON, APP_URL: ORIGIN, PORT: String(port) });
afterEach(expectQuiet);

describe.skipIf(withoutBrowser)("the page at which a tile of a provider begins", () => {
  test("it begins at once, marks the tab, and the provider's answer signs in", async () => {
    const acme = await connect(t, await createOrganization(t, "Acme"), provider);
    const page = await open(t, `${ORIGIN}/sso/${acme.id}`);
    await page.waitForURL(`${provider.issuer}/authorize**`);
    await page.goto(provider.visit(page.url(), somebody(acme)));
    await page.getByRole("heading", { name: "Welcome, Grace" }).waitFor();
    expect(page.url()).not.toContain("token=");
  });

  test("whoever is signed in is asked first; a failure to load the account can be repeated", async () => {
    const { admin } = await createOrganization(t);
    const acme = await connect(t, await createOrganization(t, "Acme"), provider);
    const page = await open(t, ORIGIN, { as: admin });
    await page.getByRole("heading", { level: 1 }).waitFor();
    let isDown = true;
    await page.route("**/api/profile", (route) =>
      isDown
        ? route.fulfill({ status: 429, json: { statusCode: 429, code: "TOO_MANY_REQUESTS", message: "" } })
        : route.fallback(),
    );
    await page.goto(`${ORIGIN}/sso/${acme.id}`);
    await page.getByRole("alert").waitFor();
    isDown = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText(`You are signed in as ${admin.email}.`).waitFor();
    expect(page.url()).toBe(`${ORIGIN}/sso/${acme.id}`);
  });

  test("a token in the address of a tab that began nothing signs nobody in, and is removed", async () => {
    const { admin } = await createOrganization(t);
    const page = await open(t, `${ORIGIN}/auth/callback#token=${admin.accessToken}`);
    await page.waitForURL(`${ORIGIN}/sign-in`);
    expect(await page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage })")).not.toContain(
      admin.accessToken ?? "",
    );
  });
});
