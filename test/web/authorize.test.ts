import { afterEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { AppDocuments } from "../support/app-documents.ts";
import { AUTHORIZATIONS, beginAs, CHALLENGE, insertClient, queryOf, toldBy } from "../support/apps.ts";
import type { Caller } from "../support/caller.ts";
import { createOrganization } from "../support/organizations.ts";
import { axe } from "./support/axe.ts";
import { expectQuiet, type Looks, open, sharedConsole, withoutBrowser } from "./support/browser.ts";
import { expectSoon } from "./support/waits.ts";

/* The page on which people allow apps: acceptance checks AP59 and AP06 to AP08 as far as the page is concerned. */

const documents = await AppDocuments.start();
const t = await sharedConsole();
afterEach(expectQuiet);

const APP = "https://agent.example.com";
const allow = (page: Page) => page.getByRole("button", { name: /^(Allow|Να επιτραπεί)$/ });
const ready = (page: Page) =>
  page.locator("button[aria-disabled=false]", { hasText: /Allow|Να επιτραπεί/ }).waitFor();
const box = (page: Page, name: string | RegExp) => page.getByRole("checkbox", { name });
const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

/** Opens the page of an authorization request. The site of the app answers with an empty page. */
async function ask(as: Caller | undefined, query: string, looks: Looks = {}): Promise<Page> {
  const page = await open(t, "/api/auth/settings", { ...looks, ...(as && { as }) });
  await page.route(`${APP}/**`, (route) =>
    route.fulfill({ contentType: "text/html", body: "<h1>The app</h1>" }),
  );
  await page.goto(`/authorize?${query}`);
  return page;
}

/** Waits until the browser is at the app; returns what the app was told. */
async function told(page: Page): Promise<Record<string, string>> {
  await page.waitForURL(`${APP}/**`);
  return toldBy(page.url());
}

/** Counts the requests of a page to approve or deny. */
function decisions(page: Page): string[] {
  const sent: string[] = [];
  page.on("request", (request) => {
    if (/authorizations\/(approve|deny)$/.test(request.url())) sent.push(request.postData() ?? "");
  });
  return sent;
}

const UNSAFE = [
  "javascript:document.title='owned'",
  "http://evil.example/",
  "cursor://x",
  "https://user@evil.example/",
];

test("addresses with a scheme, a host or a user name that is not safe are told from safe ones", async () => {
  const { safeAddress } = await import(join(import.meta.dir, "../../src/web/account/authorize/redirect.ts"));
  for (const address of UNSAFE) expect([address, safeAddress(address)]).toEqual([address, null]);
  expect(safeAddress(`${APP}/callback`)?.href).toBe(`${APP}/callback`);
});

describe.skipIf(withoutBrowser)("the page on which an app asks for access", () => {
  test("shows who gets access, chooses nothing that changes, and allows once after a second", async () => {
    const organization = await createOrganization(t, "Acme");
    const id = await insertClient(t, { organizationId: organization.id, name: "Reporter" });
    const page = await ask(organization.admin, queryOf(id, { scope: "todos:read todos:write units:read" }));
    await page.getByRole("heading", { level: 1, name: "Let Reporter act for you?" }).waitFor();
    // The button does not work yet: the page is in view for less than a second.
    const sent = decisions(page);
    expect(await allow(page).getAttribute("aria-disabled")).toBe("true");
    await allow(page).click({ force: true });
    expect(sent).toEqual([]);
    await says(page, `You are signed in as ${organization.admin.email}.`);
    expect(await page.locator("b").allTextContents()).toEqual(["agent.example.com"]);
    await says(page, "An app of your organization.");
    for (const name of [/^See todos/, /^See units/]) expect(await box(page, name).isChecked()).toBe(true);
    expect(await box(page, /^Create, change/).isChecked()).toBe(false);
    await axe(page);

    // Enter in another field decides nothing.
    await ready(page);
    await box(page, /^See units/).press("Enter");
    await page.getByRole("radio", { name: "Whole organization" }).press("Enter");
    await box(page, /^Create, change/).check();
    expect(sent).toEqual([]);
    await allow(page).dblclick();
    expect(await told(page)).toEqual({
      ...{ code: expect.stringMatching(/^mosc_/), state: "a state", iss: "http://app.test" },
    });
    expect(sent.map((body) => JSON.parse(body))).toMatchObject([
      {
        organizationId: organization.id,
        unitId: null,
        scopes: ["units:read", "todos:read", "todos:write"],
        days: 30,
      },
    ]);
  });

  test("limits the app to a unit that is searched, and to the chosen days", async () => {
    const organization = await createOrganization(t, "Acme");
    const north = await organization.unit("North");
    await organization.unit("Lisbon", north);
    const id = await insertClient(t);
    const page = await ask(organization.admin, queryOf(id));
    await says(page, "An app of the operator of this service.");
    await page.getByText("Only this unit and below").click();
    await says(page, "Your own records in Acme are included.");
    await says(page, "Choose a unit.");
    await page.getByRole("combobox", { name: "Unit" }).fill("lisb");
    await page.getByRole("option", { name: "North / Lisbon" }).click();
    await page.getByRole("combobox", { name: "Access ends after" }).click();
    await page.getByRole("option", { name: "7 days" }).click();
    const sent = decisions(page);
    await ready(page);
    await allow(page).click();
    await told(page);
    const [lisbon] = await t.sql("SELECT id FROM units WHERE name = 'Lisbon' AND parent_id = $1", [north]);
    expect(JSON.parse(sent[0] ?? "")).toMatchObject({ unitId: lisbon?.id, days: 7 });
  });

  test("the active organization comes first; one in which the app is not allowed is grey, with the reason", async () => {
    const strict = await createOrganization(t, "Strict");
    const other = await createOrganization(t, "Acme");
    const person = strict.admin;
    await t.sql("UPDATE organizations SET connected_apps = 'approved' WHERE id = $1", [strict.id]);
    await other.add(person);
    const app = documents.publish({ redirect_uris: [`${APP}/callback`] });
    const page = await ask(person, queryOf(app.id, { redirect_uri: `${APP}/callback` }));
    await says(page, "Anybody can publish an app under any name. Go by the address 127.0.0.1.");
    await says(page, "Access goes to another site than the app's.");
    const field = page.getByRole("combobox", { name: "Organization" });
    // The active organization is not proposed, because the app is not allowed there.
    expect(await field.inputValue()).toBe("Acme");
    await field.click();
    expect(await page.getByRole("option").allTextContents()).toEqual([
      "StrictYour administrator has not approved this app",
      "Acme",
    ]);
    await axe(page, null, ["region"]);
    await page.getByRole("option", { name: "Strict" }).click({ force: true });
    expect(await field.inputValue()).toBe("Acme");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Deny" }).click();
    expect(await told(page)).toEqual({ error: "access_denied", state: "a state", iss: "http://app.test" });
  });

  test("an app on this computer is warned of; where nothing is allowed, only denying works", async () => {
    const organization = await createOrganization(t, "Acme");
    await t.sql("UPDATE organizations SET connected_apps = 'off' WHERE id = $1", [organization.id]);
    const id = await insertClient(t);
    const page = await ask(
      organization.admin,
      queryOf(id, { redirect_uri: "http://localhost:49152/callback" }),
    );
    await says(page, "Never send the address of the page that opens next to anybody, whoever asks.");
    expect(await page.locator("b").textContent()).toBe("localhost");
    await says(page, "Apps cannot be connected in this organization");
    await Bun.sleep(1_200);
    expect(await allow(page).getAttribute("aria-disabled")).toBe("true");
  });

  test("whoever is signed out signs in first and comes back; another account can be used; nothing of it is stored", async () => {
    const { admin } = await createOrganization(t, "Acme");
    const [id, state] = [await insertClient(t), "12.50e1 [x]"];
    const page = await ask(undefined, queryOf(id, { state }));
    await page.getByLabel("Email address").fill(admin.account.email);
    await page.getByLabel("Password", { exact: true }).fill(admin.account.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await says(page, `You are signed in as ${admin.email}.`);
    expect(new URL(page.url()).pathname).toBe("/authorize");
    const stored = "JSON.stringify({ ...localStorage, ...sessionStorage })";
    for (const secret of [id, CHALLENGE, state]) expect(await page.evaluate(stored)).not.toContain(secret);

    await page.getByRole("button", { name: "Use another account" }).click();
    const other = await createOrganization(t, "Other");
    // The page of consent has a checkbox of this name.
    await page.getByRole("textbox", { name: "Email address" }).fill(other.admin.account.email);
    await page.getByLabel("Password", { exact: true }).fill(other.admin.account.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await says(page, `You are signed in as ${other.admin.email}.`);
    await page.getByRole("button", { name: "Deny" }).click();
    expect(await told(page)).toMatchObject({ state });
    // The page is not in the history, so that nobody comes back to a request that was decided.
    expect(await page.evaluate("history.length")).toBeLessThan(5);
  });

  test("a proof of identity is asked for in the dialog, and the approval goes on by itself", async () => {
    const { admin } = await createOrganization(t, "Acme");
    const page = await ask(admin, queryOf(await insertClient(t)));
    await ready(page);
    const older = `UPDATE session_proofs SET proved_at = now() - interval '11 minutes'
      WHERE user_id = (SELECT id FROM users WHERE email = $1)`;
    await t.sql(older, [admin.email]);
    await page.reload();
    await ready(page);
    await allow(page).click();
    const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
    await dialog.getByLabel("Password", { exact: true }).fill(admin.account.password);
    await axe(page);
    await dialog.getByLabel("Password", { exact: true }).press("Enter");
    expect(await told(page)).toMatchObject({ code: expect.stringMatching(/^mosc_/) });
  });

  test("a fault is shown on the page, and nothing redirects by itself", async () => {
    const { admin } = await createOrganization(t, "Acme");
    const id = await insertClient(t);
    const page = await ask(admin, queryOf(id, { code_challenge: null }));
    await page.getByRole("heading", { level: 1, name: "This app cannot be connected" }).waitFor();
    await says(page, /^The app sent a request that this service does not understand/);
    await says(page, "invalid_request, code_challenge");
    await axe(page);
    await page.getByRole("button", { name: "Back to agent.example.com" }).click();
    expect(await told(page)).toEqual({ error: "invalid_request", state: "a state", iss: "http://app.test" });

    for (const query of [
      queryOf(crypto.randomUUID()),
      queryOf(id, { redirect_uri: "https://evil.example" }),
      "",
    ]) {
      await page.goto(`/authorize?${query}`);
      await page.getByRole("heading", { level: 1, name: "This app cannot be connected" }).waitFor();
      expect(await page.getByRole("button", { name: /^Back/ }).count()).toBe(0);
    }
  });

  test("an address that is not safe is not followed, whatever the API says", async () => {
    const { admin } = await createOrganization(t);
    const page = await ask(admin, queryOf(await insertClient(t)));
    const [script = ""] = UNSAFE;
    await page.route("**/authorizations/*", (route) => route.fulfill({ json: { redirectTo: script } }));
    await ready(page);
    await allow(page).click();
    await says(page, "The address of the app is not safe, so it was not opened.");
    expect(new URL(page.url()).pathname).toBe("/authorize");
    expect(await page.title()).not.toBe("owned");
    await page.unrouteAll();
  });

  test("a page that lost the focus starts its second anew", async () => {
    const { admin } = await createOrganization(t, "Acme");
    const page = await ask(admin, queryOf(await insertClient(t)));
    await ready(page);
    await page.evaluate("document.hasFocus = () => false, dispatchEvent(new Event('blur'))");
    await expectSoon(() => allow(page).getAttribute("aria-disabled"), "true");
    await Bun.sleep(1_200);
    expect(await allow(page).getAttribute("aria-disabled")).toBe("true");
    await page.evaluate("document.hasFocus = () => true, dispatchEvent(new Event('focus'))");
    expect(await allow(page).getAttribute("aria-disabled")).toBe("true");
    await ready(page);
  });

  test("no page may show it in a frame", async () => {
    const { headers } = await fetch(`${t.url}/authorize`);
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  });

  test("fits 320 px and is accessible in Greek, in both themes", async () => {
    const organization = await createOrganization(t, "Ο οργανισμός με το μακρύ όνομα");
    const app = documents.publish({
      client_name: "Agent".repeat(16),
      redirect_uris: ["http://localhost/callback"],
    });
    const query = queryOf(app.id, { redirect_uri: "http://localhost:1/callback" });
    const page = await ask(organization.admin, query, { language: "el", width: 320 });
    await ready(page);
    await page.getByRole("radio").last().check();
    await axe(page);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
    await page.emulateMedia({ colorScheme: "dark" });
    await page.locator("html[data-mantine-color-scheme=dark]").waitFor();
    await axe(page, ["color-contrast"]);
  });

  test("is used by keyboard alone", async () => {
    const { admin } = await createOrganization(t, "Acme");
    const page = await ask(admin, queryOf(await insertClient(t), { scope: "todos:read todos:write" }));
    await ready(page);
    const tabTo = async (name: string | RegExp, role: "checkbox" | "button") => {
      const wanted = page.getByRole(role, { name }).and(page.locator(":focus"));
      for (let presses = 0; presses < 20 && (await wanted.count()) === 0; presses += 1)
        await page.keyboard.press("Tab");
      expect(await wanted.count()).toBe(1);
    };
    const sent = decisions(page);
    await tabTo(/^Create, change/, "checkbox");
    await page.keyboard.press("Space");
    await tabTo("Allow", "button");
    await page.keyboard.press("Enter");
    await told(page);
    expect(JSON.parse(sent[0] ?? "").scopes).toEqual(["todos:read", "todos:write"]);
  });
});

describe.skipIf(withoutBrowser)("the page on which an app asks for access, for others", () => {
  test("platform administrators cannot connect apps", async () => {
    const page = await ask(await t.platformAdmin(), queryOf(await insertClient(t)));
    await says(page, "Platform administrators cannot connect apps. Use another account.");
  });

  test("the token of a request works in its session alone", async () => {
    const { admin } = await createOrganization(t, "Acme");
    const other = await createOrganization(t, "Other");
    const shown = await beginAs(other.admin, queryOf(await insertClient(t)));
    const page = await ask(admin, queryOf(await insertClient(t)));
    await ready(page);
    await page.route(`**${AUTHORIZATIONS}/approve`, (route) => {
      const body = { ...JSON.parse(route.request().postData() ?? ""), requestToken: shown.requestToken };
      return route.continue({ postData: JSON.stringify(body) });
    });
    await allow(page).click();
    await says(page, "This page was open for too long. Load it again.");
    await page.unroute(`**${AUTHORIZATIONS}/approve`);
    await page.getByRole("button", { name: "Load again" }).click();
    await ready(page);
    await allow(page).click();
    await told(page);
  });
});
