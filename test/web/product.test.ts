import { afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
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
import { LOCAL } from "../support/webhooks.ts";
import { expectQuiet, open, startConsole, withoutBrowser } from "./support/browser.ts";
import { settled } from "./support/pages.ts";
import { HOSTILE, startSite } from "./support/product.ts";
import { heading } from "./support/steps.ts";
import { expectSoon } from "./support/waits.ts";

const site = startSite();
const { origin } = site;
const plans = [
  { key: "free", limits: {}, features: [], paid: false },
  { key: "pro", limits: { inspections: 5 }, features: ["audit", "inspectionReports"], paid: false },
];
const t = await startConsole({
  ...LOCAL,
  PRODUCT_KEY,
  APP_URL: origin,
  BILLING_PLANS_FILE: planFiles()({ plans, defaultPlan: "free" }),
});
site.to(t?.url ?? "");
afterEach(expectQuiet);

type Transform = (html: string, context: object) => Promise<{ html: string }>;
const menu = (page: Page) => page.getByRole("navigation").getByRole("link");
const ofProduct = (page: Page) => page.getByRole("navigation").locator(`a[href^="${site.url}"]`);
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
    await synchronizeBuiltInRoles(t.databaseUrl);
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

    const use = (amount: number) =>
      new ProductCaller(t.url).changes({
        organizationId: org.id,
        usage: [{ limit: "inspections", id: "all", amount }],
      });
    expectStatus(await use(5), 200);
    const full = await open(t, `${origin}/billing`, { as: await admin() });
    await full.getByText(`Nothing more can be added. Resets on ${day("en-GB")}.`).waitFor();
    expectStatus(await use(0), 200);
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
    await log.goto(`${origin}/audit?action=ISO9001_CHECKED`);
    await log.getByRole("button", { name: "Remove the filter Action: ISO9001_CHECKED" }).waitFor();
    const platform = await open(t, `${origin}/platform/audit`, { as: await t.platformAdmin() });
    await platform.getByRole("combobox", { name: "Action" }).click();
    await platform.getByRole("option", { name: "… deleted the inspection …" }).waitFor();

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
