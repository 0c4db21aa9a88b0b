import { afterAll, afterEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { startDnsServer } from "../../src/dev/dns/server.ts";
import {
  changeOf,
  type PolicyValues,
  type SignOnPolicy,
  valuesOf,
} from "../../src/web/organization/sign-on/policy-values.ts";
import { add, DOMAINS, newName, read } from "../support/domains.ts";
import { createOrganization } from "../support/organizations.ts";
import { idOf } from "../support/outcomes.ts";
import { planFiles, setPlanOverride } from "../support/plans.ts";
import { expectStatus } from "../support/service.ts";
import { insertConnection, SIGN_ON } from "../support/sign-on.ts";
import { POLICY, readyOrganization } from "../support/sign-on-policy.ts";
import { expectQuiet, open, startConsole, withoutBrowser } from "./support/browser.ts";
import { fits, settled } from "./support/pages.ts";
import { expectSoon } from "./support/waits.ts";

const dns = await startDnsServer();
const plans = [
  { key: "free", limits: {}, features: [], paid: false },
  { key: "enterprise", limits: {}, features: ["sso"], paid: false },
];
const t = await startConsole({
  ...SIGN_ON,
  DNS_SERVERS: dns.address,
  BILLING_PLANS_FILE: planFiles()({ plans, defaultPlan: "enterprise" }),
});
afterAll(() => dns.stop());
afterEach(expectQuiet);

const PAGE = "/settings/sign-on";
const step = (page: Page, name: string) => page.getByRole("region", { name });
const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

test("of an announced policy, a change of one part is sent with the other parts, and what is dropped alone", () => {
  const enforceFrom = "2026-12-05T09:00:30.000Z";
  const policy: SignOnPolicy = {
    ...({ scope: "off", requireTwoFactor: false, announced: null } as const),
    ...{ maxSessionHours: null, reauthenticationMinutes: null, breakGlass: [], version: 3, updatedAt: null },
  };
  const announced: SignOnPolicy = {
    ...policy,
    announced: { scope: "everyone", requireTwoFactor: true, enforceFrom },
  };
  const sent = (before: SignOnPolicy, changed: Partial<PolicyValues>) =>
    changeOf(before, { ...valuesOf(before), ...changed }, changed);
  expect(sent(policy, { scope: "domains" })).toEqual({ scope: "domains" });
  expect(sent(policy, { maxSessionHours: "12" })).toEqual({ maxSessionHours: 12 });
  expect(sent(announced, { maxSessionHours: "", reauthenticationMinutes: "5" })).toEqual({
    ...{ maxSessionHours: null, reauthenticationMinutes: 5 },
  });
  expect(sent(announced, { requireTwoFactor: false })).toEqual({
    ...{ scope: "everyone", requireTwoFactor: false, enforceFrom },
  });
  expect(sent(announced, { scope: "off", requireTwoFactor: false })).toEqual({
    ...{ scope: "off", requireTwoFactor: false },
  });
  expect(sent(announced, { enforceFrom: "" })).toEqual({ scope: "everyone", requireTwoFactor: true });
});

describe.skipIf(withoutBrowser)("domains of single sign-on", () => {
  test("a domain is added, its record is copied and checked, and it is removed", async () => {
    const { admin } = await createOrganization(t);
    const page = await open(t, PAGE, { as: admin });
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await step(page, "1. Domains To do").getByText("There are no domains.").waitFor();
    await page.getByLabel("New domain").fill("gmail.com");
    await page.getByRole("button", { name: "Add domain" }).click();
    await says(page, /^Enter a domain that your organization can prove/);
    const name = newName();
    await page.getByLabel("New domain").fill(name);
    await page.getByRole("button", { name: "Add domain" }).click();
    const item = page.getByRole("article", { name });
    await item.waitFor();
    const { record } = expectStatus(await admin.get(DOMAINS), 200).body.data[0];
    await item.getByText(record.value, { exact: true }).waitFor();
    const clipboard = () => page.evaluate<string>("navigator.clipboard.readText()");
    await item.getByRole("button", { name: "Copy name" }).click();
    await expectSoon(clipboard, record.name);
    await item.getByRole("button", { name: "Copy value" }).click();
    await expectSoon(clipboard, record.value);

    const check = () => item.getByRole("button", { name: "Check now" }).click();
    await check();
    await item.getByText(`There is no TXT record with the name ${record.name} yet.`).waitFor();
    dns.publish(record.name, "mos-verify=other");
    await check();
    await item.getByText("mos-verify=other").waitFor();
    dns.answers.set(record.name, { code: "SERVFAIL" });
    await check();
    await item.getByText(`The DNS servers of ${name} did not answer.`).waitFor();
    dns.publish(record.name, record.value);
    await check();
    await item.getByText("The record is there. The domain is verified.").waitFor();
    await item.getByText("Last check: now").waitFor();
    await step(page, "1. Domains Done").waitFor();

    await item.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.locator(":focus", { hasText: "There are no domains." }).waitFor();
    expect(expectStatus(await admin.get(DOMAINS), 200).body.total).toBe(0);
  });

  test("people of a verified domain get a connection and may join, but not with a role for administrators", async () => {
    const organization = await createOrganization(t);
    const { admin } = organization;
    const connectionId = await insertConnection(t, organization);
    const [domain, pending] = [await add(organization), await add(organization)];
    await t.sql("UPDATE organization_domains SET status = 'VERIFIED', verified_at = now() WHERE id = $1", [
      domain.id,
    ]);
    const page = await open(t, PAGE, { as: admin });
    const item = page.getByRole("article", { name: domain.domain });
    await item.getByText("Connection: None").waitFor();
    await item.getByRole("button", { name: "Sign-in and joining" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("combobox", { name: "Connection" }).click();
    await page.getByRole("option", { name: "Acme" }).click();
    await dialog.getByRole("radio", { name: "People ask to join, and you decide" }).check();
    await dialog.getByRole("button", { name: "Add a role" }).click();
    const choose = async (role: string) => {
      await dialog.getByRole("combobox", { name: "Role", exact: true }).click();
      await page.getByRole("option", { name: role, exact: true }).click();
    };
    await choose("Administrator");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText(/^This role holds .*, which nobody gets like this\.$/).waitFor();
    await choose("Member");
    await dialog.getByRole("button", { name: "Save" }).click();
    await item.getByText("Joining: People ask to join, and you decide (Member)").waitFor();
    await item.getByText("Connection: Acme").waitFor();
    expect(await read(admin, domain)).toMatchObject({
      ...{ connectionId, join: "request" },
      joinAssignments: [{ role: { name: "MEMBER" }, unit: null }],
    });

    const other = page.getByRole("article", { name: pending.domain });
    await other.getByRole("button", { name: "Sign-in and joining" }).click();
    await dialog.getByText("Once the domain is verified, you can let its people join here.").waitFor();
  });
});

describe.skipIf(withoutBrowser)("single sign-on and the plan", () => {
  test("the page says at once that the plan has no single sign-on, and leads to the plans", async () => {
    const organization = await createOrganization(t, "Acme");
    const platform = await t.platformAdmin();
    await setPlanOverride(platform, organization, "free");
    const page = await open(t, PAGE, { as: organization.admin, width: 320 });
    const notice = page.getByRole("alert").filter({ hasText: "Your plan does not include single sign-on." });
    await notice.waitFor();
    await fits(page);
    await notice.getByRole("link", { name: "Compare plans" }).click();
    await page.getByRole("heading", { name: "Usage & billing", level: 1 }).waitFor();

    await setPlanOverride(platform, organization, "enterprise");
    await page.goto(`${t.url}${PAGE}`);
    await page.getByRole("button", { name: "New connection" }).waitFor();
    await settled(page);
    expect(await notice.count()).toBe(0);
  });
});

describe.skipIf(withoutBrowser)("policy of single sign-on", () => {
  test("those who could not act are shown before the policy is saved; a refusal and a change by somebody else are said in words", async () => {
    const { organization, admin, domain } = await readyOrganization(t);
    const [inside, outside] = [await organization.member(), await organization.member()];
    const address = `ada-${crypto.randomUUID()}@${domain}`;
    await t.sql("UPDATE users SET email = $2 WHERE id = $1", [idOf(inside), address]);
    await t.sql("INSERT INTO account_emails (email, user_id) VALUES ($2, $1)", [idOf(inside), address]);
    const page = await open(t, PAGE, { as: admin });
    const policy = step(page, "4. Policy");
    await policy.getByRole("radio", { name: /^Everyone, guests too/ }).check();
    await policy
      .getByText("3 of 3 people could not act: 1 without sign-in, 2 outside your domains")
      .waitFor();
    await policy.getByText(`${outside.email}: address outside your domains`).waitFor();
    await policy.getByRole("button", { name: "Save: 3 people could not act" }).click();
    await policy.getByText(/^Put yourself on the list of break-glass people first\./).waitFor();
    await policy.getByRole("button", { name: "Add yourself" }).click();
    await policy.getByRole("list", { name: "Break-glass people" }).getByText("Ready").waitFor();
    await policy.getByText("2 of 3 people could not act").waitFor();
    expect(await policy.getByText("You must be on the list yourself").count()).toBe(0);

    expectStatus(await admin.patch(POLICY, { maxSessionHours: 12 }), 200);
    await policy.getByRole("button", { name: "Save: 2 people could not act" }).click();
    await policy.getByText("Somebody else has changed the policy.").waitFor();
    await policy.getByRole("button", { name: "Load their changes" }).click();
    await expectSoon(() => policy.getByLabel("Hours until people must sign in again").inputValue(), "12");

    await policy.getByRole("radio", { name: /^Everyone, guests too/ }).check();
    await policy.getByLabel("Effective from").fill("2020-01-01T00:00");
    await policy.getByRole("button", { name: "Save: 2 people could not act" }).click();
    await policy.getByText("Choose a time in the future.").waitFor();
    await policy.getByLabel("Effective from").fill("");
    await policy.getByLabel("Hours until people must sign in again").fill("");
    await policy.getByRole("button", { name: "Save: 2 people could not act" }).click();
    await policy.getByText(/^Announced for /).waitFor();
    await step(page, "4. Policy Done").waitFor();
    expect(expectStatus(await admin.get(POLICY), 200).body).toMatchObject({
      ...{ scope: "off", announced: { scope: "everyone", requireTwoFactor: false }, maxSessionHours: null },
      breakGlass: [{ userId: idOf(admin), usable: true }],
    });
    await policy.getByRole("button", { name: `Remove ${admin.email}` }).click();
    await policy.getByText(/^Somebody who is ready must stay on the list/).waitFor();

    // One part of what is announced is changed; the other and the time stay.
    const { enforceFrom } = expectStatus(await admin.get(POLICY), 200).body.announced;
    await policy.getByRole("radio", { name: /^People of your domains:/ }).check();
    await policy.getByRole("button", { name: "Save: 1 person could not act" }).click();
    await policy.getByRole("alert").filter({ hasText: "People of your domains" }).waitFor();
    const { announced } = expectStatus(await admin.get(POLICY), 200).body;
    expect(announced).toEqual({ scope: "domains", requireTwoFactor: false, enforceFrom });
  });

  test("readers see the state and no button, platform administrators only what removes and turns off", async () => {
    const { organization, admin } = await readyOrganization(t);
    expectStatus(await admin.patch(POLICY, { scope: "domains", breakGlassUserIds: [idOf(admin)] }), 200);
    const role = await organization.role("Auditor", "SingleSignOn.Read");
    const reader = await organization.member({ role });
    const page = await open(t, PAGE, { as: reader });
    await says(page, "Require a second factor: No");
    await says(page, /^Announced for /);
    await says(page, admin.email);
    await fits(page, 1280);
    const main = page.getByRole("main");
    expect(await main.getByRole("button").allInnerTexts()).toEqual([]);
    expect(await main.getByRole("textbox").count()).toBe(0);

    const platform = await open(t, PAGE, { as: await t.platformAdmin() });
    const acting = { id: organization.id, name: "Acme", slug: "acme" };
    await platform.evaluate((value) => sessionStorage.setItem("acting-on", value), JSON.stringify(acting));
    await platform.reload();
    await platform.getByRole("button", { name: "Turn off" }).click();
    await platform.getByRole("dialog").getByRole("button", { name: "Turn off" }).click();
    await step(platform, "4. Policy To do").waitFor();
    expect(expectStatus(await admin.get(POLICY), 200).body).toMatchObject({ scope: "off", announced: null });
    expect(await platform.getByRole("main").getByRole("button").allInnerTexts()).toEqual(["Exit", "Remove"]);
  });

  test("the page works on a phone and in Greek, with a domain of each state", async () => {
    const { organization, admin } = await readyOrganization(t);
    expectStatus(await admin.patch("/api/profile", { language: "el" }), 200);
    const long = `${"long".repeat(15)}.${newName()}`;
    const [, missing, lapsed] = [
      await add(organization, long),
      await add(organization),
      await add(organization),
    ];
    const states = [
      [missing, "VERIFIED"],
      [lapsed, "LAPSED"],
    ] as const;
    for (const [{ id }, status] of states)
      await t.sql(
        `UPDATE organization_domains SET status = $2, verified_at = now() - interval '40 days',
           checked_at = now() - interval '2 hours', missing_since = now() - interval '3 days' WHERE id = $1`,
        [id, status],
      );
    await organization.member();
    expectStatus(await admin.patch(POLICY, { breakGlassUserIds: [idOf(admin)] }), 200);
    const page = await open(t, PAGE, { as: admin, language: "el", width: 320 });
    await page.getByRole("radio", { name: /^Όλοι, και/ }).check();
    await page.getByRole("button", { name: "Αποθήκευση: 1 άτομο δεν θα μπορεί να ενεργεί" }).waitFor();
    await page.getByRole("article", { name: long }).getByRole("button", { name: "Έλεγχος τώρα" }).click();
    await page.getByRole("status").filter({ hasText: long }).waitFor();
    await says(page, /^Λήγει στις /);
    await says(page, "Έληξε");
    await fits(page);
  });
});
