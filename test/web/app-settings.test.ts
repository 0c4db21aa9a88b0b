import { afterEach, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { DOCUMENT_APP, insertClient, insertGrant } from "../support/apps.ts";
import { createOrganization, type Organization, userIdOf } from "../support/organizations.ts";
import { expectStatus } from "../support/service.ts";
import { axe } from "./support/axe.ts";
import { expectQuiet, open, sharedConsole, withoutBrowser } from "./support/browser.ts";
import { expectSoon } from "./support/waits.ts";

const t = await sharedConsole();
afterEach(expectQuiet);

const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true }).click();
const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();
const confirm = (page: Page, name: string) =>
  page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
const rows = (page: Page) => page.getByRole("row").filter({ has: page.getByRole("cell") });
async function choose(page: Page, row: Locator, action: string) {
  await row.getByRole("button", { name: /^Actions for/ }).click();
  await page.getByRole("menuitem", { name: action }).click();
}

/** An organization with two members, of whom each has connected an app. */
async function withApps() {
  const organization = await createOrganization(t, "Acme");
  const [one, two] = [await organization.member(), await organization.member()];
  const connect = async (person: typeof one, settings: object) =>
    insertGrant(t, { userId: await userIdOf(t, person), organizationId: organization.id, ...settings });
  await connect(one, { clientName: "Agent", scopes: ["todos:read"] });
  await connect(two, { clientName: "Agent", scopes: ["todos:read", "todos:write"] });
  const clientId = await insertClient(t, { organizationId: organization.id, name: "Reporter" });
  await connect(two, { clientName: "Reporter", oauthClientId: clientId });
  return { organization, one, two };
}
const appsOf = async ({ admin }: Organization) =>
  expectStatus(await admin.get("/api/organization/connected-apps"), 200).body.total;

describe.skipIf(withoutBrowser)("the apps of an organization", () => {
  test("are listed with their members, filtered, and disconnected", async () => {
    const { organization, one } = await withApps();
    const page = await open(t, "/settings", { as: organization.admin });
    await page.getByRole("link", { name: "Open connected apps" }).click();
    await expectSoon(() => rows(page).count(), 4);
    await axe(page);
    const agent = rows(page).filter({ hasText: one.email });
    await choose(page, agent, "Show only this app");
    await expectSoon(() => rows(page).count(), 3);
    expect(new URL(page.url()).searchParams.get("client")).toContain(DOCUMENT_APP);
    await choose(page, agent, "Show only this member");
    await expectSoon(() => rows(page).count(), 2);
    await press(page, /^Remove the filter App: Agent|^Remove.*Agent/);
    await page.getByRole("searchbox").fill("nobody");
    await says(page, /^No|^There/);
    await page.getByRole("searchbox").fill("");
    await choose(page, agent, "Disconnect");
    await confirm(page, "Disconnect");
    await agent.waitFor({ state: "detached" });
    expect(await appsOf(organization)).toBe(2);
  });

  test("before a narrower policy is saved, the page says how many connected apps end", async () => {
    const { organization } = await withApps();
    const page = await open(t, "/settings/apps/rules", { as: organization.admin });
    await page.getByRole("radio", { name: "Nobody" }).check();
    await says(page, "Connected apps that end when you save: 3.");
    await page.getByRole("radio", { name: "Members, approved apps only" }).check();
    await says(page, "Connected apps that end when you save: 2.");
    await page.getByLabel("Host or client id").fill("agent.example.com:8443");
    await press(page, "Approve");
    await page.locator("[aria-invalid=true]").waitFor();
    await page.getByLabel("Host or client id").fill("claude.ai");
    await press(page, "Approve");
    const list = page.getByRole("list", { name: "List of approved apps" });
    await list.getByText("claude.ai").waitFor();
    await list.getByText("operator.example").waitFor();
    await axe(page);
    await press(page, "Save");
    await says(page, "Saved");
    expect(await appsOf(organization)).toBe(1);
    await press(page, "Remove the approval of claude.ai");
    await confirm(page, "Remove the approval");
    await list.getByText("claude.ai").waitFor({ state: "detached" });
  });

  test("an app is registered, changed, disabled, enabled, gets another secret and is deleted", async () => {
    const organization = await createOrganization(t, "Acme");
    const page = await open(t, "/settings/apps/registered", { as: organization.admin });
    await lifeOfAnApp(page);
    const { body } = await organization.admin.get("/api/organization/oauth-clients");
    expect(body.total).toBe(0);
  });

  test("platform administrators do the same with the apps of the operator", async () => {
    const page = await open(t, "/", { as: await t.platformAdmin() });
    await page.getByRole("link", { name: "Apps", exact: true }).click();
    await lifeOfAnApp(page);
  });

  test("a unit administrator sees the apps of the unit's members alone, from the menu", async () => {
    const { organization } = await withApps();
    const unit = await organization.unit("North");
    const below = await organization.member({ role: "MEMBER", unit });
    await insertGrant(t, { userId: await userIdOf(t, below), organizationId: organization.id });
    const page = await open(t, "/", { as: await organization.member({ role: "UNIT_ADMIN", unit }) });
    await page.getByRole("link", { name: "Connected apps" }).click();
    await rows(page).filter({ hasText: below.email }).waitFor();
    expect(await rows(page).count()).toBe(2);
  });
});

/** Goes through all that can be done with a registered app, on the page that lists them. */
async function lifeOfAnApp(page: Page) {
  const name = `Desk ${crypto.randomUUID().slice(0, 8)}`;
  const dialog = page.getByRole("dialog");
  await press(page, "Register an app");
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByLabel("Redirect addresses").fill("https://desk.example.com/callback\nftp://x");
  await dialog.getByLabel("The app keeps a secret").check();
  await confirm(page, "Register an app");
  await dialog.locator("textarea[aria-invalid=true]").waitFor();
  await axe(page);
  await dialog.getByLabel("Redirect addresses").fill("https://desk.example.com/callback");
  await confirm(page, "Register an app");
  const secret = await dialog.getByLabel("Client secret").inputValue();
  expect(secret).toMatch(/^moss_/);
  await axe(page);
  await press(page, "I have stored the secret");
  const row = page.getByRole("row").filter({ hasText: /Desk/ });
  await row.getByText("https://desk.example.com/callback").waitFor();
  await row.getByText("With secret").waitFor();

  await choose(page, row, "Edit");
  await dialog.getByLabel("Name").fill(`${name} 2`);
  await confirm(page, "Save");
  await row.getByText(`${name} 2`, { exact: true }).waitFor();
  await choose(page, row, "Disable");
  await confirm(page, "Disable");
  await row.getByText("Disabled").waitFor();
  await choose(page, row, "Enable");
  await row.getByText("Disabled").waitFor({ state: "detached" });
  await choose(page, row, "Replace secret");
  await confirm(page, "Replace secret");
  await expectSoon(async () => (await dialog.getByLabel("Client secret").inputValue()) !== secret, true);
  await press(page, "I have stored the secret");
  await row.getByText(/^The previous secret works until/).waitFor();
  await choose(page, row, "Delete");
  await confirm(page, "Delete");
  await row.waitFor({ state: "detached" });
}
