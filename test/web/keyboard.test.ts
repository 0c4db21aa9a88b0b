import { afterEach, describe, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { createOrganization } from "../support/organizations.ts";
import { ownStorage } from "../support/storage.ts";
import { expectQuiet, open, startConsole, withoutBrowser } from "./support/browser.ts";
import { focused, focusWithin } from "./support/waits.ts";

const t = await startConsole((await ownStorage()).environment);
afterEach(expectQuiet);

/** Executed in the page, not in the test's process. */
const matches = (element: unknown, selector: string) =>
  (element as { matches(selector: string): boolean }).matches(selector);

/** Maximum number of Tab presses; no page has as many focusable elements. */
const MOST = 120;

/** Presses Tab until `target` has visible focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let pressed = 0; pressed < MOST; pressed += 1) {
    await page.keyboard.press("Tab");
    const isThere = await target.evaluate(matches, ":focus-visible");
    if (isThere) return;
  }
  throw new Error(`Tab does not lead to ${target}`);
}
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });
const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });
const heading = (page: Page, name: string | RegExp) =>
  page.getByRole("heading", { name, level: 1 }).waitFor();
async function press(page: Page, target: Locator) {
  await tabTo(page, target);
  await page.keyboard.press("Enter");
}
/** Presses ArrowDown until the item of an open menu has focus, then Enter. */
async function choose(page: Page, name: string) {
  const item = page.getByRole("menuitem", { name });
  await item.waitFor();
  await focusWithin(page.getByRole("menu"));
  for (let pressed = 0; pressed < MOST; pressed += 1) {
    await page.keyboard.press("ArrowDown");
    if (await item.evaluate(matches, ":focus")) return page.keyboard.press("Enter");
  }
  throw new Error(`ArrowDown does not lead to ${name}`);
}
async function type(page: Page, target: Locator, text: string) {
  await tabTo(page, target);
  await page.keyboard.press("Control+a");
  await page.keyboard.type(text);
}

describe.skipIf(withoutBrowser)("with the keyboard only", () => {
  test("a user signs in, changes the profile, edits todos and signs out", async () => {
    const { admin } = await createOrganization(t);
    const page = await open(t, "/todos");
    await heading(page, "Sign in");
    // The first field is focused when the page opens.
    await focused(page.getByLabel("Email address"));
    await page.keyboard.type(admin.email);
    await page.keyboard.press("Tab");
    await page.keyboard.type(admin.account.password);
    await page.keyboard.press("Enter");

    await heading(page, "Todos");
    await type(page, page.getByLabel("Title"), "Water the plants");
    await page.keyboard.press("Enter");
    const done = page.getByLabel("Done: Water the plants");
    await tabTo(page, done);
    await page.keyboard.press("Space");
    await page
      .getByRole("checkbox", { name: "Done: Water the plants", checked: true, disabled: false })
      .waitFor();
    const actions = button(page, "Actions for “Water the plants”");
    await press(page, actions);
    await choose(page, "Edit");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Title").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await actions.and(page.locator(":focus")).waitFor();
    await press(page, actions);
    await choose(page, "Delete");
    await focusWithin(dialog);
    await press(page, dialog.getByRole("button", { name: "Delete" }));
    await page.getByText("You have no todos.").waitFor();

    await press(page, button(page, "Ada Lovelace"));
    await choose(page, "Profile");
    await heading(page, "Profile");
    await type(page, page.getByRole("textbox", { name: "First name" }), "Augusta");
    await page.keyboard.press("Enter");
    await page.getByText("Saved.").waitFor();
    await press(page, button(page, "Augusta Lovelace"));
    await choose(page, "Sign out");
    await heading(page, "Sign in");
  });

  test("an administrator skips the menu, creates a role, assigns it to a member, and reports a problem", async () => {
    const organization = await createOrganization(t);
    const member = await organization.member();
    const page = await open(t, "/roles", { as: organization.admin });
    await press(page, link(page, "New role"));
    await heading(page, "New role");
    await type(page, page.getByRole("textbox", { name: "Name" }), "Gardener");
    await tabTo(page, page.getByLabel("Invite people"));
    await page.keyboard.press("Space");
    await press(page, button(page, "Save"));
    await link(page, "Gardener").first().waitFor();

    await press(page, link(page, "Members"));
    await heading(page, "Members");
    await press(page, page.getByRole("row", { name: member.email }).getByRole("link"));
    const roles = page.getByRole("region", { name: "Roles" });
    await press(page, roles.getByRole("button", { name: "Add a role" }));
    await tabTo(page, roles.getByRole("combobox", { name: "Role" }).nth(1));
    await page.keyboard.press("Enter");
    await page.getByRole("option", { name: "Gardener" }).waitFor();
    await page.keyboard.type("Gard");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await press(page, roles.getByRole("button", { name: "Save" }));
    await roles.getByText("Saved").waitFor();

    await page.goto("/support/tickets");
    await heading(page, "My tickets");
    await link(page, "Report a problem").waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await focused(page.locator("main"));
    await page.keyboard.press("Tab");
    await focused(link(page, "Report a problem"));
    await page.keyboard.press("Enter");
    await type(page, page.getByLabel("Subject"), "The list stays empty");
    await type(page, page.getByLabel("Message"), "Since this morning.");
    await press(page, button(page, "Send"));
    await heading(page, "The list stays empty");
  });

  test("a platform administrator finds an organization, acts on it, renames it, and stops acting on it", async () => {
    await createOrganization(t, "Acme of the keyboard");
    const page = await open(t, "/platform/organizations", { as: await t.platformAdmin() });
    await type(page, page.getByLabel("Search"), "of the keyboard");
    await press(page, link(page, "Acme of the keyboard").first());
    await heading(page, "Acme of the keyboard");
    await press(page, button(page, "Open as administrator"));
    await page.getByRole("complementary").getByText("Acme of the keyboard").waitFor();
    await press(page, link(page, "Settings"));
    await type(page, page.getByRole("textbox", { name: "Name", exact: true }), "Beta");
    await page.keyboard.press("Enter");
    // The banner shows the new name at once.
    await page.getByRole("complementary").getByText("Beta").waitFor();
    await press(page, page.getByRole("complementary").getByRole("button"));
    await heading(page, "Organizations");
  });
});
