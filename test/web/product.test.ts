import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { theProduct } from "../../src/core/manifest/current.ts";
import { startIdentityProvider } from "../../src/dev/identity-provider.ts";
import { consolePlugin } from "../../src/dev/web/plugin.ts";
import { synchronizeBuiltInRoles } from "../../src/features/roles/built-in.ts";
import {
  createOrganization,
  type Organization,
  type RoleAssignment,
  userIdOf,
} from "../support/organizations.ts";
import { planFiles, setPlanOverride } from "../support/plans.ts";
import { PRODUCT_KEY, ProductCaller } from "../support/product.ts";
import { expectStatus } from "../support/service.ts";
import { codeOfStep, currentStep, fromBase32, withTwoFactor } from "../support/two-factor.ts";
import { LOCAL } from "../support/webhooks.ts";
import { expectQuiet, open, startConsole, withoutBrowser } from "./support/browser.ts";
import { settled } from "./support/pages.ts";
import { HOSTILE, startSite } from "./support/product.ts";
import { expectSoon } from "./support/waits.ts";

if (theProduct() === null)
  throw new Error("These tests have a process of their own: bun run test web/product");
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
const plans = [
  { key: "free", limits: {}, features: [], paid: false },
  { key: "pro", limits: { inspections: 5 }, features: ["audit", "inspectionReports"], paid: false },
];
const t = await startConsole({
  ...LOCAL,
  PRODUCT_KEY,
  APP_URL: origin,
  BILLING_PLANS_FILE: planFiles()({ plans, defaultPlan: "free" }),
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

type Transform = (html: string, context: object) => Promise<{ html: string }>;
const menu = (page: Page) => page.getByRole("navigation").getByRole("link");
const ofProduct = (page: Page) => page.getByRole("navigation").locator(`a[href^="${site.url}"]`);
const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name }).waitFor();
const signIn = async (page: Page, { email, password }: { email: string; password: string }) => {
  await page.locator("input[type=email]").fill(email);
  await page.locator("input[type=password]").fill(password);
  await page.keyboard.press("Enter");
};
const isUnharmed = async (page: Page) =>
  expect(await page.evaluate(`[document.images.length, document.title === "1"]`)).toEqual([0, false]);

describe.skipIf(withoutBrowser)("a product in the console", () => {
  let org: Organization;
  const admin = (language: "en" | "el" = "en") => personOf(language, { role: "ORG_ADMIN" });
  async function personOf(language: "en" | "el", role: RoleAssignment) {
    const person = await t.person({ language });
    await org.add(person, role);
    await person.refresh();
    return person;
  }
  beforeAll(async () => {
    expect(await synchronizeBuiltInRoles(t.databaseUrl)).toHaveLength(3);
    org = await createOrganization(t);
    await setPlanOverride(await t.platformAdmin(), org, "pro");
  });

  test("the page has what the console needs of the manifest as an attribute, under bun run dev too", async () => {
    const [tag = ""] = /<meta name="product" .*>/.exec(await (await fetch(t.url)).text()) ?? [];
    expect(tag).toContain("&lt;/script&gt;&lt;img src=x");
    const transform = consolePlugin().transformIndexHtml as unknown as Transform;
    const template = `<meta name="base-path" content="{{base}}"><meta name="product" content="{{product}}">`;
    const { html } = await transform(template, { server: {} });
    expect(html).toBe(`<meta name="base-path" content="">${tag}`);
  });

  test("the menu leads holders of the permission to its pages, in organizations whose plan has the feature", async () => {
    const member = await open(t, `${origin}/`, { as: await personOf("el", { role: "MEMBER" }) });
    await menu(member)
      .filter({ hasText: /^Επιθεωρήσεις$/ })
      .click();
    await heading(member, "/inspections/");
    const all = await open(t, `${origin}/`, { as: await admin() });
    await expectSoon(() => ofProduct(all).allTextContents(), ["Inspections", HOSTILE]);
    await isUnharmed(all);
    await all.keyboard.press("Control+k");
    await all.getByRole("combobox").fill("Inspections");
    await all.getByRole("option", { name: /^Inspections/ }).click();
    await heading(all, "/inspections/");

    const free = await createOrganization(t);
    const other = await open(t, `${origin}/`, { as: free.admin });
    await expectSoon(() => ofProduct(other).allTextContents(), [HOSTILE]);
    const guest = await open(t, `${origin}/`, {
      as: await org.member({ role: await org.role("Guest", "Units.Read") }),
    });
    await menu(guest).filter({ hasText: "Units" }).waitFor();
    await settled(guest);
    expect(await ofProduct(guest).count()).toBe(0);

    const platform = await open(t, `${origin}/platform/organizations/${org.id}`, {
      as: await t.platformAdmin(),
    });
    await platform.getByRole("button", { name: "Open as administrator" }).click();
    await expectSoon(() => ofProduct(platform).count(), 2);
  });

  test("people whom it sends to sign in come back: by password, second factor and third-party sign-in; who is signed in, at once", async () => {
    const person = await org.member();
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

  test("every address that is not below its URL is ignored after sign-in", async () => {
    const host = origin.replace("http://", "");
    const page = await open(t, `${origin}/`, { as: await admin() });
    for (const next of [
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
    ]) {
      await page.goto(`${origin}/sign-in?${new URLSearchParams({ next })}`);
      await settled(page);
      await page.waitForURL(`${origin}/`);
    }
    for (const path of ["", "/", "?tab=..", "/a/..b?to=/../#x"]) {
      await page.goto(`${origin}/sign-in?${new URLSearchParams({ next: site.url + path })}`);
      await page.waitForURL(site.url + path);
    }
  });

  test("roles have its permissions under its name, after those of the service", async () => {
    for (const [language, name, see] of [
      ["en", "Inspections", "See inspections"],
      ["el", "Επιθεωρήσεις", "Προβολή"],
    ] as const) {
      const page = await open(t, `${origin}/roles/new`, { as: await admin(language) });
      const group = page.getByRole("group").last();
      await group.getByText(HOSTILE).waitFor();
      await group.getByLabel(see).waitFor();
      expect(await group.locator("legend").textContent()).toBe(name);
      await isUnharmed(page);
    }
    const page = await open(t, `${origin}/roles/new`, { as: await admin() });
    await page.getByRole("textbox", { name: "Name" }).fill("Inspector");
    await page.getByLabel("Create inspections").check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("link", { name: "Inspector" }).waitFor();
    const roles = expectStatus(await org.admin.get("/api/roles?search=Inspector"), 200).body.data;
    expect(roles[0].permissions).toEqual(["Inspections.Create"]);
  });

  test("the plan shows when a limit begins anew, and its features by their text", async () => {
    const { limits } = expectStatus(await org.admin.get("/api/organization/billing"), 200).body;
    const { resetsAt } = limits.find(({ name }: { name: string }) => name === "inspections");
    const day = (locale: string) =>
      new Date(resetsAt).toLocaleDateString(locale, { day: "numeric", month: "long", timeZone: "UTC" });
    const page = await open(t, `${origin}/billing`, { as: await admin() });
    await page.getByText(`Resets on ${day("en-GB")}.`).waitFor();
    expect(await page.getByText(/^Resets on/).count()).toBe(1);
    await page.getByText(`Included: Audit log, Reports ${HOSTILE}`).waitFor();
    await isUnharmed(page);
  });

  test("the audit log, notifications and webhooks show what it reports by its texts, as text", async () => {
    const product = new ProductCaller(t.url);
    const member = await org.member();
    const userIds = [await userIdOf(t, member)];
    const title = `<b>Roof</b> ${HOSTILE}`;
    const report = await product.changes({
      organizationId: org.id,
      actor: null,
      audit: [
        {
          action: "INSPECTION_DELETED",
          targetId: crypto.randomUUID(),
          metadata: { title, constructor: "toString", from: 1, email: "x@example.com" },
        },
      ],
      notifications: [{ type: "INSPECTION_ASSIGNED", userIds, data: { id: "4711", title } }],
    });
    expectStatus(report, 200);

    const log = await open(t, `${origin}/audit`, { as: await admin() });
    const row = log.getByRole("listitem").filter({ hasText: "Roof" });
    await row.getByText(`Inspections deleted the inspection ${title}`).waitFor();
    await row.getByRole("button", { name: /^Details: … deleted the inspection …/ }).click();
    const facts = log.getByRole("dialog").locator("dl");
    await facts.getByText("constructor", { exact: true }).waitFor();
    await facts.getByText("toString", { exact: true }).waitFor();
    await facts.getByText("Inspections", { exact: true }).waitFor();
    await isUnharmed(log);
    await log.keyboard.press("Escape");
    await log.getByRole("combobox", { name: "Action" }).click();
    await log.getByRole("option", { name: "… deleted the inspection …" }).click();
    await log.waitForURL((url) => url.searchParams.get("action") === "INSPECTION_DELETED");
    await row.waitFor();

    const inbox = await open(t, `${origin}/notifications`, { as: member });
    await inbox.getByRole("button", { name: `“${title}” was assigned to you.` }).waitFor();
    await isUnharmed(inbox);
    await inbox.getByRole("button", { name: /^Notifications/ }).click();
    await inbox.getByRole("dialog").getByRole("button", { name: /Roof/ }).click();
    await heading(inbox, "/inspections/4711");
    const { body } = await member.get("/api/notifications/unread-count");
    expect(body.count).toBe(1);

    const webhook = await open(t, `${origin}/webhooks/new`, { as: await admin() });
    await webhook.getByRole("combobox", { name: "Event types" }).click();
    await webhook.getByRole("option", { name: `inspection.completed · Completed ${HOSTILE}` }).click();
    await isUnharmed(webhook);
  });
});
