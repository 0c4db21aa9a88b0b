import { afterEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { pngWith } from "../support/images.ts";
import { createOrganization, userIdOf } from "../support/organizations.ts";
import { startProvider, WEBHOOK } from "../support/payments.ts";
import { PAYMENT, PLANS, planFiles, storeSubscription } from "../support/plans.ts";
import { expectStatus, type Service, uniqueEmail } from "../support/service.ts";
import { inAnotherBrowser } from "../support/sessions.ts";
import { ownStorage } from "../support/storage.ts";
import { codeOfStep, currentStep, fromBase32 } from "../support/two-factor.ts";
import { expectQuiet, open, startConsole, withoutBrowser } from "./support/browser.ts";
import { button, choose, link, press, tabTo, type } from "./support/keyboard.ts";
import { heading } from "./support/steps.ts";
import { expectSoon, focused, focusWithin } from "./support/waits.ts";

const { payments, proxy } = startProvider(() => t.url + WEBHOOK);
const t: Service = await startConsole({
  ...(await ownStorage()).environment,
  ...PAYMENT,
  BILLING_PLANS_FILE: planFiles()(PLANS),
  PAYMENT_API_URL: proxy.url,
});
afterEach(expectQuiet);

const PASSWORD = "wide blue yonder";
const field = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });
const pathOf = ({ url }: { url: string }) => url.replace("http://app.test", "");
/** Chooses the first option that contains a text in the field with suggestions that has the focus. */
async function suggest(page: Page, text: string) {
  await page.keyboard.press("Control+a");
  await page.keyboard.type(text);
  // Until the search has ended, the field may suggest others as well.
  const options = page.getByRole("option");
  const areFound = (texts: string[]) => texts.length > 0 && texts.every((option) => option.includes(text));
  await expectSoon(async () => areFound(await options.allTextContents()), true);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
}

describe.skipIf(withoutBrowser)("with the keyboard only", () => {
  test("a newcomer registers, confirms the address, signs in with the address filled in, and creates an organization", async () => {
    const email = uniqueEmail();
    const page = await open(t, "/register");
    await focused(field(page, "First name"));
    for (const text of ["Grace", "Hopper", email]) {
      await page.keyboard.type(text);
      await page.keyboard.press("Tab");
    }
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press("Enter");
    await heading(page, "Check your mail");

    await page.goto(pathOf(await t.linkTo(email, "/verify-email")));
    await press(page, button(page, "Confirm the address"));
    await heading(page, "Sign in");
    await focused(field(page, "Password"));
    expect(await page.getByLabel("Email address").inputValue()).toBe(email);
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press("Enter");
    await heading(page, "Welcome, Grace");
    await type(page, field(page, "Name of the organization"), "Acme");
    await page.keyboard.press("Enter");
    await page.getByText("Acme · Administrator").waitFor();
  });

  test("an administrator creates units below each other, invites a person to a role in one of them, who accepts", async () => {
    const org = await createOrganization(t, "Umbrella");
    const page = await open(t, "/units", { as: org.admin });
    const dialog = page.getByRole("dialog");
    for (const [opener, name] of [
      [/^(New unit|Create the first unit)$/, "Europe"],
      ["New unit below", "Greece"],
      ["New unit below", "Athens"],
    ] as const) {
      await press(page, button(page, opener).first());
      await focused(dialog.getByLabel("Name"));
      await page.keyboard.type(name);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 2, name }).waitFor();
      await dialog.waitFor({ state: "hidden" });
    }

    await page.keyboard.press("Control+k");
    await focused(page.getByRole("combobox", { name: /^Page, person/ }));
    await page.keyboard.type("invite people");
    await page.getByRole("option", { name: "Invite people" }).waitFor();
    await page.keyboard.press("Enter");
    await heading(page, "Invite people");
    const email = uniqueEmail();
    await type(page, page.getByLabel("Email addresses"), email);
    await tabTo(page, page.getByRole("combobox", { name: "Where" }));
    await suggest(page, "Greece");
    await press(page, button(page, "Send invitations"));
    await page.getByRole("region", { name: "Results" }).getByText(email).waitFor();

    const invited = await open(t, pathOf(await t.linkTo(email, "/accept-invitation")));
    await heading(invited, "Join Umbrella");
    await type(invited, field(invited, "First name"), "Grace");
    await type(invited, field(invited, "Last name"), "Hopper");
    await type(invited, field(invited, "Password"), PASSWORD);
    await invited.keyboard.press("Enter");
    await heading(invited, "Welcome, Grace");
  });

  test("a member reports a problem with two images; staff write a note, and reply and resolve; the member opens the news of it", async () => {
    const org = await createOrganization(t);
    const member = await org.member({ role: "MEMBER" });
    const page = await open(t, "/support/tickets/new", { as: member });
    await heading(page, "Report a problem");
    await type(page, field(page, "Subject"), "The list stays empty");
    await type(page, page.getByLabel("Message"), "Since this morning.");
    const chooser = page.waitForEvent("filechooser");
    await press(page, button(page, "Add images"));
    const image = (name: string) => ({ name, mimeType: "image/png", buffer: Buffer.from(pngWith()) });
    await (await chooser).setFiles([image("one.png"), image("two.png")]);
    await page.getByRole("img", { name: "two.png" }).waitFor();
    await press(page, button(page, "Send"));
    await heading(page, "The list stays empty");
    await page.getByRole("button", { name: /^Notifications/ }).waitFor();

    const staff = await open(t, "/helpdesk/tickets", { as: org.admin });
    await press(staff, link(staff, "The list stays empty"));
    await heading(staff, "The list stays empty");
    await tabTo(staff, staff.getByRole("radio", { name: "Reply" }));
    await staff.keyboard.press("ArrowRight");
    await type(staff, staff.getByLabel("Message", { exact: true }), "A note for us");
    await staff.keyboard.press("Control+Enter");
    await staff.getByText("A note for us", { exact: true }).and(staff.locator("p")).waitFor();
    await type(staff, staff.getByLabel("Message", { exact: true }), "It is mended");
    await press(staff, button(staff, "Send and resolve"));
    await staff.getByText("Ada Lovelace set the status to Resolved").waitFor();

    await page.goto("/");
    await heading(page, "Welcome, Ada");
    await press(page, button(page, /^Notifications, \d+ unread$/));
    const news = page.getByRole("dialog").getByRole("button", { name: /reply to your ticket/ });
    await news.waitFor();
    await focusWithin(page.getByRole("dialog"));
    await press(page, news);
    await heading(page, "The list stays empty");
    await page.getByText("It is mended", { exact: true }).waitFor();
  });

  test("an administrator finds in the audit log what was changed about a member, and exports it", async () => {
    const org = await createOrganization(t);
    const bob = await org.member({ role: "MEMBER" });
    const path = `/api/members/${await userIdOf(t, bob)}`;
    expectStatus(await org.admin.patch(`${path}/units`, { unitIds: [await org.unit("North")] }), 200);
    const page = await open(t, "/audit", { as: org.admin });
    await heading(page, "Audit log");
    await tabTo(page, page.getByRole("combobox", { name: "About" }));
    await suggest(page, bob.email);
    await page.waitForURL(/targetId=/);
    await page
      .getByRole("region", { name: "Audit log" })
      .getByText("Ada Lovelace added Ada Lovelace to North")
      .waitFor();
    const download = page.waitForEvent("download");
    await press(page, button(page, "Export"));
    await choose(page, "Export as CSV");
    expect(await Bun.file(await (await download).path()).text()).toContain("MEMBER_UNITS_CHANGED");
  });

  test("an administrator meets the limit of the plan, follows its link, and chooses another plan", async () => {
    const org = await createOrganization(t);
    await storeSubscription(t, org, { trial_ends_at: new Date(0) });
    await org.unit("North");
    await org.unit("South");
    await org.member();
    const page = await open(t, "/invitations/new", { as: org.admin });
    await type(page, page.getByLabel("Email addresses"), uniqueEmail());
    await press(page, button(page, "Send invitations"));
    await page.getByText("2 of 2 used.").waitFor();
    await page.getByRole("main").getByRole("link", { name: "Plan and billing" }).waitFor();
    await page.goto("/units");
    await page.getByRole("treeitem", { name: "South" }).waitFor();
    await press(page, button(page, "New unit"));
    const dialog = page.getByRole("dialog");
    await focused(dialog.getByLabel("Name"));
    await page.keyboard.type("West");
    await page.keyboard.press("Enter");
    await dialog.getByText("2 of 2 used.").waitFor();
    await press(page, dialog.getByRole("link", { name: "Plan and billing" }));
    await heading(page, /billing/i);
    await tabTo(page, button(page, "Choose Pro"));
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.origin === new URL(payments.url).origin);
  });

  test("a user ends all other sessions, turns on two-factor authentication, and signs in with a recovery code", async () => {
    const person = await t.person();
    const other = await inAnotherBrowser(person);
    const page = await open(t, "/profile/sessions", { as: person });
    await press(page, button(page, "End all others"));
    const dialog = page.getByRole("dialog");
    await focusWithin(dialog);
    await press(page, dialog.getByRole("button", { name: "End all others" }));
    await dialog.waitFor({ state: "hidden" });
    expect((await other.refresh()).status).toBe(401);

    await press(page, link(page, "Security"));
    await press(page, button(page, "Set up"));
    await focused(field(page, "Password"));
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press("Enter");
    const key = page.getByLabel("Key", { exact: true });
    await key.waitFor();
    const secret = fromBase32((await key.textContent()) ?? "");
    await type(page, page.getByLabel(/Enter the code/), codeOfStep(secret, currentStep()));
    await page.keyboard.press("Enter");
    const codes = page.locator(".recovery-codes li");
    await expectSoon(() => codes.count(), 10);
    const [code = ""] = await codes.allTextContents();
    await press(page, button(page, "I have saved the codes"));
    await press(page, button(page, "Ada Lovelace"));
    await choose(page, "Sign out");
    await heading(page, "Sign in");
    await focused(page.getByLabel("Email address"));
    await page.keyboard.type(person.email);
    await page.keyboard.press("Tab");
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press("Enter");
    await heading(page, "Second factor");
    await press(page, button(page, "Use a recovery code instead"));
    await type(page, page.getByLabel("Recovery code"), code);
    await page.keyboard.press("Enter");
    await heading(page, "Security");
  });
});
