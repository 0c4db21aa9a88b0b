import { afterEach, describe, expect, test } from "bun:test";
import { createOrganization } from "../support/organizations.ts";
import { planFiles, setPlanOverride } from "../support/plans.ts";
import { SIGN_ON } from "../support/sign-on.ts";
import { axe } from "./support/axe.ts";
import { expectQuiet, open, startConsole, withoutBrowser } from "./support/browser.ts";
import { settled } from "./support/pages.ts";

const plans = [
  { key: "free", limits: {}, features: [], paid: false },
  { key: "enterprise", limits: {}, features: ["sso"], paid: false },
];
const t = await startConsole({
  ...SIGN_ON,
  BILLING_PLANS_FILE: planFiles()({ plans, defaultPlan: "free" }),
});
afterEach(expectQuiet);

describe.skipIf(withoutBrowser)("single sign-on and the plan", () => {
  test("the page says at once that the plan has no single sign-on, and leads to the plans", async () => {
    const organization = await createOrganization(t, "Acme");
    const page = await open(t, "/settings/sign-on", { as: organization.admin, width: 320 });
    const notice = page.getByRole("alert").filter({ hasText: "Your plan does not include single sign-on." });
    await notice.waitFor();
    await settled(page);
    await axe(page);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
    await notice.getByRole("link", { name: "Compare plans" }).click();
    await page.getByRole("heading", { name: "Usage & billing", level: 1 }).waitFor();

    await setPlanOverride(await t.platformAdmin(), organization, "enterprise");
    await page.goto(`${t.url}/settings/sign-on`);
    await page.getByRole("button", { name: "New connection" }).waitFor();
    await settled(page);
    expect(await notice.count()).toBe(0);
  });
});
