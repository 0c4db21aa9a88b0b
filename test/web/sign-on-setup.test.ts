import { afterAll, afterEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { startDnsServer } from "../../src/dev/dns/server.ts";
import { CONNECTIONS, connectionTo, setupLink } from "../support/connections.ts";
import { DOMAINS, newName } from "../support/domains.ts";
import { createOrganization } from "../support/organizations.ts";
import { expectStatus } from "../support/service.ts";
import { SIGN_ON } from "../support/sign-on.ts";
import { connect, somebody } from "../support/sso.ts";
import { SsoProvider } from "../support/sso-provider.ts";
import { freePort } from "./support/authenticators.ts";
import { axe } from "./support/axe.ts";
import { expectQuiet, open, startConsole, withoutBrowser } from "./support/browser.ts";
import { fits } from "./support/pages.ts";

/* Providers lead back to APP_URL, so the service listens there. */
const port = freePort();
const ORIGIN = `http://localhost:${port}`;
const dns = await startDnsServer();
const provider = await SsoProvider.start();
const t = await startConsole({
  ...SIGN_ON,
  APP_URL: ORIGIN,
  PORT: String(port),
  DNS_SERVERS: dns.address,
});
afterAll(() => dns.stop());
afterEach(expectQuiet);

const heading = (page: Page, name: string) => page.getByRole("heading", { name, level: 1 }).waitFor();
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

describe.skipIf(withoutBrowser)("the page of a setup link", () => {
  test("a person without an account proves a domain, makes and tests a connection, and finishes", async () => {
    const organization = await createOrganization(t, "Acme");
    const { setter } = await setupLink(t, organization, "domains", "connection");
    const page = await open(t, `${ORIGIN}/sign-on-setup?token=${setter.accessToken}`);
    await heading(page, "Single sign-on for Acme");
    expect(page.url()).toBe(`${ORIGIN}/sign-on-setup`);

    const name = newName();
    await page.getByLabel("New domain").fill(name);
    await press(page, "Add domain");
    const domain = page.getByRole("article", { name });
    await domain.waitFor();
    const { record } = expectStatus(await setter.get(DOMAINS), 200).body.data[0];
    dns.publish(record.name, record.value);
    await domain.getByRole("button", { name: "Check now" }).click();
    await domain.getByText("The record is there. The domain is verified.").waitFor();

    await press(page, "New connection");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Okta", { exact: true }).click();
    await dialog.getByLabel("Name", { exact: true }).fill("Acme");
    await dialog.getByLabel("Issuer").fill(provider.issuer);
    await dialog.getByLabel("Client id").fill("service");
    await press(page, "Create the connection");
    await page.route(`${provider.issuer}/authorize?*`, (route) => {
      const ada = { sub: "ada", email: `ada@${name}`, given_name: "Ada", family_name: "Lovelace" };
      const location = provider.visit(route.request().url(), ada);
      return route.fulfill({ status: 302, headers: { location } });
    });
    await dialog.getByRole("button", { name: "Test the connection" }).click();
    await page.getByRole("region", { name: "Result of the test" }).getByText("Ada Lovelace").waitFor();

    await press(page, "Finish");
    await dialog.getByRole("button", { name: "Finish" }).click();
    await heading(page, "Thank you, the setup is finished");
    expectStatus(await setter.get(DOMAINS), 401);
    await page.reload();
    await heading(page, "This link no longer works");
    const { body } = await organization.admin.get(CONNECTIONS);
    expect(body.data).toMatchObject([{ name: "Acme", status: "DRAFT" }]);
  });

  test("is accessible and fits narrow screens in Greek", async () => {
    const { setter } = await setupLink(t, await createOrganization(t, "Acme"), "domains", "connection");
    expectStatus(await setter.post(DOMAINS, { domain: newName() }), 201);
    expectStatus(await setter.post(CONNECTIONS, connectionTo(provider)), 201);
    const page = await open(t, `/sign-on-setup?token=${setter.accessToken}`, { language: "el", width: 320 });
    await page.getByRole("article").waitFor();
    await fits(page);
    await press(page, "Τέλος");
    await page.getByRole("button", { name: "Συνέχεια της ρύθμισης" }).waitFor();
    await axe(page);
    await page.goto("/sign-on-setup?token=setup_none");
    await heading(page, "Αυτός ο σύνδεσμος δεν ισχύει πια");
    expect(await page.evaluate("sessionStorage.getItem('setup-link')")).toBe(null);
    await fits(page);
  });
});

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
