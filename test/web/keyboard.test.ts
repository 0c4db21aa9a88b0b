import { afterEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { createOrganization } from "../support/organizations.ts";
import { expectStatus, uniqueEmail } from "../support/service.ts";
import { expectQuiet, open, sharedConsole, withoutBrowser } from "./support/browser.ts";
import { button, choose, link, press, tabTo, type } from "./support/keyboard.ts";
import { heading } from "./support/steps.ts";
import { expectSoon, focused, focusWithin, searchIs } from "./support/waits.ts";

const t = await sharedConsole();
afterEach(expectQuiet);
const HOSTILE = "<img src=x onerror=alert(1)>";
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
  test("a user signs in after a wrong password, comes to the requested page, edits todos, changes the profile and signs out", async () => {
    const { admin } = await createOrganization(t);
    const page = await open(t, "/todos?sort=title");
    await heading(page, "Sign in");
    await expectSoon(() => page.title(), "Sign in · Console");
    // The first field is focused when the page opens.
    await focused(page.getByLabel("Email address"));
    await page.keyboard.type(admin.email);
    await page.keyboard.press("Tab");
    await page.keyboard.type("not the password");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("The email address or the password is wrong.").waitFor();
    expect(await page.getByLabel("Email address").inputValue()).toBe(admin.email);
    await type(page, page.getByLabel("Password", { exact: true }), admin.account.password);
    await page.keyboard.press("Enter");

    await heading(page, "Todos");
    await page.waitForURL((url) => url.search === "?sort=title");
    await type(page, page.getByLabel("Title"), HOSTILE);
    await page.keyboard.press("Enter");
    await expectSoon(() => page.getByLabel("Title").inputValue(), "");
    const done = page.getByLabel(`Done: ${HOSTILE}`);
    await tabTo(page, done);
    await page.keyboard.press("Space");
    await page.getByRole("checkbox", { name: `Done: ${HOSTILE}`, checked: true, disabled: false }).waitFor();
    const actions = (title: string) => button(page, `Actions for “${title}”`);
    await press(page, actions(HOSTILE));
    await choose(page, "Edit");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Title").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await focused(actions(HOSTILE));
    await page.keyboard.press("Enter");
    await choose(page, "Edit");
    await type(page, dialog.getByLabel("Title"), " ");
    await page.keyboard.press("Enter");
    await dialog.locator('[aria-invalid="true"]').waitFor();
    await type(page, dialog.getByLabel("Title"), "Water the plants");
    await page.keyboard.press("Enter");
    await page.getByRole("cell", { name: "Water the plants", exact: true }).waitFor();
    await press(page, actions("Water the plants"));
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

  test("an administrator creates a role, assigns it to a member, and skips the menu of another page", async () => {
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
  });

  test("a platform administrator finds an organization, acts on it under a banner, renames it, stops acting on it, and suspends it", async () => {
    const name = `Acme ${crypto.randomUUID()} ${HOSTILE}`;
    const org = await createOrganization(t, name);
    const admin = await t.platformAdmin();
    const page = await open(t, "/platform/organizations", { as: admin });
    const find = async (name: string) => {
      await type(page, page.getByLabel("Search"), name);
      await searchIs(page, "search", name);
      await press(page, link(page, name).first());
      await heading(page, name);
    };
    await find(name);
    await press(page, button(page, "Open as administrator"));
    const banner = page.getByRole("complementary");
    await banner.getByText(`You have opened ${name}`).waitFor();
    await page.reload();
    await banner.getByText(`You have opened ${name}`).waitFor();
    await press(page, link(page, "Inbox"));
    await page.getByText("There are no tickets.").waitFor();
    await press(page, link(page, "Settings"));
    const renamed = `Beta ${crypto.randomUUID()}`;
    await type(page, page.getByRole("textbox", { name: "Name", exact: true }), renamed);
    await page.keyboard.press("Enter");
    // The banner shows the new name at once.
    await banner.getByText(renamed).waitFor();
    await press(page, banner.getByRole("button"));
    await heading(page, "Organizations");
    await banner.waitFor({ state: "detached" });

    await find(renamed);
    await press(page, button(page, "Suspend"));
    const dialog = page.getByRole("dialog");
    await press(page, dialog.getByRole("button", { name: "Suspend" }));
    await dialog.waitFor({ state: "detached" });
    await page.getByText("Suspended", { exact: true }).first().waitFor();
    expect(expectStatus(await admin.get(`/api/organizations/${org.id}`), 200).body.status).toBe("SUSPENDED");
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
});
