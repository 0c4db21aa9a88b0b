import { afterEach, describe, test } from "bun:test";
import { createOrganization } from "../support/organizations.ts";
import { ownStorage } from "../support/storage.ts";
import { expectQuiet, open, startConsole, withoutBrowser } from "./support/browser.ts";
import { button, choose, link, press, tabTo, type } from "./support/keyboard.ts";
import { heading } from "./support/steps.ts";
import { focused, focusWithin } from "./support/waits.ts";

const t = await startConsole((await ownStorage()).environment);
afterEach(expectQuiet);

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
