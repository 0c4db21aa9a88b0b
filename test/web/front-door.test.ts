import { afterAll, afterEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { systemCall } from "../../src/core/context.ts";
import { BOT_CHECK_KEYS, startBotCheck } from "../../src/dev/bot-check.ts";
import { startIdentityProvider } from "../../src/dev/identity-provider.ts";
import { createOrganizationForOwner } from "../../src/features/organizations/create-own.ts";
import { transaction } from "../../src/platform/db/transaction.ts";
import { invited } from "../support/invitations.ts";
import { createOrganization } from "../support/organizations.ts";
import { idOf } from "../support/outcomes.ts";
import { expectStatus, uniqueEmail } from "../support/service.ts";
import { freePort } from "./support/authenticators.ts";
import { axe } from "./support/axe.ts";
import { expectQuiet, open, startConsole, withoutBrowser } from "./support/browser.ts";
import { settled } from "./support/pages.ts";

/* A provider of sign-ins leads back to APP_URL, so the service listens there. */
const port = freePort();
const ORIGIN = `http://localhost:${port}`;
const provider = { id: "service", secret: "only-for-tests" };
const people = new Map<
  string,
  { email: string; email_verified: boolean; given_name: string; family_name: string }
>();
const oidc = await startIdentityProvider({
  client: { ...provider, redirectUris: [`${ORIGIN}/api/auth/oidc/acme/callback`] },
  people,
});
const bots = startBotCheck();
afterAll(async () => {
  await oidc.stop();
  await bots.stop();
});
const invitedOnly = await startConsole({
  REGISTRATION: "invited",
  APP_URL: ORIGIN,
  PORT: String(port),
  OIDC_PROVIDERS: "acme",
  OIDC_ACME_ISSUER: oidc.issuer,
  OIDC_ACME_CLIENT_ID: provider.id,
  OIDC_ACME_CLIENT_SECRET: provider.secret,
  OIDC_ACME_NAME: "Acme ID",
});
const off = await startConsole({ REGISTRATION: "off", ORGANIZATION_CREATION: "platform-admins" });
const checked = await startConsole({
  BOT_CHECK: "turnstile",
  BOT_CHECK_SITE_KEY: BOT_CHECK_KEYS.siteKey,
  BOT_CHECK_SECRET: BOT_CHECK_KEYS.secret,
  BOT_CHECK_URL: bots.url,
});
afterEach(expectQuiet);

const heading = (page: Page, name: string | RegExp) =>
  page.getByRole("heading", { name, level: 1 }).waitFor();
const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const fill = (page: Page, label: string, text: string) =>
  page.getByRole("textbox", { name: label, exact: true }).fill(text);
const PASSWORD = "wide blue yonder";
/** An organization of a service in which only platform administrators create them. */
async function organizationOfOff() {
  const admin = await off.person();
  const { id } = await transaction(systemCall(off.running), async (tx) => ({
    id: await createOrganizationForOwner(tx, {
      name: "Acme",
      founderId: idOf(admin),
      origin: "REGISTRATION",
    }),
  }));
  expectStatus(await admin.refresh(), 200);
  return { admin, id };
}
const accessible = async (page: Page) => {
  await settled(page);
  await axe(page);
};

describe.skipIf(withoutBrowser)("a closed registration", () => {
  test("with REGISTRATION=invited the pages say that an invitation is needed, and its link creates an account", async () => {
    const page = await open(invitedOnly, "/sign-in");
    await says(page, "You need an invitation.");
    expect(await page.getByRole("link", { name: "Create an account" }).count()).toBe(0);
    await accessible(page);
    await page.goto("/register");
    await heading(page, "Registration is closed.");
    await says(page, "You need an invitation.");
    expect(await page.getByRole("textbox").count()).toBe(0);
    await accessible(page);

    const { admin } = await createOrganization(invitedOnly, "Acme");
    const { token } = await invited(invitedOnly, admin);
    await page.goto(`/accept-invitation?token=${token}`);
    await heading(page, "Join Acme");
    await fill(page, "First name", "Grace");
    await fill(page, "Last name", "Hopper");
    await fill(page, "Password", PASSWORD);
    await press(page, "Create the account and join");
    await heading(page, "Welcome, Grace");
  });

  test("a provider's closed door is explained, and invited people join by it", async () => {
    const { admin } = await createOrganization(invitedOnly, "Acme");
    const { email, token } = await invited(invitedOnly, admin);
    const add = (address: string) => {
      const names = { given_name: "Grace", family_name: "Hopper" };
      people.set(address, { email: address, email_verified: true, ...names });
    };
    const unknown = uniqueEmail();
    add(unknown);
    add(email);
    const page = await open(invitedOnly, `${ORIGIN}/sign-in`);
    await press(page, "Continue with Acme ID");
    await page.getByRole("button", { name: unknown }).click();
    await says(page, "Registration is closed. If you were invited, open the link of the invitation.");

    const other = await open(invitedOnly, `${ORIGIN}/accept-invitation?token=${token}`);
    await press(other, "Continue with Acme ID");
    await other.getByRole("button", { name: email }).click();
    await press(other, "Accept the invitation");
    await heading(other, "Welcome, Grace");
  });

  test("with REGISTRATION=off nothing leads to a registration, in Greek and on a phone too", async () => {
    const page = await open(off, "/sign-in", { language: "el", width: 320 });
    await page.getByRole("button", { name: "Σύνδεση" }).waitFor();
    await settled(page);
    expect(await page.getByText("Πρώτη φορά εδώ;").count()).toBe(0);
    await page.goto("/register");
    await heading(page, "Οι εγγραφές είναι κλειστές.");
    await accessible(page);
    const { admin } = await organizationOfOff();
    const { token } = await invited(off, admin);
    await page.goto(`/accept-invitation?token=${token}`);
    await fill(page, "Όνομα", "Grace");
    await fill(page, "Επώνυμο", "Hopper");
    await fill(page, "Κωδικός πρόσβασης", PASSWORD);
    await page.keyboard.press("Enter");
    await says(page, "Οι εγγραφές είναι κλειστές.");
  });
});

describe.skipIf(withoutBrowser)("organizations of platform administrators", () => {
  test("people without an organization are told to ask for an invitation, and nothing offers to create one", async () => {
    const person = await off.person();
    const page = await open(off, "/", { as: person });
    await says(page, "Ask to be invited, then open the link in the invitation email.");
    expect(await page.getByRole("textbox", { name: "Name of the organization" }).count()).toBe(0);
    await says(page, "Join an organization");
    await accessible(page);
    await page.goto("/new-organization");
    await says(page, "Only platform administrators create organizations here.");

    const { admin } = await organizationOfOff();
    const other = await open(off, "/", { as: admin });
    await other.getByRole("button", { name: /Acme/ }).first().click();
    await other.getByRole("option", { name: /Acme/ }).waitFor();
    await settled(other);
    expect(await other.getByRole("option", { name: "New organization" }).count()).toBe(0);
  });
});

describe.skipIf(withoutBrowser)("the bot check", () => {
  const confirm = (page: Page) =>
    page.frameLocator('iframe[title="Bot check"]').getByRole("checkbox").check();

  test("is asked at registration and at a request for mail, each time anew", async () => {
    const page = await open(checked, "/register");
    const email = uniqueEmail();
    await fill(page, "First name", "Grace");
    await fill(page, "Last name", "Hopper");
    await fill(page, "Email address", email);
    await fill(page, "Password", PASSWORD);
    await press(page, "Create an account");
    await says(page, "Confirm that you are not a robot, then try again.");
    await confirm(page);
    await press(page, "Create an account");
    await heading(page, "Check your mail");
    await confirm(page);
    await press(page, "Send the link again");
    await says(page, /we have sent a new link/);

    await page.goto("/forgot-password");
    await confirm(page);
    await fill(page, "Email address", email);
    await press(page, "Send the link");
    await heading(page, "Check your mail");
    await accessible(page);
  });

  test("is asked at sign-in after five failures", async () => {
    const person = await checked.person();
    const { email } = person;
    const wrong = { email, password: "not the password" };
    for (let failure = 1; failure <= 5; failure += 1)
      expectStatus(await checked.anonymous().post("/api/auth/login", wrong), 401);
    const page = await open(checked, "/sign-in", { language: "el" });
    await page.locator("input[type=email]").fill(email);
    await page.locator("input[type=password]").fill(person.account.password);
    await page.keyboard.press("Enter");
    await says(page, "Επιβεβαιώστε ότι δεν είστε ρομπότ και δοκιμάστε ξανά.");
    await confirm(page);
    await press(page, "Σύνδεση");
    await page.getByRole("heading", { level: 1 }).filter({ hasText: "Ada" }).waitFor();
  });
});
