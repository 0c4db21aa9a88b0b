import { afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { insertClient, insertGrant, queryOf } from "../support/apps.ts";
import { linkTo } from "../support/connections.ts";
import { report } from "../support/helpdesk.ts";
import { invited } from "../support/invitations.ts";
import { assignments, createOrganization, userIdOf } from "../support/organizations.ts";
import { expectStatus } from "../support/service.ts";
import { inAnotherBrowser } from "../support/sessions.ts";
import { connect } from "../support/sso.ts";
import { SsoProvider } from "../support/sso-provider.ts";
import { ownStorage } from "../support/storage.ts";
import { createEndpoint } from "../support/webhooks.ts";
import { axe } from "./support/axe.ts";
import { expectQuiet, type Looks, open, startConsole, withoutBrowser } from "./support/browser.ts";
import { routePaths, settled, visit } from "./support/pages.ts";
import { focusWithin } from "./support/waits.ts";

const t = await startConsole({ SSO: "on", ...(await ownStorage()).environment });
/** A second service, which requires a second factor of all users. */
const strict = await startConsole({ REQUIRE_TWO_FACTOR: "all" });
afterEach(expectQuiet);
const WIDE = 1280;

/** Public pages. All others are opened as an organization administrator, a platform administrator or a new user. */
const isForNobody = (path: string) =>
  /^\/(sign-in|register|verify-email|(forgot|reset)-password|accept-invitation|auth\/callback|sign-on-setup)$/.test(
    path,
  );
const isForPlatform = (path: string) => path.startsWith("/platform/");
const isForNewcomer = (path: string) => path === "/two-factor";
const isForAdmin = (path: string) => !isForNobody(path) && !isForPlatform(path) && !isForNewcomer(path);

/** Creates data for every page, so that none of them is empty. */
async function furnished() {
  const organization = await createOrganization(t);
  const { admin } = organization;
  const unit = await organization.unit("North");
  const roleId = await organization.role("Gardener", "Members.Read", "Units.Read");
  const member = await organization.member({ role: "UNIT_ADMIN", unit });
  const [userId, own, of] = [await userIdOf(t, member), await report(admin), await report(member)];
  const invitation = await invited(t, admin);
  expectStatus(await admin.post("/api/todos", { title: "Water the plants" }), 201);
  const scripts = await admin.post("/api/service-accounts", {
    name: "CI",
    ...assignments({ role: "MEMBER" }),
  });
  const account = `/service-accounts/${expectStatus(scripts, 201).body.id}`;
  expectStatus(await admin.post(`/api${account}/keys`, { name: "Deploy" }), 201);
  const hook = await createEndpoint(admin, "https://hooks.example.com/events");
  const delivery = expectStatus(await admin.post(`${hook.path}/test`), 202).body.id;
  const { id: connectionId } = await connect(t, organization, await SsoProvider.start());
  await linkTo(t, connectionId, admin, "engineering");
  const appId = await insertClient(t, { organizationId: organization.id });
  const grant = { organizationId: organization.id, oauthClientId: appId };
  for (const person of [admin, member]) await insertGrant(t, { ...grant, userId: await userIdOf(t, person) });
  const connection = `/settings/sign-on/${connectionId}`;
  /** The addresses to open for a route with parameters, or with states that need their own address. */
  const addresses: Record<string, readonly string[]> = {
    "/support/tickets/$id": [`/support/tickets/${own.id}`],
    "/helpdesk/tickets/$id": [`/helpdesk/tickets/${of.id}`],
    "/platform/tickets/$id": [`/platform/tickets/${of.id}`],
    "/platform/organizations/$id": [`/platform/organizations/${organization.id}`],
    "/platform/users/$id": [`/platform/users/${userId}`],
    "/members/$userId": [`/members/${userId}`],
    "/members/$userId/access": [`/members/${userId}/access?permission=Units.Read&unit=${unit}`],
    "/members/$userId/activity": [`/members/${userId}/activity?view=about`],
    "/service-accounts/$id": [account],
    "/webhooks/$id": [`/webhooks/${hook.id}`, `/webhooks/${hook.id}?delivery=${delivery}`],
    "/settings/sign-on/$connectionId": [connection],
    "/settings/sign-on/$connectionId/groups": [`${connection}/groups`],
    "/settings/sign-on/$connectionId/people": [`${connection}/people`],
    "/roles/$roleId": [`/roles/${roleId}`],
    "/units": [`/units?unit=${unit}`],
    "/units/chart": [`/units/chart?unit=${unit}`],
    "/accept-invitation": [`/accept-invitation?token=${invitation.token}`, "/accept-invitation?token=x"],
    "/auth/callback": ["/auth/callback#error=ACCESS_DENIED"],
    "/authorize": [`/authorize?${queryOf(appId)}`, "/authorize?client_id=x"],
    "/reset-password": ["/reset-password?token=x"],
  };
  function addressesOf(path: string): readonly string[] {
    const known = addresses[path];
    if (known === undefined && path.includes("$"))
      throw new Error(`Nothing stands for the parameter of ${path}`);
    return known ?? [path];
  }
  const platform = await t.platformAdmin();
  const newcomer = await strict.person();
  return { admin, platform, newcomer, addressesOf };
}
let all: Awaited<ReturnType<typeof furnished>>;

/** Runs axe in both themes; in the dark one colors alone differ. */
async function axeInBothThemes(page: Page, ignored: readonly string[] = []) {
  await axe(page, null, ignored);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.locator("html[data-mantine-color-scheme=dark]").waitFor();
  await axe(page, ["color-contrast"]);
  await page.emulateMedia({ colorScheme: "light" });
  await page.locator("html[data-mantine-color-scheme=light]").waitFor();
}

/**
 * Checks that a page has one main heading, no axe violation, and is not wider than the window. The dark theme is checked in wide
 * windows; narrow ones have the same colors.
 */
async function look(page: Page, width: number) {
  await settled(page);
  expect(await page.locator("h1").count()).toBe(1);
  await (width === WIDE ? axeInBothThemes(page) : axe(page));
  expect([page.url(), await page.evaluate("document.documentElement.scrollWidth")]).toEqual([
    page.url(),
    width,
  ]);
}

/** Loads the console once, and checks these pages without reloading. */
async function walk([first = "", ...others]: readonly string[], looks: Looks, service = t): Promise<Page> {
  const { language = "en", width = 0, as } = looks;
  const page = await open(service, first, { ...looks, ...(as && { as: await inAnotherBrowser(as) }) });
  await look(page, width);
  expect(await page.locator("html").getAttribute("lang")).toBe(language);
  for (const address of others) {
    await visit(page, address);
    await look(page, width);
  }
  return page;
}

describe.skipIf(withoutBrowser)("every page", () => {
  beforeAll(async () => {
    all = await furnished();
  });

  for (const [language, width] of [
    ["en", WIDE],
    ["el", 320],
  ] as const)
    test(`is accessible and no wider than its window: ${language}, ${width} px`, async () => {
      const { admin, platform, newcomer, addressesOf } = all;
      for (const who of [admin, platform]) expectStatus(await who.patch("/api/profile", { language }), 200);
      const paths = await routePaths();
      const of = (isFor: (path: string) => boolean) => paths.filter(isFor).flatMap(addressesOf);
      const looks = { language, width };
      const [page] = await Promise.all([
        walk(of(isForAdmin), { ...looks, as: admin }),
        walk(of(isForPlatform), { ...looks, as: platform })
          .then(() => walk(of(isForNobody), looks))
          .then(() => walk(of(isForNewcomer), { ...looks, as: newcomer }, strict)),
      ]);
      await page.getByRole("button", { name: /, \d / }).click();
      await page.getByRole("dialog").getByRole("listitem").first().waitFor();
      await axe(page);
    }, 900_000);

  test("is accessible with an open menu, dialog or list of options, and with the details of an event", async () => {
    expectStatus(await all.admin.patch("/api/profile", { language: "el" }), 200);
    const page = await open(t, "/members", {
      as: await inAnotherBrowser(all.admin),
      language: "el",
      width: 375,
    });
    // A dialog is named when its title was rendered.
    const [menu, dialog] = [page.getByRole("menu"), page.getByRole("dialog", { name: /./ })];
    /** Checks the present state in both themes, and closes what is open. */
    async function check(shown: Locator) {
      await shown.waitFor();
      // Menus and options are above the page, so they are outside of its landmarks.
      await axeInBothThemes(page, ["region"]);
    }
    async function close(shown: Locator) {
      await focusWithin(shown);
      await page.keyboard.press("Escape");
      await shown.waitFor({ state: "detached" });
    }
    await page.locator(".row-menu").last().click();
    await check(menu);
    await close(menu);
    await page.getByRole("button", { name: "Φίλτρα", exact: true }).click();
    await page.getByRole("combobox").first().click();
    await check(page.getByRole("option").first());

    await visit(page, "/todos");
    await page.locator(".row-menu").first().click();
    await page.getByRole("menuitem").last().click();
    await check(dialog);
    await close(dialog);

    await visit(page, "/audit");
    await page.locator(".log-open").first().click();
    await check(dialog);
    await close(dialog);
    await page.getByRole("button", { name: "Εξαγωγή" }).click();
    await check(menu);
  }, 900_000);
});
